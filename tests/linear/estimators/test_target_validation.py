"""Validation of labels, targets and weights: what comes out, what is refused and in which words."""

import numpy as np
import pytest
import scipy.sparse as sp
from small_matrix import X, Y, fitted

from cesaro.linear import DualAveragingClassifier, DualAveragingClassifierCV, DualAveragingRegressor
from cesaro.linear.estimators.target_validation import check_labels
from cesaro.linear.estimators.validation import check_weights


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
