"""The Euclidean ball."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains.interface import Domain
from cesaro.domains.validation import positive


@dataclass(frozen=True)
class NormBall(Domain):
    """The points within `radius` of a center, in some norm.

    Parameters
    ----------
    radius : float
        Positive and finite.
    """

    radius: float = 1.0

    def __post_init__(self) -> None:
        positive("radius", self.radius)


@complete(NormBall)
@dataclass(frozen=True)
class Ball(NormBall):
    """|w - center|_2 <= radius.

    Parameters
    ----------
    center : float or array of shape (d,)
        One number stands for all coordinates.

    Examples
    --------
    >>> Ball(1.0).project(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    center: Any = 0.0

    def project(self, x: np.ndarray) -> np.ndarray:
        offset = x - self.center
        norm = np.linalg.norm(offset)
        return x if norm <= self.radius else self.center + offset * (self.radius / norm)

    def lowest(self, s: np.ndarray) -> float:
        return float(np.sum(s * self.center) - self.radius * np.linalg.norm(s))

    def reach(self, x: np.ndarray) -> float:
        return float(np.linalg.norm(x - self.center)) + self.radius
