"""cesaro: averaging optimisers that stop when they can prove they are done."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cesaro import linear
from cesaro.version import __version__ as __version__

if TYPE_CHECKING:
    from cesaro import domains, losses, methods, outputs, weights
    from cesaro.comparison import Comparison, compare
    from cesaro.linear import *  # noqa: F403 - what that package names, this one does too
    from cesaro.linear.estimators.serialization import load, save
    from cesaro.minimization import minimize

# Everything loads on first use: SciPy, Numba and scikit-learn take a second or two.
_HOME = dict.fromkeys(linear.__all__, "linear") | {
    "Comparison": "comparison",
    "compare": "comparison",
    "load": "linear.estimators.serialization",
    "minimize": "minimization",
    "save": "linear.estimators.serialization",
}
_MODULES = ("data", "domains", "engines", "losses", "methods", "optim", "outputs", "reproduce", "weights")
__all__ = [  # not the modules that are heavy or need an extra: a star would load them
    "Comparison",
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
__all__ += linear.__all__


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"cesaro.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"cesaro.{name}")
    raise AttributeError(f"module 'cesaro' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
