"""The losses of `cesaro.losses` as numbers: inside a kernel a loss is an integer code and one parameter.

    value(code, param, p, y), slope(code, param, p, y), conjugate(code, param, u, y)

are the scalar twins of the methods of the same name; `param` is the loss's epsilon or quantile, else 0.
"""

import math
from dataclasses import astuple

from numba.extending import register_jitable

from cesaro import losses
from cesaro.compiled.flags import KERNEL

HINGE, SQUARED_HINGE, LOG_LOSS, MODIFIED_HUBER = 0, 1, 2, 3
SQUARED_ERROR, HUBER, EPSILON_INSENSITIVE, SQUARED_EPSILON_INSENSITIVE, QUANTILE = 4, 5, 6, 7, 8

CODES: dict[type, int] = {
    losses.Hinge: HINGE,
    losses.SquaredHinge: SQUARED_HINGE,
    losses.LogLoss: LOG_LOSS,
    losses.ModifiedHuber: MODIFIED_HUBER,
    losses.SquaredError: SQUARED_ERROR,
    losses.Huber: HUBER,
    losses.EpsilonInsensitive: EPSILON_INSENSITIVE,
    losses.SquaredEpsilonInsensitive: SQUARED_EPSILON_INSENSITIVE,
    losses.Quantile: QUANTILE,
}


def code_of(loss) -> tuple[int, float]:
    """The code of a loss and its parameter."""
    if type(loss) not in CODES:
        names = ", ".join(kind.__name__ for kind in CODES)
        raise ValueError(f"the linear kernels know the losses {names}; got {loss!r}. Use cesaro.minimize for your own.")
    settings = astuple(loss)
    return CODES[type(loss)], float(settings[0]) if settings else 0.0


@register_jitable(**KERNEL)
def value(code, param, p, y):
    """phi(p, y)."""
    if code == HINGE:
        return max(0.0, 1.0 - y * p)
    return _value(code, param, p, y)


@register_jitable(**KERNEL)
def _value(code, param, p, y):
    """The other losses: apart, so that the hinge is inlined."""
    if code <= MODIFIED_HUBER:
        m = y * p
        if code == LOG_LOSS:
            return math.log1p(math.exp(-abs(m))) + max(0.0, -m)
        if code == MODIFIED_HUBER and m < -1.0:
            return -4.0 * m
        short = max(0.0, 1.0 - m)
        return short * short
    r = abs(p - y)
    if code == SQUARED_ERROR:
        return r * r / 2.0
    if code == HUBER:
        return r * r / 2.0 if r <= param else param * (r - param / 2.0)
    if code == EPSILON_INSENSITIVE:
        return max(0.0, r - param)
    if code == SQUARED_EPSILON_INSENSITIVE:
        beyond = max(0.0, r - param)
        return beyond * beyond
    return max(param * (y - p), (param - 1.0) * (y - p))


@register_jitable(**KERNEL)
def slope(code, param, p, y):
    """A subgradient of phi in p: the same one as in `cesaro.losses` at the kinks."""
    if code <= MODIFIED_HUBER:
        m = y * p
        if code == HINGE:
            return -y if m < 1.0 else 0.0
        if code == LOG_LOSS:
            e = math.exp(-abs(m))
            return -y * (e / (1.0 + e) if m > 0.0 else 1.0 / (1.0 + e))
        steep = 2.0 * max(0.0, 1.0 - m)
        return -y * (min(steep, 4.0) if code == MODIFIED_HUBER else steep)
    r = p - y
    if code == SQUARED_ERROR:
        return r
    if code == HUBER:
        return max(-param, min(param, r))
    if code == QUANTILE:
        return -param if r < 0.0 else (1.0 - param if r > 0.0 else 0.0)
    beyond = max(0.0, r - param) - max(0.0, -r - param)
    if code == SQUARED_EPSILON_INSENSITIVE:
        return 2.0 * beyond
    return 1.0 if beyond > 0.0 else (-1.0 if beyond < 0.0 else 0.0)


@register_jitable(**KERNEL)
def conjugate(code, param, u, y):
    """phi*(u, y) = sup_p u p - phi(p, y), infinite outside its domain."""
    if code <= MODIFIED_HUBER:
        b = u * y
        lowest = -4.0 if code == MODIFIED_HUBER else (-math.inf if code == SQUARED_HINGE else -1.0)
        if b > 0.0 or b < lowest:
            return math.inf
        if code == HINGE:
            return b
        if code == LOG_LOSS:
            off = b * math.log1p(b) if b > -1.0 else 0.0
            return (-b * math.log(-b) if b < 0.0 else 0.0) + (math.log1p(b) if b > -1.0 else 0.0) + off
        return b + b * b / 4.0
    if code == QUANTILE:
        return u * y if -param <= u <= 1.0 - param else math.inf
    if (code == HUBER and abs(u) > param) or (code == EPSILON_INSENSITIVE and abs(u) > 1.0):
        return math.inf
    if code == EPSILON_INSENSITIVE:
        return u * y + param * abs(u)
    if code == SQUARED_EPSILON_INSENSITIVE:
        return u * y + param * abs(u) + u * u / 4.0
    return u * y + u * u / 2.0
