"""The dual of a small problem with a piecewise linear loss: quadratic, in a box.

    max  sum_i s_i t_i b_i - |sum_i s_i b_i x_i|^2 / (2 mu) ,   low_i <= b_i <= high_i   (sum_i s_i b_i = 0: a free intercept)

Rows far from their kink have their b at a bound. So only the rows nearest to theirs are solved for, at first; those that
turn out to be on the other side join them. epsilon_insensitive has two such b per row, one for each kink.
"""

from typing import Any, NamedTuple

import numpy as np

from cesaro.dual_form import DualForm
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.anchored.box_qp import minimise
from cesaro.linear.solvers.anchored.intercept import is_free, penalized

NEAREST = 8  # rows solved for at first: so many for each weight, or a tenth of all
ROUNDS = 8  # before all are


class DualBox(NamedTuple):
    """For each row: b in [low, high], worth target * b. At the optimum b is high where the target is above the prediction."""

    target: np.ndarray
    low: np.ndarray
    high: np.ndarray


def dual_box(loss: DualForm, y: np.ndarray) -> DualBox:
    """The box of a piecewise linear loss; of twice as many rows if there are two kinks."""
    low, high = loss.bounds(y)
    if loss.eps == 0.0:
        return DualBox(y, low, high)
    zero = np.zeros_like(y)
    parts = (y - loss.eps, y + loss.eps), (zero, low + zero), (high + zero, zero)
    return DualBox(*(np.concatenate(part) for part in parts))


def weighted_quantile_intercept(box: DualBox, s: Any, p: np.ndarray) -> float:
    """What to add to the predictions p for the least mean loss: the slope, -high below every kink, rises at each."""
    s = np.tile(s, len(box.target) // len(s))
    kinks = box.target - np.tile(p, len(box.target) // len(p))
    order = np.argsort(kinks)
    rises = np.cumsum((s * (box.high - box.low))[order])
    return float(kinks[order[min(np.searchsorted(rises, s @ box.high), len(order) - 1)]])


def with_quantile_intercept(box: DualBox, s: Any, features: Any, w: np.ndarray, bias: float) -> np.ndarray:
    """The weights w of the features, and that of the constant feature which gives the best intercept for them."""
    return np.append(w, weighted_quantile_intercept(box, s, features @ w) / bias)


def dual_points(
    problem: Problem, X: np.ndarray, y: Any, s: Any, w: np.ndarray, enough: float = 0.0, rough: float = 0.0
) -> tuple[list, np.ndarray]:
    """Candidates for w, and b, to `enough` in the dual value; in sqrt(s) b, so that equal rows get equal b.

    Which rows are near their kink is found to `rough`.
    """
    free, box = is_free(problem), dual_box(dual_form(problem.loss), y)
    sides = len(box.target) // len(y)
    root, Z = np.tile(np.sqrt(s), sides), np.tile(penalized(X, free), (sides, 1))
    A = root[:, None] * Z / np.sqrt(problem.mu)

    def whole(point):
        """The point with the intercept that is best for it, and its predictions."""
        if free:
            point = with_quantile_intercept(box, s, X[:, :-1], point, problem.rows.bias)
        return point, np.tile(X @ point, sides)

    p = whole(penalized(w, free))[1]
    count = max(NEAREST * len(w), len(p) // 10)
    near, new, accuracy = np.zeros(len(p), bool), p, max(rough, enough)
    for attempt in range(ROUNDS):
        near[np.argpartition(np.abs(box.target - new), min(count, len(p) - 1))[:count]] = True
        if attempt == ROUNDS - 1:
            near[:], accuracy = True, enough
        x = root * np.where(box.target > p, box.high, box.low)
        x[near], products = _solved(A, root, box, x, near, free, accuracy)
        points, predictions = zip(*(whole(product / np.sqrt(problem.mu)) for product in products), strict=True)
        new = predictions[-1]
        wrong = ~near & ((box.target > new) != (box.target > p))
        if wrong.any():
            near |= wrong
        elif accuracy == enough:
            break
        else:
            accuracy = enough
    return list(points), np.clip(x / root, box.low, box.high).reshape(sides, -1).sum(axis=0)


def _solved(
    A: np.ndarray, root: np.ndarray, box: DualBox, x: np.ndarray, near: np.ndarray, free: bool, enough: float
) -> tuple[np.ndarray, list]:
    """x of the near rows, the others' given; and candidates for A'x."""
    rest = A[~near].T @ x[~near]
    target = root[near] * box.target[near] - A[near] @ rest
    low, high = root[near] * box.low[near], root[near] * box.high[near]
    e, t = (root[near], -(root[~near] @ x[~near])) if free else (None, 0.0)
    found, products = minimise(A[near], target, low, high, e, t, enough)
    return found, [rest + product for product in products]
