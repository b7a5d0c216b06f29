"""The dual form of a loss: the few numbers that are all the linear models' kernels need to know of it.

    phi(p, y) = max_b  b (y - p) - bend b^2 / 2 - eps |b|      over   low + cap min(y, 0) <= b <= high + cap max(y, 0)

b = -phi'(p) is a row's dual value. Every loss here but the logistic one has this form.
"""

import math
from typing import Any, NamedTuple

import numpy as np

HINGE, PIECEWISE, LOGISTIC = 0, 1, 2  # the kinds that kernels tell apart
NO_LIMIT = 1e300  # stands for infinity: times zero it is zero
SINGLE_LIMIT = 1e30  # and does so in single precision


class DualForm(NamedTuple):
    """low <= 0 <= high; `cap` is for labels -1, +1. The logistic loss has bounds only; the hinge is cap = 1."""

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

    @property
    def largest_slope(self) -> float:
        """|slope| at most; infinite where there is no bound."""
        most = max(abs(self.low), abs(self.high)) + self.cap
        return most if most < NO_LIMIT else math.inf

    def in_single_precision(self) -> "DualForm":
        """With limits that float32 has."""
        low, high, cap = (min(max(x, -SINGLE_LIMIT), SINGLE_LIMIT) for x in (self.low, self.high, self.cap))
        return self._replace(low=low, high=high, cap=cap)

    def bounds(self, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest dual value of rows with targets y."""
        return self.low + self.cap * np.minimum(y, 0.0), self.high + self.cap * np.maximum(y, 0.0)
