"""A small budget, with a small support vector machine in the place of the data sets."""

from dataclasses import replace

import pytest
from reproduce.small import rows

from cesaro.data import DataError, Dataset
from cesaro.reproduce.budget import Budget
from cesaro.reproduce.figure1 import runs as figure1_runs


@pytest.fixture
def small_budget(tmp_path, monkeypatch):
    """Two data sets of 60 rows: `a9a`, and `w8a`, which is not to be had."""

    def load(name):
        if name == "w8a":
            raise DataError("Fetch it: cesaro data fetch w8a.")
        return Dataset(name, *rows(), None, None, "")

    monkeypatch.setattr(figure1_runs, "load", load)
    figure1_runs.load_problem.cache_clear()
    yield replace(
        Budget(tmp_path / "runs"),
        data_sets=("a9a", "w8a"),
        epochs=12,
        seeds=2,
        tuned_epochs=12,
        tuned_seeds=2,
        mus=("1e-4",),
    )
    figure1_runs.load_problem.cache_clear()
