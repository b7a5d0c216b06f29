"""One linear inequality."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from cesaro.domains.interface import Domain
from cesaro.domains.validation import is_numeric


@dataclass(frozen=True)
class Halfspace(Domain):
    """<normal, w> <= offset.

    Parameters
    ----------
    normal : array of shape (d,)
        Finite and not zero.
    offset : float
        How far the boundary is from 0, in units of |normal|.
    """

    normal: Any
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not is_numeric(self.normal) or not np.any(self.normal) or not np.all(np.isfinite(self.normal)):
            raise ValueError(f"normal must be finite and not zero: got {self.normal}.")
        if not isinstance(self.offset, Real) or not math.isfinite(self.offset):
            raise ValueError(f"offset must be a finite number: got {self.offset!r}.")

    def project(self, x: np.ndarray) -> np.ndarray:
        normal = np.asarray(self.normal, dtype=float)
        excess = normal @ x - self.offset
        return x if excess <= 0 else x - (excess / (normal @ normal)) * normal

    def lowest(self, s: np.ndarray) -> float:
        return -math.inf if np.any(s) else 0.0

    def reach(self, x: np.ndarray) -> float:
        return math.inf
