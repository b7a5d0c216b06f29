"""The implicit step: the best dual value of one row given all the others, for every loss.

With the others fixed, row i predicts p = z + H b when its dual value is b = -phi'(p): z is the prediction without the
row and H >= 0 the row's own pull. Best is the b that agrees with itself: the dual's maximiser in this coordinate,

    b = argmin  phi*(-b) + z b + H b^2 / 2        <=>        b = -phi'(z + H b)
"""

import math

from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL
from cesaro.linear.problem.scalar_losses import (
    EPSILON_INSENSITIVE,
    HINGE,
    HUBER,
    LOG_LOSS,
    MODIFIED_HUBER,
    QUANTILE,
    SQUARED_ERROR,
    SQUARED_HINGE,
)

TINY = 1e-300  # a row of norm zero has H = 0: its value is at a bound of the box, whichever way 1/TINY points


@register_jitable(**KERNEL)
def best(code, param, y, z, H, b):
    """The best dual value of a row with target y; b is its present one, where the search for log_loss begins."""
    if code == HINGE:
        return y * min(1.0, max(0.0, (1.0 - y * z) / max(H, TINY)))
    return _best(code, param, y, z, H, b)


@register_jitable(**KERNEL)
def _best(code, param, y, z, H, b):
    """The other losses: apart, so that the hinge's step is inlined."""
    if code == LOG_LOSS:
        return y * _logistic(y * z, H, y * b)
    if code == SQUARED_HINGE:
        return y * max(0.0, (1.0 - y * z) / (H + 0.5))
    if code == MODIFIED_HUBER:
        return y * min(4.0, max(0.0, (1.0 - y * z) / (H + 0.5)))
    r = y - z
    if code == SQUARED_ERROR:
        return r / (1.0 + H)
    if code == HUBER:
        return max(-param, min(param, r / (1.0 + H)))
    if code == QUANTILE:
        return max(param - 1.0, min(param, r / max(H, TINY)))
    beyond = max(0.0, r - param) - max(0.0, -r - param)
    if code == EPSILON_INSENSITIVE:
        return max(-1.0, min(1.0, beyond / max(H, TINY)))
    return beyond / (H + 0.5)


@register_jitable(**KERNEL)
def distance(code, param, p, y):
    """How far the prediction p is from the nearest place where phi' changes, seen from a flat piece of phi'."""
    if code in (HINGE, SQUARED_HINGE):
        return abs(1.0 - y * p)
    if code in (LOG_LOSS, SQUARED_ERROR):
        return 0.0
    if code == MODIFIED_HUBER:
        return min(abs(1.0 - y * p), abs(1.0 + y * p))
    if code == QUANTILE:
        return abs(p - y)
    return abs(abs(p - y) - param)


@register_jitable(**KERNEL)
def _logistic(m, H, a):
    """The root a in (0, 1) of  log(a / (1 - a)) + m + H a:  Newton in t = log(a / (1 - a)), kept inside its bracket.

    t + m + H a(t) increases in t with slope 1 + H a (1 - a), so the root lies in [-m - H, -m].
    """
    low, high, last = -m - H, -m, math.inf
    t = -m - H * a
    for _ in range(100):
        a = 1.0 / (1.0 + math.exp(-t)) if t > -700.0 else 0.0
        excess = t + m + H * a
        if excess > 0.0:
            high = t
        else:
            low = t
        step = -excess / (1.0 + H * a * (1.0 - a))
        if abs(step) <= 1e-4:
            return a + a * (1.0 - a) * step
        if not (low <= t + step <= high and abs(step) <= 0.5 * last):
            step = 0.5 * (low + high) - t
        t, last = t + step, abs(step)
    return a
