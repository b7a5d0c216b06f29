"""cesaro: averaging optimisers that stop when they can prove they are done."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cesaro.version import __version__ as __version__

if TYPE_CHECKING:
    from cesaro import domains, losses, methods, outputs, weights
    from cesaro.comparison import Comparison, compare
    from cesaro.linear import (
        ConvergenceDisplay,
        DualAveragingClassifier,
        DualAveragingClassifierCV,
        DualAveragingRegressor,
        DualAveragingRegressorCV,
        ScaleError,
    )
    from cesaro.linear.estimators.serialization import load, save
    from cesaro.minimization import minimize

_HOME = {  # everything loads on first use: SciPy, Numba and scikit-learn take a second or two
    "Comparison": "comparison",
    "ConvergenceDisplay": "linear",
    "DualAveragingClassifier": "linear",
    "DualAveragingClassifierCV": "linear",
    "DualAveragingRegressor": "linear",
    "DualAveragingRegressorCV": "linear",
    "ScaleError": "linear",
    "compare": "comparison",
    "load": "linear.estimators.serialization",
    "minimize": "minimization",
    "save": "linear.estimators.serialization",
}
_MODULES = ("data", "domains", "engines", "linear", "losses", "methods", "optim", "outputs", "reproduce", "weights")
__all__ = [  # not the modules that are heavy or need an extra: a star would load them
    "Comparison",
    "ConvergenceDisplay",
    "DualAveragingClassifier",
    "DualAveragingClassifierCV",
    "DualAveragingRegressor",
    "DualAveragingRegressorCV",
    "ScaleError",
    "compare",
    "domains",
    "load",
    "losses",
    "methods",
    "minimize",
    "outputs",
    "save",
    "weights",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"cesaro.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"cesaro.{name}")
    raise AttributeError(f"module 'cesaro' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
