"""Validation of rows and parameters: what is refused and in which words, and what the checks cost."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from small_matrix import X, Y, fitted

from cesaro.linear import DualAveragingClassifier
from cesaro.linear.estimators.target_validation import check_labels
from cesaro.linear.estimators.validation import check_rows, check_weights


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


def test_a_first_batch_that_was_refused_leaves_nothing():
    model = DualAveragingClassifier()
    with pytest.raises(ValueError, match="at least two"):
        model.partial_fit(X, Y, classes=[0])
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(X * np.nan, Y, classes=[0, 2])
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert model.partial_fit(X, Y, classes=[0, 1]).score(X, Y) > 0.5


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


TEXTS = ["the whole document, which nobody wants to read in an error message " * 9, "another"] * 15


@pytest.mark.parametrize("do", ["fit", "predict", "predict_certified", "decision_function", "partial_fit", "score"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (TEXTS, r"got texts, 'the whole document, which n\.\.\.'\. .*TfidfVectorizer.*pipe\[:-1\]\.transform"),
        (np.array(TEXTS), r"got texts, 'the whole"),
        (np.array(TEXTS, dtype=object), r"got texts, 'the whole"),
        ([text.encode() for text in TEXTS], r"got texts, b'the whole document, which n\.\.\.'"),
        (TEXTS[0], r"got a text, 'the whole"),
        ([[1.0, "7", "red", 2.0]] * 30, r"got 'red' in row 0, column 2\. .*OneHotEncoder"),
    ],
    ids=["list", "array", "objects", "bytes", "one text", "a table with words"],
)
def test_words_in_place_of_numbers_are_refused_in_few_words(do, given, said):
    model = fitted(X)
    more = {"fit": [Y], "partial_fit": [Y, [0, 1]], "score": [Y]}.get(do, [])
    with pytest.raises(ValueError, match=rf"X must be a matrix of numbers: {said}") as raised:
        getattr(model, do)(given, *more)
    assert len(str(raised.value)) < 300
    assert raised.value.__cause__ is raised.value.__context__ is None


def test_data_frames_with_words_are_refused_in_few_words():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd")).assign(b=TEXTS)
    with pytest.raises(ValueError, match=r"got 'the whole document, which n\.\.\.' in row 0, column 1"):
        fitted(frame)


def test_words_that_are_numbers_are_still_taken_as_such():
    np.testing.assert_array_equal(fitted(X).predict([["1", "2", "3", "4"]]), fitted(X).predict([[1, 2, 3, 4]]))
