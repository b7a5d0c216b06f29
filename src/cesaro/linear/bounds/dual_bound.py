"""The lower bound of a linear model from the dual values b_i of its rows, in closed form.

With D = -mean phi*(-b_i) and g = mean b_i x_i (anchored/dual_state.py sums them) the mean loss is at least D - <g, w>.
No loss is negative, so for every theta in [0, 1]

    f* >= theta D + min_{|w| <= R}  mu/2 |w|^2 + l1 |w|_1 - theta <g, w>

which is concave in theta: the best theta has a closed form without L1 and is bisected for with it.
"""

import numpy as np


def dual_bound(D: float, g: np.ndarray, mu: float, l1: float = 0.0, radius: float = np.inf) -> float:
    """The best such bound; the last entry of g belongs to the intercept, which bears no L1."""
    if D <= 0.0:
        return 0.0
    if l1 > 0.0:
        return _with_l1(D, g, mu, l1)
    norm = float(np.linalg.norm(g))
    theta = 1.0
    if norm > 0.0 and radius * norm > D:
        theta = min(1.0, mu * D / norm / norm)
    length = theta * norm / mu if mu > 0.0 and theta * norm <= radius * mu else (radius if norm > 0.0 else 0.0)
    if length == np.inf:
        return 0.0
    return max(0.0, theta * D + mu / 2.0 * length**2 - theta * norm * length)


def _with_l1(D: float, g: np.ndarray, mu: float, l1: float) -> float:
    size, cut = np.abs(g), np.full(len(g), l1)
    cut[-1] = 0.0
    if mu == 0.0:
        with np.errstate(divide="ignore", invalid="ignore"):
            fits = np.where(size > 0.0, cut / size, 1.0)
        return float(min(1.0, fits.min()) * D)

    def model(theta):
        beyond = np.maximum(theta * size - cut, 0.0)
        return theta * D - beyond @ beyond / (2.0 * mu), D - beyond @ size / mu

    value, rise = model(1.0)
    if rise >= 0.0:
        return float(max(0.0, value))
    low, high, best = 0.0, 1.0, max(0.0, value)
    for _ in range(12):
        theta = (low + high) / 2.0
        value, rise = model(theta)
        best = max(best, value)
        low, high = (theta, high) if rise > 0.0 else (low, theta)
    return float(best)
