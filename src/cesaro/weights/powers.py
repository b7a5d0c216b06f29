"""Weights that grow or fall like a power of t; uniform and linear ones have the simplest formulas."""

import math
from dataclasses import dataclass

from cesaro.weights.interface import Weights
from cesaro.weights.power_sums import power, power_sum


@dataclass(frozen=True)
class Uniform(Weights):
    """a_t = 1: every point counts the same."""

    def weight(self, t: int) -> float:
        return 1.0

    def relative(self, t: int) -> float:
        return float(t)

    def first(self, t: int) -> float:
        return 1.0

    def sum(self, t: int) -> float:
        return float(t)


@dataclass(frozen=True)
class Linear(Weights):
    """a_t = t: the paper's choice, which removes the logarithm from the rate."""

    def weight(self, t: int) -> float:
        return float(t)

    def relative(self, t: int) -> float:
        return (t + 1) / 2

    def first(self, t: int) -> float:
        return 1 / t

    def sum(self, t: int) -> float:
        return t * (t + 1) / 2


@dataclass(frozen=True)
class Power(Weights):
    """a_t = scale t^p. Sums by Euler and Maclaurin's formula, exact to rounding for every real p.

    Parameters
    ----------
    p : float
        The exponent.
    scale : float
        Positive: a_1.

    Examples
    --------
    >>> Power(2).sum(3)
    14.0
    """

    p: float
    scale: float = 1.0

    def __post_init__(self) -> None:
        if not math.isfinite(self.p):
            raise ValueError(f"p must be finite: got {self.p}.")
        if not (math.isfinite(self.scale) and self.scale > 0):
            raise ValueError(f"scale must be positive and finite: got {self.scale}. Weights are positive.")

    def weight(self, t: int) -> float:
        return self.scale * power(t, self.p)

    def relative(self, t: int) -> float:
        return power_sum(self.p, t, unit=t)

    def first(self, t: int) -> float:
        return power(t, -self.p)

    def sum(self, t: int) -> float:
        return self.scale * power_sum(self.p, t)

    def log(self, t: int) -> float:
        return math.log(self.scale) + self.p * math.log(t)
