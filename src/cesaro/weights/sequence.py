"""Weights that are any positive function of t."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from cesaro.weights.interface import Weights


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
