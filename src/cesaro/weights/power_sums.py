"""Sums 1^p + ... + t^p for every real p: a few terms one by one, then Euler and Maclaurin's formula."""

import math
from functools import lru_cache


def power(x: float, p: float) -> float:
    """x^p, inf where it overflows."""
    try:
        return float(x) ** p
    except OverflowError:
        return math.inf


def power_sum(p: float, t: int, unit: float = 1.0) -> float:
    """(1^p + ... + t^p) / unit^p: a few terms, then Euler and Maclaurin's formula from there to t."""
    few = head(p)
    if t <= few:
        return _sum(p, t, unit)
    ends = *_ends(p, t, unit), *(-end for end in _ends(p, few, unit))
    total = (power(few / unit, p) * _sum(p, few, few), _integral(p, few, t, unit), *ends)
    return math.fsum(total) if all(map(math.isfinite, total)) else math.inf


def head(p: float) -> int:
    """How many terms are summed one by one before the formula, an expansion in p/t, is exact to rounding."""
    return 24 + math.ceil(4 * max(0.0, abs(p) - 5))


@lru_cache(maxsize=1024)
def _sum(p: float, t: int, unit: float) -> float:
    terms = [power(k / unit, p) for k in range(1, t + 1)]
    return math.fsum(terms) if max(terms) < math.inf else math.inf


def _integral(p: float, low: float, high: float, unit: float) -> float:
    """Integral of (x/unit)^p from low to high, without cancellation near p = -1."""
    q = p + 1
    if abs(q) > 0.5:
        return unit * (power(high / unit, q) - power(low / unit, q)) / q
    length = math.log(high / low)
    return low * power(low / unit, p) * (math.expm1(q * length) / q if q else length)


def _ends(p: float, t: int, unit: float) -> tuple[float, ...]:
    """Euler-Maclaurin's end terms at t: half the last term, and four odd derivatives."""
    x, last = float(t), power(t / unit, p)
    d1 = p * last / x
    d3 = (p - 1) * (p - 2) * d1 / x**2
    d5 = (p - 3) * (p - 4) * d3 / x**2
    d7 = (p - 5) * (p - 6) * d5 / x**2
    return last / 2, d1 / 12, -d3 / 720, d5 / 30240, -d7 / 1209600
