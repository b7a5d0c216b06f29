"""The simplex and the L1 ball, which share one projection."""

import math
from dataclasses import dataclass

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains.ball import NormBall
from cesaro.domains.interface import Domain
from cesaro.domains.validation import positive


@dataclass(frozen=True)
class Simplex(Domain):
    """w >= 0 and sum(w) = total. Projection by sorting (Held, Wolfe, Crowder 1974).

    Parameters
    ----------
    total : float
        Positive and finite.
    """

    total: float = 1.0

    def __post_init__(self) -> None:
        positive("total", self.total)

    def project(self, x: np.ndarray) -> np.ndarray:
        return _onto_simplex(x, self.total)

    def lowest(self, s: np.ndarray) -> float:
        return self.total * float(np.min(s))

    def reach(self, x: np.ndarray) -> float:
        return math.sqrt(max(0.0, float(x @ x - 2 * self.total * np.min(x) + self.total**2)))


@complete(NormBall)
@dataclass(frozen=True)
class L1Ball(NormBall):
    """|w|_1 <= radius: the simplex of the absolute values, with the signs put back (Duchi et al. 2008)."""

    def project(self, x: np.ndarray) -> np.ndarray:
        size = np.abs(x)
        if size.sum() <= self.radius:
            return x
        return np.sign(x) * _onto_simplex(size, self.radius)

    def lowest(self, s: np.ndarray) -> float:
        return -self.radius * float(np.max(np.abs(s)))

    def reach(self, x: np.ndarray) -> float:
        return math.sqrt(float(x @ x + 2 * self.radius * np.max(np.abs(x)) + self.radius**2))


def _onto_simplex(x: np.ndarray, total: float) -> np.ndarray:
    """max(x - tau, 0) with the tau that makes it sum to total; measured from max(x), so that large x lose no digits."""
    below = x - np.max(x)
    descending = np.sort(below)[::-1]
    taus = (np.cumsum(descending) - total) / np.arange(1, len(x) + 1)
    return np.maximum(below - taus[np.count_nonzero(descending > taus) - 1], 0.0)
