"""Small files, and the commands as a shell would run them, without a new process for each."""

import json
import sys
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, make_classification, make_regression

from cesaro.cli import main


class Ended(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        """The one object on stdout: nothing before or after it, no word that JSON does not have."""

        def refuse(word):
            raise AssertionError(f"{word} is not JSON")

        assert self.out.count("\n") == 1
        return json.loads(self.out, parse_constant=refuse)


@pytest.fixture
def cesaro(monkeypatch, capsys):
    """cesaro("fit", "a9a") runs the command in this process."""

    def run(*words) -> Ended:
        monkeypatch.setattr(sys, "argv", ["cesaro", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return Ended(ended.value.code, out, err)

    return run


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """two: two classes; more: rows of the same kind; three: three classes; numbers: regression."""
    folder = tmp_path_factory.mktemp("svmlight")
    X, y = make_classification(300, 6, n_informative=4, random_state=0)
    X = np.round(X, 3)
    dump_svmlight_file(X[:200], 2 * y[:200] - 1, str(folder / "two"), zero_based=False)
    dump_svmlight_file(X[200:], 2 * y[200:] - 1, str(folder / "more"), zero_based=False)
    X, y = make_classification(200, 6, n_informative=4, n_classes=3, random_state=0)
    dump_svmlight_file(np.round(X, 3), y, str(folder / "three"), zero_based=False)
    X, y = make_regression(150, 5, noise=3.0, random_state=0)
    dump_svmlight_file(np.round(X, 3), y, str(folder / "numbers"), zero_based=False)
    return folder
