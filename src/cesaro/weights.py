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
from typing import NamedTuple


class Weights(ABC):
    """The interface: positive weights a_t for t = 1, 2, ..."""

    @abstractmethod
    def weight(self, t: int) -> float:
        """a_t; may overflow to inf where the ratios do not.

        Parameters
        ----------
        t : int
            The step, from 1.

        Returns
        -------
        float
            The weight.
        """

    @abstractmethod
    def relative(self, t: int) -> float:
        """A_t / a_t.

        Parameters
        ----------
        t : int
            The step, from 1.

        Returns
        -------
        float
            The ratio, finite where a_t overflows.
        """

    @abstractmethod
    def first(self, t: int) -> float:
        """a_1 / a_t.

        Parameters
        ----------
        t : int
            The step, from 1.

        Returns
        -------
        float
            The ratio, finite where a_t overflows.
        """

    @abstractmethod
    def sum(self, t: int) -> float:
        """A_t.

        Parameters
        ----------
        t : int
            The step, from 1.

        Returns
        -------
        float
            The sum of the first t weights.
        """

    def log(self, t: int) -> float:
        """log a_t.

        Parameters
        ----------
        t : int
            The step, from 1.

        Returns
        -------
        float
            The logarithm, finite where a_t overflows.
        """
        return math.log(self.weight(t))

    def over(self, other: "Weights", t: int) -> float:
        """a_t / b_t, also where both overflow.

        Parameters
        ----------
        other : Weights
            The weights b.
        t : int
            The step, from 1.

        Returns
        -------
        float
            The ratio.
        """
        a, b = self.weight(t), other.weight(t)
        return a / b if 0.0 < b < math.inf and a < math.inf else _power(math.e, self.log(t) - other.log(t))


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
        return self.scale * _power(t, self.p)

    def relative(self, t: int) -> float:
        return _power_sum(self.p, t, unit=t)

    def first(self, t: int) -> float:
        return _power(t, -self.p)

    def sum(self, t: int) -> float:
        return self.scale * _power_sum(self.p, t)

    def log(self, t: int) -> float:
        return math.log(self.scale) + self.p * math.log(t)


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
        return _power(1 - self.rate, -t)

    def relative(self, t: int) -> float:
        return -math.expm1(t * math.log1p(-self.rate)) / self.rate

    def first(self, t: int) -> float:
        return (1 - self.rate) ** (t - 1)

    def sum(self, t: int) -> float:
        return self.relative(t) * self.weight(t)

    def log(self, t: int) -> float:
        return -t * math.log1p(-self.rate)


class _Sum(NamedTuple):
    """A_t in two parts."""

    t: int
    high: float
    low: float

    def plus(self, a: float) -> "_Sum":
        high = self.high + a
        return _Sum(self.t + 1, high, self.low + ((self.high - high) + a if self.high >= a else (a - high) + self.high))


_NOTHING = _Sum(0, 0.0, 0.0)


@dataclass(frozen=True)
class Sequence(Weights):
    """a_t = function(t), any positive function. Its sums are accumulated (compensated), so call it with growing t.

    Parameters
    ----------
    function : callable
        t -> a_t, positive and finite.
    """

    function: Callable[[int], float]
    _sums: list[_Sum] = field(
        default_factory=lambda: [_NOTHING, _NOTHING], init=False, repr=False, compare=False
    )  # the last two

    def weight(self, t: int) -> float:
        try:
            a = float(self.function(t))
        except TypeError:
            a = math.nan
        if not (a > 0 and math.isfinite(a)):
            raise ValueError(f"weights must be positive and finite: got {a} at t = {t}. Give a function t -> a_t > 0.")
        return a

    def relative(self, t: int) -> float:
        return self.sum(t) / self.weight(t)

    def first(self, t: int) -> float:
        return self.weight(1) / self.weight(t)

    def sum(self, t: int) -> float:
        before, now = self._sums
        if now.t > t:
            before, now = (before, before) if before.t <= t else (_NOTHING, _NOTHING)
        while now.t < t:
            before, now = now, now.plus(self.weight(now.t + 1))
        self._sums[:] = before, now
        return now.high + now.low


def make_weights(weights: "Weights | Callable[[int], float]") -> Weights:
    """Weights as they are; a function t -> a_t as a Sequence.

    Parameters
    ----------
    weights : Weights or callable
        What the user gave.

    Returns
    -------
    Weights
        Something that knows its sums.

    Raises
    ------
    TypeError
        If it is neither.
    """
    if isinstance(weights, Weights):
        return weights
    if callable(weights) and not isinstance(weights, type):
        return Sequence(weights)
    raise TypeError(
        f"weights must come from cesaro.weights or be a function t -> float: got {weights!r}. "
        "For a_t = t write cesaro.weights.Linear()."
    )


def _power(x: float, p: float) -> float:
    """x^p, inf where it overflows."""
    try:
        return float(x) ** p
    except OverflowError:
        return math.inf


def _power_sum(p: float, t: int, unit: float = 1.0) -> float:
    """(1^p + ... + t^p) / unit^p: a few terms, then Euler and Maclaurin's formula from there to t."""
    few = head(p)
    if t <= few:
        return _sum(p, t, unit)
    ends = *_ends(p, t, unit), *(-end for end in _ends(p, few, unit))
    total = (_power(few / unit, p) * _sum(p, few, few), _integral(p, few, t, unit), *ends)
    return math.fsum(total) if all(map(math.isfinite, total)) else math.inf


def head(p: float) -> int:
    """How many terms are summed one by one before the formula, an expansion in p/t, is exact to rounding.

    Parameters
    ----------
    p : float
        The exponent.

    Returns
    -------
    int
        The number of terms.
    """
    return 24 + math.ceil(4 * max(0.0, abs(p) - 5))


@lru_cache(maxsize=1024)
def _sum(p: float, t: int, unit: float) -> float:
    terms = [_power(k / unit, p) for k in range(1, t + 1)]
    return math.fsum(terms) if max(terms) < math.inf else math.inf


def _integral(p: float, low: float, high: float, unit: float) -> float:
    """Integral of (x/unit)^p from low to high, without cancellation near p = -1."""
    q = p + 1
    if abs(q) > 0.5:
        return unit * (_power(high / unit, q) - _power(low / unit, q)) / q
    length = math.log(high / low)
    return low * _power(low / unit, p) * (math.expm1(q * length) / q if q else length)


def _ends(p: float, t: int, unit: float) -> tuple[float, ...]:
    """Euler-Maclaurin's end terms at t: half the last term, and four odd derivatives."""
    x, last = float(t), _power(t / unit, p)
    d1 = p * last / x
    d3 = (p - 1) * (p - 2) * d1 / x**2
    d5 = (p - 3) * (p - 4) * d3 / x**2
    d7 = (p - 5) * (p - 6) * d5 / x**2
    return last / 2, d1 / 12, -d3 / 720, d5 / 30240, -d7 / 1209600
