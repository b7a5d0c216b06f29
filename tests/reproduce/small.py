"""A small support vector machine in the place of the data sets, and a small budget."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from cesaro.data import DataError, Dataset
from cesaro.reproduce import trajectories
from cesaro.reproduce.budget import Budget


def rows(n=60, d=8, seed=0):
    """X and y, a third of the entries of X not zero."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=0.4, rng=rng, data_sampler=rng.standard_normal, format="csr")
    return X, np.where(X @ rng.normal(size=d) + 0.3 * rng.normal(size=n) > 0, 2, 1)


@pytest.fixture
def budget(tmp_path, monkeypatch):
    """Two data sets of 60 rows: `a9a`, and `w8a`, which is not to be had."""

    def load(name):
        if name == "w8a":
            raise DataError("Fetch it: cesaro data fetch w8a.")
        return Dataset(name, *rows(), None, None, "")

    monkeypatch.setattr(trajectories, "load", load)
    trajectories.problem.cache_clear()
    yield replace(Budget(tmp_path / "runs"), data_sets=("a9a", "w8a"), epochs=12, seeds=2)
    trajectories.problem.cache_clear()
