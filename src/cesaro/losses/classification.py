"""Losses for labels -1 and +1: functions of the margin yp."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from cesaro.dual_form import HINGE, LOGISTIC, NO_LIMIT, DualForm
from cesaro.losses.interface import Floats, Loss, ProbabilityLink, within


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
        return within((b >= -1.0) & (b <= 0.0), b)

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
        return within(b <= 0.0, b + b**2 / 4.0)

    def dual(self) -> DualForm:
        return DualForm(bend=0.5, cap=NO_LIMIT)


@dataclass(frozen=True)
class LogLoss(Loss, ProbabilityLink):
    """log(1 + exp(-yp)), whose probability of the label +1 is 1/(1 + exp(-score))."""

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
        return within(inside, entropy)

    def dual(self) -> DualForm:
        return DualForm(LOGISTIC, cap=1.0)

    def probability(self, score: ArrayLike) -> Floats:
        return np.exp(-np.logaddexp(0.0, np.negative(score)))


@dataclass(frozen=True)
class ModifiedHuber(Loss, ProbabilityLink):
    """max(0, 1 - yp)^2 where yp >= -1, its tangent -4yp beyond: a squared hinge whose slope is capped at 4.

    Its probability of the label +1 is (clip(score, -1, 1) + 1)/2.
    """

    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        m = np.multiply(y, p)
        return np.where(m >= -1.0, np.maximum(0.0, 1.0 - m) ** 2, -4.0 * m)

    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        return np.negative(y) * np.clip(2.0 * (1.0 - np.multiply(y, p)), 0.0, 4.0)

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        b = np.multiply(u, y)
        return within((b >= -4.0) & (b <= 0.0), b + b**2 / 4.0)

    def dual(self) -> DualForm:
        return DualForm(bend=0.5, cap=4.0)

    def probability(self, score: ArrayLike) -> Floats:
        return (np.clip(score, -1.0, 1.0) + 1.0) / 2.0
