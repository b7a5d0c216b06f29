"""Validation: what comes in, what is refused and in which words, and that nothing of the caller's is changed."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from cesaro.linear import DualAveragingClassifier, DualAveragingClassifierCV, DualAveragingRegressor
from cesaro.linear.estimators.target_validation import check_labels
from cesaro.linear.estimators.validation import check_rows, check_weights

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4)) * (RNG.random((30, 4)) < 0.6)
Y = np.where(X.sum(axis=1) + 0.1 * RNG.normal(size=30) > 0, 1, 0)
MODEL = {"alpha": 0.1, "tol": 1e-10, "random_state": 0}


def fitted(X, y=Y, **kwargs):
    return DualAveragingClassifier(**MODEL).fit(X, y, **kwargs)


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


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf")])
@pytest.mark.parametrize("make", [np.array, sp.csr_array], ids=["dense", "sparse"])
def test_a_bad_entry_of_X_is_named_by_row_and_column(value, word, make):
    for column in range(4):
        bad = np.where(X == 0.0, 1.0, X)
        bad[7, column] = value
        with pytest.raises(ValueError, match=rf"X contains {word}.* row 7, column {column}"):
            fitted(make(bad))
        with pytest.raises(ValueError, match=rf"X contains {word}.* row 7, column {column}"):
            fitted(X).predict(make(bad))


def test_a_sum_that_overflows_is_not_an_infinite_entry():
    big = np.full((4, 2), 1.7e308)
    check_rows(DualAveragingClassifier(), big)


def test_a_bad_target_or_weight_is_named_by_its_row():
    y, v = Y.astype(float), np.ones(30)
    y[3], v[5] = np.nan, np.inf
    with pytest.raises(ValueError, match=r"y contains NaN at row 3"):
        fitted(X, y)
    with pytest.raises(ValueError, match=r"y contains NaN at row 3"):
        DualAveragingRegressor().fit(X, y)
    with pytest.raises(ValueError, match=r"y contains inf.* row 2, column 1"):
        DualAveragingRegressor().fit(X, np.where(np.arange(60).reshape(30, 2) == 5, np.inf, 1.0))
    with pytest.raises(ValueError, match=r"sample_weight contains inf.* row 5"):
        fitted(X, sample_weight=v)


def test_negative_and_vanishing_weights_are_refused():
    v = np.ones(30)
    v[4] = -1.0
    with pytest.raises(ValueError, match=r"negative: got -1.0 at row 4"):
        fitted(X, sample_weight=v)
    with pytest.raises(ValueError, match="at least one non-zero"):
        fitted(X, sample_weight=np.zeros(30))
    with pytest.raises(ValueError, match="shape"):
        fitted(X, sample_weight=np.ones(29))


def test_one_class_no_rows_and_other_widths_are_refused():
    with pytest.raises(ValueError, match="one class"):
        fitted(X, np.ones(30))
    with pytest.raises(ValueError, match="one class"):
        fitted(X, Y, sample_weight=Y)
    with pytest.raises(ValueError, match="0 sample"):
        fitted(np.zeros((0, 4)), [])
    with pytest.raises(ValueError, match="X has 3 features"):
        fitted(X).predict(X[:, :3])
    with pytest.raises(ValueError, match="inconsistent"):
        fitted(X, Y[:-1])


def test_a_malformed_csr_matrix_is_refused_before_a_kernel_sees_it():
    A = sp.csr_array(X)
    A.indices = A.indices.copy()
    for value in (4, -1):
        A.indices[0] = value
        with pytest.raises(ValueError, match="column indices outside"):
            check_rows(DualAveragingClassifier(), sp.csr_array((A.data, A.indices, A.indptr), shape=A.shape))
    A.indices[0] = 4
    with pytest.raises(ValueError, match="column indices outside"):
        fitted(X).predict(A)
    for place, value in ((5, 10**6), (0, 2), (-1, 10**6), (5, -1)):
        B = sp.csr_array(X)
        B.indptr = B.indptr.copy()
        B.indptr[place] = value
        for work in (fitted, fitted(X).predict):
            with pytest.raises(ValueError, match=r"row ends \(indptr\)"):
                work(B)


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


@pytest.mark.parametrize(
    ("y", "error", "said"),
    [
        (Y.astype(str), ValueError, "must be numbers: got <U"),
        (sp.csr_array(Y[:, None]), TypeError, "sparse"),
        (np.zeros((30, 0)), ValueError, "at least one column"),
    ],
    ids=["words", "sparse", "no column"],
)
def test_targets_that_are_no_numbers_are_refused(y, error, said):
    with pytest.raises(error, match=said):
        DualAveragingRegressor().fit(X, y)


def test_class_weights_that_leave_nothing_are_refused():
    model = DualAveragingClassifier(class_weight={0: 0.0, 1: 1.0})
    with pytest.raises(ValueError, match="no row with a weight"):
        model.partial_fit(X[Y == 0], Y[Y == 0], classes=[0, 1])
    many, labels = np.tile(X, (30, 1)), np.tile(Y, 30)
    for A, y in ((X, Y), (many, labels)):
        search = DualAveragingClassifierCV(
            alphas=2, class_weight={0: 0.0, 1: 1.0}, cv=[(np.flatnonzero(y == 0), np.arange(3))]
        )
        with pytest.raises(ValueError, match="no row with a weight"):
            search.fit(A, y)


def test_a_first_batch_that_was_refused_leaves_nothing():
    model = DualAveragingClassifier()
    with pytest.raises(ValueError, match="at least two"):
        model.partial_fit(X, Y, classes=[0])
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(X * np.nan, Y, classes=[0, 2])
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert model.partial_fit(X, Y, classes=[0, 1]).score(X, Y) > 0.5


@pytest.mark.parametrize(
    "y",
    [[1, -1, 1], [0.0, 1.0, 1.0], [True, False, True], ["b", "a", "b"], [5, 3, 4], np.array([2, 2, 7], dtype=np.int8)],
)
def test_labels_come_out_as_numpys_unique_would_have_them(y):
    labels = check_labels(np.zeros((3, 1)), y)
    classes, code = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(labels.classes, classes)
    assert labels.classes.dtype == classes.dtype
    np.testing.assert_array_equal(labels.code, code)


def test_continuous_targets_are_not_labels():
    with pytest.raises(ValueError, match="continuous"):
        check_labels(np.zeros((4, 1)), [0.5, 1.5, 0.5, 1.5])


def test_weights_of_one_are_made_and_given_ones_are_copied():
    v = np.array([1, 2, 3])
    out = check_weights(np.zeros((3, 1)), v)
    assert out.dtype == np.float64
    assert not np.shares_memory(out, v)
    np.testing.assert_array_equal(check_weights(np.zeros((3, 1)), None), 1.0)


def test_validation_costs_no_more_than_a_few_passes_over_the_data():
    """Measured in units of what NumPy needs to sum the values, so that the machine's load cancels."""
    rng = np.random.default_rng(0)
    n, k = 30_000, 14
    columns = np.sort(rng.integers(0, 1000, (n, k)) + 1000 * np.arange(k), axis=1).astype(np.int32)
    A = sp.csr_array((np.ones(n * k), columns.ravel(), np.arange(0, n * k + 1, k, dtype=np.int32)), shape=(n, 14_000))
    y = rng.choice([-1.0, 1.0], n)
    model = DualAveragingClassifier()
    model._validate_params()

    def clock(run):
        best = np.inf
        for _ in range(15):
            start = time.perf_counter()
            run()
            best = min(best, time.perf_counter() - start)
        return best

    checked = clock(
        lambda: (model._validate_params(), check_rows(model, A), check_labels(A, y), check_weights(A, None))
    )
    unit = clock(lambda: A.data.sum())
    assert checked < 20 * unit


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_largest_entry_is_found_without_its_sign_and_tells_of_what_is_no_number(value, dtype):
    from cesaro.linear.problem.csr import make_rows
    from cesaro.linear.problem.problem import Problem
    from cesaro.linear.problem.scales import largest_entry
    from cesaro.losses import CLASSIFICATION

    X = np.array([[0.5, -3.0], [1.0, 2.0]], dtype)
    p = Problem(make_rows(X), np.array([1.0, -1.0]), np.ones(2), CLASSIFICATION["hinge"](), 1.0)
    assert largest_entry(p) == 3.0
    X[1, 1] = value
    assert not np.isfinite(largest_entry(p._replace(rows=make_rows(X))))


def test_a_parameter_that_is_not_allowed_is_refused_also_where_it_is_the_default_of_a_subclass():
    class Wrong(DualAveragingClassifier):
        def __init__(self, alpha=-1.0):
            super().__init__(alpha=alpha)

    with pytest.raises(ValueError, match="alpha"):
        Wrong().fit([[1.0], [2.0]], [0, 1])
