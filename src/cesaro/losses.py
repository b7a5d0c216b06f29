"""Losses phi(p, y) of a prediction p = <x, w> and a target y (for classification y is -1 or +1).

Each has three faces, elementwise over arrays:

    value(p, y)      phi(p, y), scaled as in scikit-learn
    slope(p, y)      a subgradient of phi in p
    conjugate(u, y)  phi*(u, y) = sup_p  u p - phi(p, y),  +inf where the supremum is

so that phi(p, y) >= u p - phi*(u, y) for every u, with equality at u = slope(p, y): that is what a certificate sums.

`dual()` is all that the linear models need to know of a loss: its numbers in the one form that their kernels compute with.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.floating]


HINGE, PIECEWISE, LOGISTIC = 0, 1, 2  # the kinds that kernels tell apart
NO_LIMIT = 1e300  # stands for infinity: times zero it is zero


class DualForm(NamedTuple):
    """phi(p, y) = max_b b (y - p) - bend b^2 / 2 - eps |b|  over  low + cap min(y, 0) <= b <= high + cap max(y, 0).

    low <= 0 <= high. `cap` is for labels -1, +1. The logistic loss has bounds only; the hinge is bend = eps = 0, cap = 1.
    """

    kind: int = PIECEWISE
    bend: float = 0.0
    eps: float = 0.0
    low: float = 0.0
    high: float = 0.0
    cap: float = 0.0

    @property
    def linear(self) -> bool:
        """Whether the loss is piecewise linear: its dual is a quadratic programme in a box."""
        return self.bend == 0.0 and self.kind != LOGISTIC

    def bounds(self, y: Floats) -> tuple[Floats, Floats]:
        """The least and the largest dual value of rows with targets y."""
        return self.low + self.cap * np.minimum(y, 0.0), self.high + self.cap * np.maximum(y, 0.0)


class Loss(Protocol):
    """What every loss offers."""

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats: ...
    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats: ...
    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats: ...
    def dual(self) -> DualForm: ...


def _within(inside, value):
    """The conjugate's value on its domain, +inf outside."""
    return np.where(inside, value, np.inf)


@dataclass(frozen=True)
class Hinge:
    """max(0, 1 - yp)."""

    def value(self, p, y):
        return np.maximum(0.0, 1.0 - np.multiply(y, p))

    def slope(self, p, y):
        return np.where(np.multiply(y, p) < 1.0, np.negative(y), 0.0)

    def conjugate(self, u, y):
        b = np.multiply(u, y)
        return _within((b >= -1.0) & (b <= 0.0), b)

    def dual(self) -> DualForm:
        return DualForm(HINGE, cap=1.0)


@dataclass(frozen=True)
class SquaredHinge:
    """max(0, 1 - yp)^2."""

    def value(self, p, y):
        return np.maximum(0.0, 1.0 - np.multiply(y, p)) ** 2

    def slope(self, p, y):
        return -2.0 * np.multiply(y, np.maximum(0.0, 1.0 - np.multiply(y, p)))

    def conjugate(self, u, y):
        b = np.multiply(u, y)
        return _within(b <= 0.0, b + b**2 / 4.0)

    def dual(self) -> DualForm:
        return DualForm(bend=0.5, cap=NO_LIMIT)


@dataclass(frozen=True)
class LogLoss:
    """log(1 + exp(-yp))."""

    def value(self, p, y):
        return np.logaddexp(0.0, -np.multiply(y, p))

    def slope(self, p, y):
        return np.negative(y) * np.exp(-np.logaddexp(0.0, np.multiply(y, p)))

    def conjugate(self, u, y):
        a = -np.multiply(u, y)
        inside = (a >= 0.0) & (a <= 1.0)
        a = np.clip(a, 0.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = np.where(a > 0, a * np.log(a), 0.0) + np.where(a < 1, (1.0 - a) * np.log1p(-a), 0.0)
        return _within(inside, entropy)

    def dual(self) -> DualForm:
        return DualForm(LOGISTIC, cap=1.0)

    def probability(self, score: ArrayLike) -> Floats:
        """1/(1 + exp(-score))."""
        return np.exp(-np.logaddexp(0.0, np.negative(score)))


@dataclass(frozen=True)
class ModifiedHuber:
    """max(0, 1 - yp)^2 where yp >= -1, its tangent -4yp beyond: a squared hinge whose slope is capped at 4."""

    def value(self, p, y):
        m = np.multiply(y, p)
        return np.where(m >= -1.0, np.maximum(0.0, 1.0 - m) ** 2, -4.0 * m)

    def slope(self, p, y):
        return np.negative(y) * np.clip(2.0 * (1.0 - np.multiply(y, p)), 0.0, 4.0)

    def conjugate(self, u, y):
        b = np.multiply(u, y)
        return _within((b >= -4.0) & (b <= 0.0), b + b**2 / 4.0)

    def dual(self) -> DualForm:
        return DualForm(bend=0.5, cap=4.0)

    def probability(self, score: ArrayLike) -> Floats:
        """(clip(score, -1, 1) + 1)/2."""
        return (np.clip(score, -1.0, 1.0) + 1.0) / 2.0


@dataclass(frozen=True)
class SquaredError:
    """(p - y)^2 / 2."""

    def value(self, p, y):
        return np.subtract(p, y) ** 2 / 2.0

    def slope(self, p, y):
        return np.subtract(p, y, dtype=float)

    def conjugate(self, u, y):
        return np.multiply(u, y) + np.square(u) / 2.0

    def dual(self) -> DualForm:
        return DualForm(bend=1.0, low=-NO_LIMIT, high=NO_LIMIT)


@dataclass(frozen=True)
class Huber:
    """(p - y)^2 / 2 up to |p - y| = epsilon, linear beyond."""

    epsilon: float = 0.1

    def value(self, p, y):
        r = np.abs(np.subtract(p, y))
        return np.where(r <= self.epsilon, r**2 / 2.0, self.epsilon * (r - self.epsilon / 2.0))

    def slope(self, p, y):
        return np.clip(np.subtract(p, y, dtype=float), -self.epsilon, self.epsilon)

    def conjugate(self, u, y):
        return _within(np.abs(u) <= self.epsilon, np.multiply(u, y) + np.square(u) / 2.0)

    def dual(self) -> DualForm:
        return DualForm(bend=1.0, low=-self.epsilon, high=self.epsilon)


@dataclass(frozen=True)
class EpsilonInsensitive:
    """max(0, |p - y| - epsilon)."""

    epsilon: float = 0.1

    def value(self, p, y):
        return np.maximum(0.0, np.abs(np.subtract(p, y)) - self.epsilon)

    def slope(self, p, y):
        r = np.subtract(p, y, dtype=float)
        return np.where(np.abs(r) > self.epsilon, np.sign(r), 0.0)

    def conjugate(self, u, y):
        return _within(np.abs(u) <= 1.0, np.multiply(u, y) + self.epsilon * np.abs(u))

    def dual(self) -> DualForm:
        return DualForm(eps=self.epsilon, low=-1.0, high=1.0)


@dataclass(frozen=True)
class SquaredEpsilonInsensitive:
    """max(0, |p - y| - epsilon)^2."""

    epsilon: float = 0.1

    def value(self, p, y):
        return np.maximum(0.0, np.abs(np.subtract(p, y)) - self.epsilon) ** 2

    def slope(self, p, y):
        r = np.subtract(p, y, dtype=float)
        return 2.0 * np.sign(r) * np.maximum(0.0, np.abs(r) - self.epsilon)

    def conjugate(self, u, y):
        return np.multiply(u, y) + self.epsilon * np.abs(u) + np.square(u) / 4.0

    def dual(self) -> DualForm:
        return DualForm(bend=0.5, eps=self.epsilon, low=-NO_LIMIT, high=NO_LIMIT)


@dataclass(frozen=True)
class Quantile:
    """q max(0, y - p) + (1 - q) max(0, p - y): its minimiser is the q-quantile."""

    quantile: float = 0.5

    def value(self, p, y):
        r = np.subtract(y, p)
        return np.maximum(self.quantile * r, (self.quantile - 1.0) * r)

    def slope(self, p, y):
        r = np.subtract(y, p)
        return np.where(r > 0, -self.quantile, np.where(r < 0, 1.0 - self.quantile, 0.0))

    def conjugate(self, u, y):
        u = np.asarray(u)
        return _within((u >= -self.quantile) & (u <= 1.0 - self.quantile), u * y)

    def dual(self) -> DualForm:
        return DualForm(low=self.quantile - 1.0, high=self.quantile)


CLASSIFICATION: dict[str, type] = {
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "log_loss": LogLoss,
    "modified_huber": ModifiedHuber,
}
REGRESSION: dict[str, type] = {
    "squared_error": SquaredError,
    "huber": Huber,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
    "quantile": Quantile,
}
ALL: dict[str, type] = CLASSIFICATION | REGRESSION
