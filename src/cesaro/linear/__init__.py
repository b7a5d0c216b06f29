"""Linear models on sparse data: the methods of the paper, and the anchored solver, in O(nnz).

The names load on first use, so that importing the package does not compile or import what is not needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cesaro.linear.estimators.classifier import DualAveragingClassifier
    from cesaro.linear.estimators.classifier_cv import DualAveragingClassifierCV
    from cesaro.linear.estimators.convergence_display import ConvergenceDisplay
    from cesaro.linear.estimators.regressor import DualAveragingRegressor
    from cesaro.linear.estimators.regressor_cv import DualAveragingRegressorCV
    from cesaro.linear.problem.scales import ScaleError

_HOME = {
    "DualAveragingClassifier": "estimators.classifier",
    "DualAveragingRegressor": "estimators.regressor",
    "DualAveragingClassifierCV": "estimators.classifier_cv",
    "DualAveragingRegressorCV": "estimators.regressor_cv",
    "ConvergenceDisplay": "estimators.convergence_display",
    "ScaleError": "problem.scales",
}
__all__ = [
    "ConvergenceDisplay",
    "DualAveragingClassifier",
    "DualAveragingClassifierCV",
    "DualAveragingRegressor",
    "DualAveragingRegressorCV",
    "ScaleError",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
