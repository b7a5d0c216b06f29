"""No constraint at all."""

import math
from dataclasses import dataclass

import numpy as np

from cesaro.domains.interface import Domain


@dataclass(frozen=True)
class Everywhere(Domain):
    """All of R^d: projecting is returning the argument itself, not a copy."""

    def project(self, x: np.ndarray) -> np.ndarray:
        return x

    def lowest(self, s: np.ndarray) -> float:
        return 0.0 if not np.any(s) else -math.inf

    def reach(self, x: np.ndarray) -> float:
        return math.inf
