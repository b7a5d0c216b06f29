"""cesaro: averaging optimisers that stop when they can prove they are done."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import domains, losses, methods, outputs, weights
    from .comparison import Comparison, compare
    from .linear.classifier import DualAveragingClassifier
    from .linear.classifier_cv import DualAveragingClassifierCV
    from .linear.display import ConvergenceDisplay
    from .linear.regressor import DualAveragingRegressor
    from .linear.regressor_cv import DualAveragingRegressorCV
    from .model_file import load, save
    from .solve import minimize

__version__ = "0.1.0"
_HOME = {  # everything loads on first use: SciPy, Numba and scikit-learn take a second or two
    "Comparison": "comparison",
    "ConvergenceDisplay": "linear.display",
    "DualAveragingClassifier": "linear.classifier",
    "DualAveragingClassifierCV": "linear.classifier_cv",
    "DualAveragingRegressor": "linear.regressor",
    "DualAveragingRegressorCV": "linear.regressor_cv",
    "compare": "comparison",
    "load": "model_file",
    "minimize": "solve",
    "save": "model_file",
}
_MODULES = ("data", "domains", "engines", "linear", "losses", "methods", "optim", "outputs", "reproduce", "weights")
__all__ = [  # not the modules that are heavy or need an extra: a star would load them
    "Comparison",
    "ConvergenceDisplay",
    "DualAveragingClassifier",
    "DualAveragingClassifierCV",
    "DualAveragingRegressor",
    "DualAveragingRegressorCV",
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
