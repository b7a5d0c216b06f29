"""One matrix in every form gives one model, and nothing of the caller's is changed."""

import numpy as np
import pytest
import scipy.sparse as sp
from small_matrix import X, Y, fitted

from cesaro.linear import DualAveragingClassifier
from cesaro.linear.estimators.validation import check_rows


def with_index(kind):
    A = sp.csr_array(X)
    A.indices, A.indptr = A.indices.astype(kind), A.indptr.astype(kind)
    return A


def unsorted():
    A = sp.csr_array(X)
    A.indices, A.data = A.indices.copy(), A.data.copy()
    for i in range(A.shape[0]):
        row = slice(A.indptr[i], A.indptr[i + 1])
        A.indices[row], A.data[row] = A.indices[row][::-1].copy(), A.data[row][::-1].copy()
    return sp.csr_array((A.data, A.indices, A.indptr), shape=A.shape)


def duplicated():
    A = sp.csr_array(X)
    return sp.csr_array((np.repeat(A.data, 2) / 2, np.repeat(A.indices, 2), 2 * A.indptr), shape=A.shape)


def padded():
    A = sp.coo_array(X)
    n = len(A.data)
    rows, columns = np.append(A.row, [0, 1]), np.append(A.col, [0, 1])
    return sp.csr_array((np.append(A.data, [0.0, 0.0]), (rows, columns)), shape=A.shape), n


FORMS = {
    "list": X.tolist(),
    "fortran": np.asfortranarray(X),
    "csr_matrix": sp.csr_matrix(X),
    "csc": sp.csc_array(X),
    "coo": sp.coo_array(X),
    "64-bit": with_index(np.int64),
    "32-bit": with_index(np.int32),
    "unsorted": unsorted(),
    "duplicates": duplicated(),
    "explicit zeros": padded()[0],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_same_matrix_gives_the_same_model(form):
    np.testing.assert_allclose(fitted(FORMS[form]).coef_, fitted(X).coef_, rtol=1e-6, atol=1e-9)


def test_duplicates_are_summed_and_unsorted_columns_are_left_where_they_are():
    summed = check_rows(DualAveragingClassifier(), FORMS["duplicates"])
    assert summed.nnz == sp.csr_array(X).nnz
    np.testing.assert_array_equal(summed.toarray(), X)
    assert np.shares_memory(check_rows(DualAveragingClassifier(), FORMS["unsorted"]).data, FORMS["unsorted"].data)


def test_data_frames_keep_their_column_names_and_are_checked_against_them():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = fitted(frame, pd.Series(Y))
    assert list(model.feature_names_in_) == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))


def test_float32_stays_float32_and_whole_numbers_become_floats():
    assert check_rows(DualAveragingClassifier(), X.astype(np.float32)).dtype == np.float32
    assert check_rows(DualAveragingClassifier(), X.astype(int)).dtype == np.float64


@pytest.mark.parametrize("form", ["duplicates", "unsorted", "csr_matrix"])
def test_the_callers_arrays_are_not_changed(form):
    A, v = FORMS[form].copy(), np.ones(30)
    copies = A.data.copy(), A.indices.copy(), A.indptr.copy(), Y.copy()
    for array in (A.data, A.indices, A.indptr):
        array.setflags(write=False)
    fitted(A, sample_weight=v)
    for now, then in zip((A.data, A.indices, A.indptr, Y), copies, strict=True):
        np.testing.assert_array_equal(now, then)


def test_read_only_data_are_neither_copied_nor_written_to_nor_compiled_for():
    A = FORMS["csr_matrix"].copy()
    A.data.setflags(write=False)
    B = check_rows(DualAveragingClassifier(), A)
    assert B.data.flags.writeable
    assert np.shares_memory(A.data, B.data)
    assert not A.data.flags.writeable


@pytest.mark.parametrize("make", [unsorted, duplicated])
def test_certified_labels_leave_the_matrix_alone_and_may_not_write_to_it(make):
    A, model = make(), fitted(X)
    before = A.data.copy(), A.indices.copy(), A.indptr.copy()
    for array in (A.data, A.indices, A.indptr):
        array.setflags(write=False)
    for found, expected in zip(model.predict_certified(A), model.predict_certified(X), strict=True):
        np.testing.assert_array_equal(found, expected)
    for array, kept in zip((A.data, A.indices, A.indptr), before, strict=True):
        np.testing.assert_array_equal(array, kept)
