"""scikit-learn's own checks, without a single expected failure where the estimators are asked for all digits.

Two checks compare a fit with weights and one with repeated rows, rtol=1e-7: they need the optimum itself. At the defaults
they fail as those of LinearSVC, LogisticRegression and SGDClassifier do, and nothing else does. (At the optimum of
alpha=1e-4 a row of one check lies on the kinks of two classes: its label is a tie.)
"""

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
        DualAveragingClassifier(alpha=1e-3, **EXACT),
        DualAveragingClassifier("log_loss", **EXACT),
        DualAveragingRegressor(**EXACT),
        DualAveragingClassifierCV(alphas=3, cv=3, **EXACT),
        DualAveragingRegressorCV(alphas=3, cv=3, **EXACT),
    ]
)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


ROUGH = "the default tol=1e-3 is a duality gap, which leaves fewer digits equal than rtol=1e-7 compares"
EXPECTED = {f"check_sample_weight_equivalence_on_{kind}_data": ROUGH for kind in ("dense", "sparse")}


@parametrize_with_checks(
    [
        DualAveragingClassifier(),
        DualAveragingRegressor(),
        DualAveragingClassifierCV(cv=3),  # scikit-learn's data have classes of fewer than five rows
        DualAveragingRegressorCV(),
    ],
    expected_failed_checks=lambda estimator: EXPECTED,
)
def test_scikit_learns_checks_pass_at_the_defaults_but_for_two_that_need_more_digits(estimator, check):
    check(estimator)
