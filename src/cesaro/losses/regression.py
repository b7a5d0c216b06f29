"""Losses for real targets: functions of the residual."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from cesaro.docstrings import complete
from cesaro.dual_form import NO_LIMIT, DualForm
from cesaro.losses.interface import Floats, Loss, within

TUBE = """
Parameters
----------
epsilon : float
    The error that costs nothing.
"""


@dataclass(frozen=True)
class SquaredError(Loss):
    """(p - y)^2 / 2."""

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.subtract(p, y) ** 2 / 2.0

    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.subtract(p, y, dtype=float)

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        return np.multiply(u, y) + np.square(u) / 2.0

    def dual(self) -> DualForm:
        return DualForm(bend=1.0, low=-NO_LIMIT, high=NO_LIMIT)


@dataclass(frozen=True)
class Huber(Loss):
    """(p - y)^2 / 2 up to |p - y| = epsilon, linear beyond.

    Parameters
    ----------
    epsilon : float
        Where it turns linear.
    """

    epsilon: float = 0.1

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        r = np.abs(np.subtract(p, y))
        return np.where(r <= self.epsilon, r**2 / 2.0, self.epsilon * (r - self.epsilon / 2.0))

    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.clip(np.subtract(p, y, dtype=float), -self.epsilon, self.epsilon)

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        return within(np.abs(u) <= self.epsilon, np.multiply(u, y) + np.square(u) / 2.0)

    def dual(self) -> DualForm:
        return DualForm(bend=1.0, low=-self.epsilon, high=self.epsilon)

    def alpha_unit(self, spread: float) -> float:
        return max(1.0, spread / self.epsilon) if self.epsilon > 0.0 else 1.0


@complete(TUBE)
@dataclass(frozen=True)
class EpsilonInsensitive(Loss):
    """max(0, |p - y| - epsilon)."""

    epsilon: float = 0.1

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.maximum(0.0, np.abs(np.subtract(p, y)) - self.epsilon)

    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        r = np.subtract(p, y, dtype=float)
        return np.where(np.abs(r) > self.epsilon, np.sign(r), 0.0)

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        return within(np.abs(u) <= 1.0, np.multiply(u, y) + self.epsilon * np.abs(u))

    def dual(self) -> DualForm:
        return DualForm(eps=self.epsilon, low=-1.0, high=1.0)

    def alpha_unit(self, spread: float) -> float:
        return spread if spread > 0.0 else 1.0


@complete(TUBE)
@dataclass(frozen=True)
class SquaredEpsilonInsensitive(Loss):
    """max(0, |p - y| - epsilon)^2."""

    epsilon: float = 0.1

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.maximum(0.0, np.abs(np.subtract(p, y)) - self.epsilon) ** 2

    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        r = np.subtract(p, y, dtype=float)
        return 2.0 * np.sign(r) * np.maximum(0.0, np.abs(r) - self.epsilon)

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        return np.multiply(u, y) + self.epsilon * np.abs(u) + np.square(u) / 4.0

    def dual(self) -> DualForm:
        return DualForm(bend=0.5, eps=self.epsilon, low=-NO_LIMIT, high=NO_LIMIT)


@dataclass(frozen=True)
class AbsoluteError(Loss):
    """|p - y| / 2: the quantile loss of the median."""

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.abs(np.subtract(p, y)) / 2.0

    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.sign(np.subtract(p, y, dtype=float)) / 2.0

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        return within(np.abs(u) <= 0.5, np.multiply(u, y))

    def dual(self) -> DualForm:
        return DualForm(low=-0.5, high=0.5)

    def alpha_unit(self, spread: float) -> float:
        return spread if spread > 0.0 else 1.0


@dataclass(frozen=True)
class Quantile(Loss):
    """q max(0, y - p) + (1 - q) max(0, p - y): its minimiser is the q-quantile.

    Parameters
    ----------
    quantile : float
        q, strictly between 0 and 1.
    """

    quantile: float = 0.5

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        r = np.subtract(y, p)
        return np.maximum(self.quantile * r, (self.quantile - 1.0) * r)

    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        r = np.subtract(y, p)
        return np.where(r > 0, -self.quantile, np.where(r < 0, 1.0 - self.quantile, 0.0))

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        u = np.asarray(u)
        return within((u >= -self.quantile) & (u <= 1.0 - self.quantile), np.multiply(u, y))

    def dual(self) -> DualForm:
        return DualForm(low=self.quantile - 1.0, high=self.quantile)

    def alpha_unit(self, spread: float) -> float:
        return spread if spread > 0.0 else 1.0
