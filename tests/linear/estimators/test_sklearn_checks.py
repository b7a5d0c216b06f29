"""scikit-learn's own checks, without a single expected failure.

The instances ask for more digits than the default where a check compares two fits with rtol=1e-7: those need the
optimum itself. (At the optimum of alpha=1e-4 a row of one check lies on the kinks of two classes: its label is a tie.)
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
