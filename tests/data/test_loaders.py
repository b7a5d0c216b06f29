"""Data sets by name: a9a is inside the package, the others are found in $CESARO_DATA, and all are what they claim to be."""

import io
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from cesaro import data
from cesaro.data.streams import opened

SHARED = Path(__file__).parents[3] / "shared" / "data"
FACTS = {  # rows, columns, entries, rows of the lower label
    "w8a": (49_749, 300, 579_586, 48_270),
    "ijcnn1": (49_990, 22, 649_870, 45_137),
    "covtype": (581_012, 54, 6_940_438, 297_711),
}


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


@pytest.mark.skipif(not SHARED.exists(), reason="the LIBSVM data sets are not in ../shared/data")
@pytest.mark.parametrize("name", FACTS)
def test_the_real_sets_are_found_verified_and_equal_to_scikit_learns(name, monkeypatch):
    monkeypatch.setenv("CESARO_DATA", str(SHARED))
    found = data.load(name)
    assert (*found.X.shape, found.X.nnz, np.sum(found.y == found.y.min())) == FACTS[name]
    assert found.X.indices.dtype == np.int32
    if name == "covtype":  # benchmarks/data/parse.py compares it: scikit-learn takes seconds
        return
    with opened(data.locate(name)) as (content, _):
        X, y = load_svmlight_file(io.BytesIO(content.read()), zero_based=False)
    assert found.X.data.tobytes() == X.data.tobytes()
    assert np.array_equal(found.X.indices, X.indices)
    assert np.array_equal(found.y, y)
    assert (found.X_test is None) == (name == "w8a")


def test_images_are_not_rows():
    with pytest.raises(ValueError, match=r"has images, not rows: use cesaro.data.load_cifar"):
        data.load("cifar10")


def test_a_named_set_can_be_widened_not_narrowed():
    assert data.load("a9a", n_features=200).X.shape == (32561, 200)
    with pytest.raises(ValueError, match="n_features must be at least 123 for a9a: got 100"):
        data.load("a9a", n_features=100)


def test_whom_to_credit_is_beside_the_embedded_data():
    text = (Path(data.__file__).parent / "embedded" / "README.md").read_text(encoding="utf-8")
    assert "Becker" in text
    assert "CC BY 4.0" in text
