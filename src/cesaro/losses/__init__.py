"""Losses phi(p, y) of a prediction p = <x, w> and a target y (for classification y is -1 or +1).

Each has three functions, elementwise over arrays:

    value(p, y)      phi(p, y), scaled as in scikit-learn
    slope(p, y)      a subgradient of phi in p
    conjugate(u, y)  phi*(u, y) = sup_p  u p - phi(p, y),  +inf where the supremum is

so that phi(p, y) >= u p - phi*(u, y) for every u, with equality at u = slope(p, y): that is what a certificate sums.

`dual()` is all that the linear models need to know of a loss: its numbers in the one form that their kernels compute with.
"""

from cesaro.losses.classification import Hinge, LogLoss, ModifiedHuber, SquaredHinge
from cesaro.losses.interface import Loss, ProbabilityLink
from cesaro.losses.regression import (
    AbsoluteError,
    EpsilonInsensitive,
    Huber,
    Quantile,
    SquaredEpsilonInsensitive,
    SquaredError,
)

__all__ = [
    "ALL",
    "CLASSIFICATION",
    "REGRESSION",
    "AbsoluteError",
    "EpsilonInsensitive",
    "Hinge",
    "Huber",
    "LogLoss",
    "Loss",
    "ModifiedHuber",
    "ProbabilityLink",
    "Quantile",
    "SquaredEpsilonInsensitive",
    "SquaredError",
    "SquaredHinge",
]

CLASSIFICATION: dict[str, type[Loss]] = {
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "log_loss": LogLoss,
    "modified_huber": ModifiedHuber,
}
REGRESSION: dict[str, type[Loss]] = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "huber": Huber,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
    "quantile": Quantile,
}
ALL: dict[str, type[Loss]] = CLASSIFICATION | REGRESSION
