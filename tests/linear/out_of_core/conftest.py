"""Rows in a file."""

import pytest
from sklearn.datasets import dump_svmlight_file

from cesaro.data.svmlight.reader import read_svmlight


@pytest.fixture
def place(tmp_path):
    """Writes rows to a file, and says what a reader finds in it and where the cache is."""

    def write(X, y, name="rows.svm"):
        path = tmp_path / name
        dump_svmlight_file(X, y, str(path), zero_based=False)
        return path, tmp_path / "cache", *read_svmlight(path, n_features=X.shape[1])

    return write
