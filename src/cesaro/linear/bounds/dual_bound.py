"""The lower bound of a linear model from the dual values b_i of its rows, in closed form.

With D = -mean phi*(-b_i) and g = mean b_i x_i (anchored/dual_state.py sums them) the mean loss is at least D - <g, w>.
No loss is negative, so for every theta in [0, 1]

    f* >= theta D + min_{|w| <= R}  mu/2 |w|^2 + l1 |w|_1 - theta <g, w>

which is concave in theta: the best theta has a closed form without L1 and is bisected for with it. The minimum depends on
|g|, or on the part of it beyond l1: what g may be off by is added to that. So nothing need be known of |w*|.
"""

import math

import numpy as np

from cesaro.linear.bounds.rounding import PAIRWISE, U, norm


def dual_bound(
    D: float, g: np.ndarray, mu: float, l1: float = 0.0, radius: float = math.inf, lost: float = 0.0
) -> float:
    """The best such bound; the last entry of g belongs to the intercept, which bears no L1.

    D is not above the true value; `lost` bounds |g - the true g|, but for a last entry of 0, which is exact.
    """
    length = norm(g) + lost
    if not (D > 0.0 and math.isfinite(length)):
        return 0.0
    return _with_l1(D, g, mu, l1, lost) if l1 > 0.0 else _with_l2(D, length, mu, radius)


def _with_l2(D: float, norm: float, mu: float, radius: float) -> float:
    theta = 1.0
    if norm > 0.0 and radius * norm > D:
        theta = min(1.0, mu / norm * D / norm)
    length = theta * norm / mu if mu > 0.0 and theta * norm <= radius * mu else (radius if norm > 0.0 else 0.0)
    if not math.isfinite(length):
        return 0.0
    gain, loss = theta * D + mu * length / 2.0 * length, theta * norm * length
    found = gain - loss - PAIRWISE * U * (gain + loss)
    return max(0.0, found) if math.isfinite(found) else 0.0


def _with_l1(D: float, g: np.ndarray, mu: float, l1: float, lost: float) -> float:
    size, cut = np.abs(g), np.full(len(g), l1)
    cut[-1] = 0.0
    if mu == 0.0:
        size[:-1] += lost
        size[-1] += lost if size[-1] > 0.0 else 0.0
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            fits = np.where(size > 0.0, cut / size, 1.0)
        return float(min(1.0, fits.min()) * D * (1.0 - PAIRWISE * U))

    def model(theta):
        beyond = norm(np.maximum(theta * size - cut, 0.0)) + theta * lost + 4.0 * U * norm(theta * size)
        return theta * D * (1.0 - PAIRWISE * U) - beyond / mu * beyond / 2.0 * (1.0 + PAIRWISE * U)

    def rise(theta):
        return D - np.maximum(theta * size - cut, 0.0) / mu @ size

    with np.errstate(over="ignore", invalid="ignore"):
        low, high, best = 0.0, 1.0, max(0.0, model(1.0))
        if rise(1.0) >= 0.0:
            return float(best)
        for _ in range(12):
            theta = (low + high) / 2.0
            best = max(best, model(theta))
            low, high = (theta, high) if rise(theta) > 0.0 else (low, theta)
    return float(best)
