"""Every loss of the linear models, inside kernels: five scalar functions of its dual form (`cesaro.dual_form`).

    phi(p, y) = max_b  b (y - p) - bend b^2 / 2 - eps |b|      over   low + cap min(y, 0) <= b <= high + cap max(y, 0)

b = -phi'(p) is the row's dual value. The logistic loss is the one that has no such form; the hinge, which most people
use, is written out wherever that makes it faster. A new loss is a class with a `dual` in `cesaro.losses`, nothing here.
"""

import math
from typing import Any

from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL
from cesaro.dual_form import HINGE, LOGISTIC, NO_LIMIT, DualForm
from cesaro.losses import ALL

TINY = 1e-300  # a row of norm zero has no curvature: its dual value is at a bound, whichever way 1/TINY points
FAR = 1e250  # a kink beyond that is none


def dual_form(loss: Any) -> DualForm:
    """The loss as the kernels take it."""
    if not callable(getattr(loss, "dual", None)):
        known = ", ".join(kind.__name__ for kind in ALL.values())
        raise ValueError(
            f"the linear kernels know a loss by its dual form, which {loss!r} has not: give one of {known}, a class with "
            "a method dual(), or use cesaro.minimize for a loss of your own."
        )
    return loss.dual()


@register_jitable(**KERNEL)
def beyond(r, eps):
    """r less eps towards zero: soft thresholding."""
    return max(0.0, r - eps) - max(0.0, -r - eps)


@register_jitable(**KERNEL)
def lowest(loss, y):
    """The least dual value of a row with target y."""
    return loss.low + loss.cap * min(y, 0.0)


@register_jitable(**KERNEL)
def highest(loss, y):
    """The largest."""
    return loss.high + loss.cap * max(y, 0.0)


@register_jitable(**KERNEL)
def value(loss, p, y):
    """phi(p, y)."""
    if loss.kind == HINGE:
        return max(0.0, 1.0 - y * p)
    return _value(loss, p, y)


@register_jitable(**KERNEL)
def _value(loss, p, y):
    """The other losses: apart, so that the hinge is inlined."""
    return value_and_slope(loss, p, y)[0]


@register_jitable(**KERNEL)
def value_and_slope(loss, p, y):
    """phi(p, y) and a subgradient in p, together: they share a division, or an exponential. Not for the hinge."""
    if loss.kind == LOGISTIC:
        m = y * p
        e = math.exp(-abs(m))
        return math.log1p(e) + max(0.0, -m), -y * ((e if m > 0.0 else 1.0) / (1.0 + e))
    r = y - p if loss.eps == 0.0 else beyond(y - p, loss.eps)
    b = min(highest(loss, y), max(lowest(loss, y), r / max(loss.bend, TINY)))
    return b * (r - loss.bend / 2.0 * b), -b


@register_jitable(**KERNEL)
def _maximiser(loss, r, H, y):
    """The b that maximises  b r - (bend + H) b^2 / 2 - eps |b|  within the bounds."""
    r = r if loss.eps == 0.0 else beyond(r, loss.eps)
    return min(highest(loss, y), max(lowest(loss, y), r / max(loss.bend + H, TINY)))


@register_jitable(**KERNEL)
def slope(loss, p, y):
    """A subgradient of phi in p: the same one as in `cesaro.losses` at the kinks."""
    if loss.kind == HINGE:
        return -y if y * p < 1.0 else 0.0
    return value_and_slope(loss, p, y)[1]


@register_jitable(**KERNEL)
def conjugate(loss, u, y):
    """phi*(u, y) = sup_p u p - phi(p, y), infinite outside its domain."""
    b = -u
    if b < lowest(loss, y) or b > highest(loss, y):
        return math.inf
    if loss.kind == LOGISTIC:
        a = y * b
        rest = (1.0 - a) * math.log1p(-a) if a < 1.0 else 0.0
        return (a * math.log(a) if a > 0.0 else 0.0) + rest
    return loss.bend / 2.0 * b * b + loss.eps * abs(b) - b * y


@register_jitable(**KERNEL)
def conjugate_size(loss, b, y):
    """|phi*(-b, y)| and an eighth of the sizes of its terms, which may cancel: what rounding in sums of it is measured by."""
    size = abs(conjugate(loss, -b, y))
    if loss.kind == LOGISTIC:
        return 1.125 * size  # two terms of one sign
    return size + (loss.bend / 2.0 * b * b + (loss.eps + abs(y)) * abs(b)) / 8.0


@register_jitable(**KERNEL)
def dual_update(loss, y, z, H, b):
    """The best dual value of one row given all the others: the maximiser of the dual in this coordinate.

    With the others fixed the row predicts z + H b when its dual value is b; best is the b that agrees with itself,

        b = argmin  phi*(-b) + z b + H b^2 / 2        <=>        b = -phi'(z + H b) .

    The present value b is where the search for the logistic loss begins.
    """
    if loss.kind == HINGE:
        return y * min(1.0, max(0.0, (1.0 - y * z) / max(H, TINY)))
    return _dual_update(loss, y, z, H, b)


@register_jitable(**KERNEL)
def _dual_update(loss, y, z, H, b):
    if loss.kind == LOGISTIC:
        return y * _logistic(y * z, H, y * b)
    return _maximiser(loss, y - z, H, y)


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
        if abs(step) <= 1e-5:
            return a + a * (1.0 - a) * step
        if not (low <= t + step <= high and abs(step) <= 0.5 * last):
            step = 0.5 * (low + high) - t
        t, last = t + step, abs(step)
    return a


@register_jitable(**KERNEL)
def fenchel_young(loss, p, y, b, new, H):
    """phi(p, y) + phi*(-b, y) + b p, not negative and 0 where b = -phi'(p): the row's part of the duality gap.

    For the logistic loss, whose logarithms cost more than the step, to second order in new - b, the step to the best
    dual value `new` (`dual_update`), which moves the prediction by H (new - b).
    """
    if loss.kind == HINGE:
        short = 1.0 - y * p
        return max(0.0, short) - y * b * short
    return _fenchel_young(loss, p, y, b, new, H)


@register_jitable(**KERNEL)
def _fenchel_young(loss, p, y, b, new, H):
    if loss.kind == LOGISTIC:
        step, curve = abs(new - b), y * new * (1.0 - y * new)
        far = (1.0 + H * curve) * step
        return 0.5 * far * far / max(curve, 0.25 * step, TINY)
    return value_and_slope(loss, p, y)[0] + loss.bend / 2.0 * b * b + loss.eps * abs(b) - b * (y - p)


@register_jitable(**KERNEL)
def distance_to_kink(loss, p, y):
    """How far the prediction p is from the nearest place where phi' changes, seen from a flat piece of phi'.

    phi' is flat where b rests at a bound, and at b = 0 between the two sides of eps.
    """
    if loss.kind == HINGE:
        return abs(1.0 - y * p)
    return _distance(loss, p, y)


@register_jitable(**KERNEL)
def _distance(loss, p, y):
    """b(r), r = y - p, bends at +-eps, unless it passes through 0 there, and where it reaches its bounds."""
    if loss.kind == LOGISTIC:
        return 0.0
    r, eps, bottom, top, near = y - p, loss.eps, lowest(loss, y), highest(loss, y), NO_LIMIT
    if loss.bend == 0.0 or eps > 0.0 or bottom == 0.0 or top == 0.0:
        near = abs(abs(r) - eps)
    if loss.bend > 0.0:
        near = min(near, abs(r - loss.bend * top - eps), abs(r - loss.bend * bottom + eps))
    return near if near < FAR else 0.0
