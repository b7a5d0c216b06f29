"""Bounds on each coordinate, on both sides or from below."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cesaro.domains.interface import Domain
from cesaro.domains.validation import is_numeric


@dataclass(frozen=True)
class Box(Domain):
    """low <= w <= high, coordinate by coordinate.

    Parameters
    ----------
    low, high : float or array of shape (d,)
        The bounds; they may be infinite. One number stands for all coordinates.

    Examples
    --------
    >>> Box(0.0, 1.0).project(np.array([-2.0, 0.5]))
    array([0. , 0.5])
    """

    low: Any = -1.0
    high: Any = 1.0

    def __post_init__(self) -> None:
        if not (is_numeric(self.low) and is_numeric(self.high)):
            raise ValueError(f"low and high must be numbers: got low = {self.low!r}, high = {self.high!r}.")
        if not np.all(np.less_equal(self.low, self.high)):
            raise ValueError(f"a box needs low <= high everywhere: got low = {self.low}, high = {self.high}.")

    def project(self, x: np.ndarray) -> np.ndarray:
        return np.clip(x, self.low, self.high)

    def lowest(self, s: np.ndarray) -> float:
        with np.errstate(invalid="ignore"):
            return float(np.sum(np.where(s == 0, 0.0, s * np.where(s > 0, self.low, self.high))))

    def reach(self, x: np.ndarray) -> float:
        return float(np.linalg.norm(np.maximum(np.abs(x - self.low), np.abs(self.high - x))))


@dataclass(frozen=True)
class Nonnegative(Domain):
    """w >= 0."""

    def project(self, x: np.ndarray) -> np.ndarray:
        return np.maximum(x, 0.0)

    def lowest(self, s: np.ndarray) -> float:
        return 0.0 if np.all(s >= 0) else -math.inf

    def reach(self, x: np.ndarray) -> float:
        return math.inf
