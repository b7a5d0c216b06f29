"""scikit-learn's own checks, where the estimators are asked for all digits and at their defaults.

Two checks compare a fit with weights and one with repeated rows, rtol=1e-7: they need the optimum itself. At the defaults
they fail as those of LinearSVC, LogisticRegression and SGDClassifier do, and nothing else does. At the exact optimum of
the hinge rows lie on kinks. Where one lies on those of two classes its scores are equal, and the last bit, which depends on
how many rows are multiplied at once, decides its label: two other checks compare labels, and have such a row up to alpha=1e-3.
"""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from cesaro.linear import (
    DualAveragingClassifier,
    DualAveragingClassifierCV,
    DualAveragingRegressor,
    DualAveragingRegressorCV,
)

EXACT = {"tol": 1e-12, "random_state": 0}


@parametrize_with_checks(
    [
        DualAveragingClassifier(alpha=0.01, **EXACT),
        DualAveragingClassifier("squared_hinge", **EXACT),
        DualAveragingClassifier("log_loss", **EXACT),
        DualAveragingRegressor(**EXACT),
        DualAveragingClassifierCV(alphas=3, cv=3, **EXACT),
        DualAveragingRegressorCV(alphas=3, cv=3, **EXACT),
    ],
)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("alpha", "tied"), [(1e-4, 1), (0.01, 0)])
def test_labels_that_depend_on_the_last_bit_are_those_of_equal_scores(alpha, tied):
    X = 3 * np.random.RandomState(0).uniform(size=(20, 3))  # as scikit-learn's check_methods_subset_invariance
    model = DualAveragingClassifier(alpha=alpha, **EXACT).fit(X, X[:, 0].astype(int))
    second, best = np.sort(model.decision_function(X), axis=1)[:, -2:].T
    equal = best - second < 1e-12
    assert equal.sum() == tied
    assert np.all(best - second > 0.01, where=~equal)
    one_by_one = np.concatenate([model.predict(row) for row in X[:, None]])
    assert np.array_equal(one_by_one[~equal], model.predict(X)[~equal])


ROUGH = "the default tol=1e-3 is a duality gap, which leaves fewer digits equal than rtol=1e-7 compares"
EXPECTED = {f"check_sample_weight_equivalence_on_{kind}_data": ROUGH for kind in ("dense", "sparse")}


@parametrize_with_checks(
    [
        DualAveragingClassifier(),
        DualAveragingRegressor(),
        DualAveragingClassifierCV(cv=3),  # scikit-learn's data have classes of fewer than five rows
        DualAveragingRegressorCV(),
    ],
    # alphas that a regressor's search chooses there leave a problem that is solved to the last digits
    expected_failed_checks=lambda estimator: {} if isinstance(estimator, DualAveragingRegressorCV) else EXPECTED,
)
def test_scikit_learns_checks_pass_at_the_defaults_but_for_two_that_need_more_digits(estimator, check):
    check(estimator)
