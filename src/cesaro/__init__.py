"""cesaro: averaging optimisers that stop when they can prove they are done."""

from importlib import import_module
from typing import Any

from . import domains, losses, methods, outputs, weights
from .compare import Comparison, compare
from .solve import minimize

__version__ = "0.1.0"
_LATER = {  # what needs Numba and scikit-learn loads on first use
    "DualAveragingClassifier": "cesaro.linear",
    "DualAveragingClassifierCV": "cesaro.linear",
    "DualAveragingRegressor": "cesaro.linear",
    "DualAveragingRegressorCV": "cesaro.linear",
    "ConvergenceDisplay": "cesaro.linear",
}
__all__ = ["Comparison", "compare", "domains", "losses", "methods", "minimize", "outputs", "weights", *_LATER]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'cesaro' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
