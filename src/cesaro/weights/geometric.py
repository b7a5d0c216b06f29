"""Geometric weights: the exponential moving average."""

import math
from dataclasses import dataclass

from cesaro.weights.interface import Weights
from cesaro.weights.power_sums import power


@dataclass(frozen=True)
class Geometric(Weights):
    """a_t = (1 - rate)^-t: in the long run a_t / A_t = rate, the exponential moving average.

    Parameters
    ----------
    rate : float
        The newest point's share, strictly between 0 and 1.
    """

    rate: float

    def __post_init__(self) -> None:
        if not 0 < self.rate < 1:
            raise ValueError(
                f"rate must lie strictly between 0 and 1: got {self.rate}. It is the newest point's share."
            )

    def weight(self, t: int) -> float:
        return power(1 - self.rate, -t)

    def relative(self, t: int) -> float:
        return -math.expm1(t * math.log1p(-self.rate)) / self.rate

    def first(self, t: int) -> float:
        return (1 - self.rate) ** (t - 1)

    def sum(self, t: int) -> float:
        return self.relative(t) * self.weight(t)

    def log(self, t: int) -> float:
        return -t * math.log1p(-self.rate)
