"""Newton steps with a line search for a small problem with a smooth loss; the curvature is a difference of slopes.

Losses whose curvature jumps (squared hinge, Huber) make it a semismooth Newton method, which takes as many steps as it takes
to find out which rows are curved: there the line search counts.
"""

from typing import Any

import numpy as np

from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.anchored.intercept import penalties

EPS = np.finfo(np.float64).eps
STEPS, MOST_TRIES = 200, 100
FLAT, NEAR, INSIDE = 1e-3, 2.0**-13, 0.98  # of the slope at first; of the step; of the interval that is left


def newton_point(
    problem: Problem, X: np.ndarray, y: Any, s: Any, w: np.ndarray, enough: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """The optimum, from w, to `enough` in the objective, and b_i = -phi'(p_i) there; s_i is a row's share of the weights."""
    loss, mu = problem.loss, penalties(problem, len(w))
    p = X @ w
    for _ in range(STEPS):
        gradient = mu * w + X.T @ (s * loss.slope(p, y))
        h = 1e-6 * np.maximum(1.0, np.abs(p))
        curvature = (loss.slope(p + h, y) - loss.slope(p - h, y)) / (2.0 * h)
        H = X.T @ (X * (s * curvature)[:, None]) + np.diag(mu)
        if mu[-1] == 0.0:  # where no row is curved, the intercept moves by the largest numbers at most
            bias = problem.rows.bias
            H[-1, -1] = max(H[-1, -1], bias * abs(gradient[-1]) / (np.abs(y) + np.abs(p)).max(), EPS * bias * bias)
        step = -np.linalg.solve(H, gradient)
        change = X @ step
        size = _length(lambda a: (mu * step) @ (w + a * step) + (s * change) @ loss.slope(p + a * change, y))  # noqa: B023
        w = w + size * step
        p = X @ w
        if abs(gradient @ step) <= enough or np.abs(change).max() <= 64.0 * EPS * (1.0 + np.abs(p).max()):
            break
    return w, -loss.slope(p, y)


def _length(slope: Any) -> float:
    """How far to go: the whole step unless the objective, whose slope along it this is, rises at its end.

    Else about to where it is flat, from the side where it falls: secants and halvings in turn.
    """
    low, high = 0.0, 1.0
    first, end = slope(low), slope(high)
    if end <= EPS * abs(first):
        return high
    falling = first
    for k in range(MOST_TRIES):
        part = falling / (falling - end) if k % 2 == 0 else 0.5
        there = low + (high - low) * min(INSIDE, max(1.0 - INSIDE, part))
        found = slope(there)
        low, falling, high, end = (there, found, high, end) if found <= 0.0 else (low, falling, there, found)
        if low > 0.0 and (abs(falling) <= FLAT * abs(first) or high - low <= NEAR):
            break
    return low
