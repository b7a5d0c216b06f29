"""Data sets by name: a9a is inside the package, the others are found in $CESARO_DATA, and all are what they claim to be."""

import numpy as np
import pytest

from cesaro import data


def test_a9a_needs_neither_network_nor_folder(monkeypatch):
    monkeypatch.delenv("CESARO_DATA", raising=False)
    a9a = data.load("a9a")
    assert a9a.X.shape == (32561, 123)
    assert a9a.X_test.shape == (16281, 123)
    assert (np.sum(a9a.y < 0), np.sum(a9a.y_test < 0)) == (24720, 12435)
    assert (a9a.X.nnz, a9a.X_test.nnz) == (451592, 225731)
    assert a9a.X.indices.dtype == a9a.X.indptr.dtype == np.int32
    assert a9a.test_note == "the published test file a9a.t"


def test_what_is_neither_a_file_nor_a_name_is_refused_with_the_names():
    with pytest.raises(FileNotFoundError, match="neither a file nor a data set \\(a9a, w8a"):
        data.load("a10a")
