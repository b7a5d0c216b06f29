"""Weights a_1, a_2, ... of an average, with their sums A_t = a_1 + ... + a_t in closed form.

A weighted mean never needs the weights themselves, only how they compare:

    mean_t = mean_{t-1} + (a_t / A_t) (x_t - mean_{t-1})

so every class offers weight(t), sum(t), and the ratios relative(t) = A_t / a_t and first(t) = a_1 / a_t. The ratios stay
finite where a_t itself overflows (geometric weights), and nothing is accumulated, so nothing drifts after 1e9 steps.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache


class Weights(ABC):
    """The interface: positive weights a_t for t = 1, 2, ..."""

    @abstractmethod
    def weight(self, t: int) -> float:
        """a_t; may overflow to inf where the ratios do not."""

    @abstractmethod
    def relative(self, t: int) -> float:
        """A_t / a_t."""

    @abstractmethod
    def first(self, t: int) -> float:
        """a_1 / a_t."""

    @abstractmethod
    def sum(self, t: int) -> float:
        """A_t."""


@dataclass(frozen=True)
class Uniform(Weights):
    """a_t = 1: every point counts the same."""

    def weight(self, t):
        return 1.0

    def relative(self, t):
        return float(t)

    def first(self, t):
        return 1.0

    def sum(self, t):
        return float(t)


@dataclass(frozen=True)
class Linear(Weights):
    """a_t = t: the paper's choice, which removes the logarithm from the rate."""

    def weight(self, t):
        return float(t)

    def relative(self, t):
        return (t + 1) / 2

    def first(self, t):
        return 1 / t

    def sum(self, t):
        return t * (t + 1) / 2


@dataclass(frozen=True)
class Power(Weights):
    """a_t = scale t^p. Sums by Euler and Maclaurin's formula, exact to rounding for every real p.

    >>> Power(2).sum(3)
    14.0
    """

    p: float
    scale: float = 1.0

    def __post_init__(self):
        if not math.isfinite(self.p):
            raise ValueError(f"p must be finite: got {self.p}.")
        if not (math.isfinite(self.scale) and self.scale > 0):
            raise ValueError(f"scale must be positive and finite: got {self.scale}. Weights are positive.")

    def weight(self, t):
        return self.scale * float(t) ** self.p

    def relative(self, t):
        return _power_sum(self.p, t) / float(t) ** self.p

    def first(self, t):
        return float(t) ** -self.p

    def sum(self, t):
        return self.scale * _power_sum(self.p, t)


@dataclass(frozen=True)
class Geometric(Weights):
    """a_t = (1 - rate)^-t: in the long run a_t / A_t = rate, the exponential moving average."""

    rate: float

    def __post_init__(self):
        if not 0 < self.rate < 1:
            raise ValueError(
                f"rate must lie strictly between 0 and 1: got {self.rate}. It is the newest point's share."
            )

    def weight(self, t):
        try:
            return (1 - self.rate) ** -t
        except OverflowError:
            return math.inf

    def relative(self, t):
        return -math.expm1(t * math.log1p(-self.rate)) / self.rate

    def first(self, t):
        return (1 - self.rate) ** (t - 1)

    def sum(self, t):
        return self.relative(t) * self.weight(t)


@dataclass(frozen=True)
class Sequence(Weights):
    """a_t = function(t), any positive function. Its sums are accumulated (compensated), so call it with growing t."""

    function: Callable[[int], float]
    _sums: list = field(default_factory=lambda: [0, 0.0, 0.0], repr=False, compare=False)  # t, A_t, lost low part

    def weight(self, t):
        try:
            a = float(self.function(t))
        except TypeError:
            a = math.nan
        if not (a > 0 and math.isfinite(a)):
            raise ValueError(f"weights must be positive and finite: got {a} at t = {t}. Give a function t -> a_t > 0.")
        return a

    def relative(self, t):
        return self.sum(t) / self.weight(t)

    def first(self, t):
        return self.weight(1) / self.weight(t)

    def sum(self, t):
        if t < self._sums[0]:
            self._sums[:] = [0, 0.0, 0.0]
        done, total, low = self._sums
        for k in range(done + 1, t + 1):
            a = self.weight(k)
            new = total + a
            low += (total - new) + a if total >= a else (a - new) + total
            total = new
        self._sums[:] = [t, total, low]
        return total + low


def make_weights(weights: "Weights | Callable[[int], float]") -> Weights:
    """Weights as they are; a function t -> a_t as a Sequence."""
    if isinstance(weights, Weights):
        return weights
    if callable(weights) and not isinstance(weights, type):
        return Sequence(weights)
    raise TypeError(
        f"weights must come from cesaro.weights or be a function t -> float: got {weights!r}. "
        "For a_t = t write cesaro.weights.Linear()."
    )


_HEAD = 24  # terms summed one by one before the asymptotic formula takes over


def _power_sum(p: float, t: int) -> float:
    """1^p + ... + t^p: a few terms, then Euler-Maclaurin from there to t."""
    if t <= _HEAD:
        return _head(p, t)
    return math.fsum((_head(p, _HEAD), _integral(p, _HEAD, t), *_ends(p, t), *(-end for end in _ends(p, _HEAD))))


@lru_cache(maxsize=1024)
def _head(p: float, t: int) -> float:
    return math.fsum(float(k) ** p for k in range(1, t + 1))


def _integral(p: float, low: float, high: float) -> float:
    """Integral of x^p from low to high, without cancellation near p = -1."""
    q = p + 1
    if abs(q) > 0.5:
        return (high**q - low**q) / q
    length = math.log(high / low)
    return low**q * (math.expm1(q * length) / q if q else length)


def _ends(p: float, t: int) -> tuple[float, ...]:
    """Euler-Maclaurin's end terms at t: half the last term, and four odd derivatives."""
    x = float(t)
    d1 = p * x ** (p - 1)
    d3 = (p - 1) * (p - 2) * d1 / x**2
    d5 = (p - 3) * (p - 4) * d3 / x**2
    d7 = (p - 5) * (p - 6) * d5 / x**2
    return x**p / 2, d1 / 12, -d3 / 720, d5 / 30240, -d7 / 1209600
