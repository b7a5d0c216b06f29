"""Losses phi(p, y) of a prediction p = <x, w> and a target y (for classification y is -1 or +1).

Each has three faces, elementwise over arrays:

    value(p, y)      phi(p, y), scaled as in scikit-learn
    slope(p, y)      a subgradient of phi in p
    conjugate(u, y)  phi*(u, y) = sup_p  u p - phi(p, y),  +inf where the supremum is

so that phi(p, y) >= u p - phi*(u, y) for every u, with equality at u = slope(p, y): that is what a certificate sums.

`dual()` is all that the linear models need to know of a loss: its numbers in the one form that their kernels compute with.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cesaro.dual_form import HINGE, LOGISTIC, NO_LIMIT, DualForm

Floats = NDArray[np.floating]


class Loss(ABC):
    """The interface: what every loss offers."""

    @abstractmethod
    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        """phi(p, y).

        Parameters
        ----------
        p, y : array-like
            Predictions and targets, of shapes that fit together.

        Returns
        -------
        ndarray
            One value for each pair.
        """

    @abstractmethod
    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        """A subgradient of phi in p.

        Parameters
        ----------
        p, y : array-like
            Predictions and targets, of shapes that fit together.

        Returns
        -------
        ndarray
            One subgradient for each pair; at a kink any of them.
        """

    @abstractmethod
    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        """phi*(u, y), the convex conjugate of phi in p.

        Parameters
        ----------
        u, y : array-like
            Slopes and targets, of shapes that fit together.

        Returns
        -------
        ndarray
            One value for each pair; inf outside the conjugate's domain.
        """

    @abstractmethod
    def dual(self) -> DualForm:
        """The loss in the form that the linear models' kernels compute with.

        Returns
        -------
        DualForm
            Its numbers.
        """


def _within(inside: NDArray[np.bool_], value: Floats) -> Floats:
    """The conjugate's value on its domain, +inf outside."""
    return np.where(inside, value, np.inf)


@dataclass(frozen=True)
class Hinge(Loss):
    """max(0, 1 - yp).

    Examples
    --------
    >>> Hinge().value([2.0, 0.5], [1, 1])
    array([0. , 0.5])
    """

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.maximum(0.0, 1.0 - np.multiply(y, p))

    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.where(np.multiply(y, p) < 1.0, np.negative(y), 0.0)

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        b = np.multiply(u, y)
        return _within((b >= -1.0) & (b <= 0.0), b)

    def dual(self) -> DualForm:
        return DualForm(HINGE, cap=1.0)


@dataclass(frozen=True)
class SquaredHinge(Loss):
    """max(0, 1 - yp)^2."""

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.maximum(0.0, 1.0 - np.multiply(y, p)) ** 2

    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return -2.0 * np.multiply(y, np.maximum(0.0, 1.0 - np.multiply(y, p)))

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        b = np.multiply(u, y)
        return _within(b <= 0.0, b + b**2 / 4.0)

    def dual(self) -> DualForm:
        return DualForm(bend=0.5, cap=NO_LIMIT)


@dataclass(frozen=True)
class LogLoss(Loss):
    """log(1 + exp(-yp))."""

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.logaddexp(0.0, -np.multiply(y, p))

    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.negative(y) * np.exp(-np.logaddexp(0.0, np.multiply(y, p)))

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        a = -np.multiply(u, y)
        inside = (a >= 0.0) & (a <= 1.0)
        a = np.clip(a, 0.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = np.where(a > 0, a * np.log(a), 0.0) + np.where(a < 1, (1.0 - a) * np.log1p(-a), 0.0)
        return _within(inside, entropy)

    def dual(self) -> DualForm:
        return DualForm(LOGISTIC, cap=1.0)

    def probability(self, score: ArrayLike) -> Floats:
        """The probability of the label +1, 1/(1 + exp(-score)).

        Parameters
        ----------
        score : array-like
            Of any shape.

        Returns
        -------
        ndarray
            Of that shape.
        """
        return np.exp(-np.logaddexp(0.0, np.negative(score)))


@dataclass(frozen=True)
class ModifiedHuber(Loss):
    """max(0, 1 - yp)^2 where yp >= -1, its tangent -4yp beyond: a squared hinge whose slope is capped at 4."""

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        m = np.multiply(y, p)
        return np.where(m >= -1.0, np.maximum(0.0, 1.0 - m) ** 2, -4.0 * m)

    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.negative(y) * np.clip(2.0 * (1.0 - np.multiply(y, p)), 0.0, 4.0)

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        b = np.multiply(u, y)
        return _within((b >= -4.0) & (b <= 0.0), b + b**2 / 4.0)

    def dual(self) -> DualForm:
        return DualForm(bend=0.5, cap=4.0)

    def probability(self, score: ArrayLike) -> Floats:
        """The probability of the label +1, (clip(score, -1, 1) + 1)/2.

        Parameters
        ----------
        score : array-like
            Of any shape.

        Returns
        -------
        ndarray
            Of that shape.
        """
        return (np.clip(score, -1.0, 1.0) + 1.0) / 2.0


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
        return _within(np.abs(u) <= self.epsilon, np.multiply(u, y) + np.square(u) / 2.0)

    def dual(self) -> DualForm:
        return DualForm(bend=1.0, low=-self.epsilon, high=self.epsilon)


@dataclass(frozen=True)
class EpsilonInsensitive(Loss):
    """max(0, |p - y| - epsilon).

    Parameters
    ----------
    epsilon : float
        The error that costs nothing.
    """

    epsilon: float = 0.1

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.maximum(0.0, np.abs(np.subtract(p, y)) - self.epsilon)

    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        r = np.subtract(p, y, dtype=float)
        return np.where(np.abs(r) > self.epsilon, np.sign(r), 0.0)

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        return _within(np.abs(u) <= 1.0, np.multiply(u, y) + self.epsilon * np.abs(u))

    def dual(self) -> DualForm:
        return DualForm(eps=self.epsilon, low=-1.0, high=1.0)


@dataclass(frozen=True)
class SquaredEpsilonInsensitive(Loss):
    """max(0, |p - y| - epsilon)^2.

    Parameters
    ----------
    epsilon : float
        The error that costs nothing.
    """

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
        return _within((u >= -self.quantile) & (u <= 1.0 - self.quantile), np.multiply(u, y))

    def dual(self) -> DualForm:
        return DualForm(low=self.quantile - 1.0, high=self.quantile)


CLASSIFICATION: dict[str, type[Loss]] = {
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "log_loss": LogLoss,
    "modified_huber": ModifiedHuber,
}
REGRESSION: dict[str, type[Loss]] = {
    "squared_error": SquaredError,
    "huber": Huber,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
    "quantile": Quantile,
}
ALL: dict[str, type[Loss]] = CLASSIFICATION | REGRESSION
