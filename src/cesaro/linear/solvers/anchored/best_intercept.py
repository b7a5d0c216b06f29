"""A free intercept at an evaluation: the best one for the weights.

An epoch leaves the intercept where its last rows have pushed it. The rows' predictions tell the best one in a few passes.
"""

import math
from typing import Any

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL
from cesaro.linear.problem.csr import ahead, margin
from cesaro.linear.problem.scalar_losses import slope
from cesaro.linear.solvers.anchored.kernels import V, Y

STEP, TRIES = 2.0**-6, 60  # the first change tried, in units of the targets, and how often it is doubled


def with_best_intercept(state: Any, w: np.ndarray, tol: float) -> np.ndarray:
    """The predictions of a solver's rows at w, whose intercept is changed to the best one."""
    p = np.zeros(state.rows.n) if state.layout is None else state.layout.empty(state.rows.n)
    predictions_of_rows(state.rows, state.record, state.evaluation_order, w, p)
    change = best_change(state.record, state.loss, p, state.unit, 1e-4 * max(tol, 1e-9) * state.at_zero)
    w[-1] += change / state.rows.bias
    p += change
    return p


def best_change(record: np.ndarray, loss: Any, p: np.ndarray, unit: float, enough: float) -> float:
    """What to add to all predictions p: within `enough` of the least mean loss."""
    near, far = 0.0, 0.0
    slope_near = slope_far = mean_slope(record, loss, p, 0.0)
    step = -math.copysign(STEP * unit, slope_near)
    for _ in range(TRIES):
        if slope_near * slope_far <= 0.0:
            break
        near, slope_near, far, step = far, slope_far, far + step, 2.0 * step
        slope_far = mean_slope(record, loss, p, far)
    for _ in range(TRIES):
        if slope_near * slope_far > 0.0 or min(abs(slope_near), abs(slope_far)) * abs(far - near) <= enough:
            break
        part = min(0.9, max(0.1, slope_near / (slope_near - slope_far)))  # where the line between them is zero
        middle = near + part * (far - near)
        found = mean_slope(record, loss, p, middle)
        if found * slope_near > 0.0:
            near, slope_near = middle, found
        else:
            far, slope_far = middle, found
    return near if abs(slope_near) <= abs(slope_far) else far


@njit(**KERNEL)
def predictions_of_rows(rows, record, order, w, p):
    """p = the predictions of the rows with weight; `order` as in `kernels.evaluate`."""
    for e in range(record.shape[0] if order is None else order.shape[0]):
        i = np.uint32(e)
        if order is not None:
            ahead(rows, record, None, order, e)
            i = order[e]
        if record[i, V] > 0.0:
            p[i] = margin(rows, i, w)


@njit(**KERNEL)
def mean_slope(record, loss, p, change):
    """The derivative of the mean loss by a number that is added to all predictions."""
    total, weight = 0.0, 0.0
    for i in range(record.shape[0]):
        v = record[i, V]
        if v > 0.0:
            total += v * slope(loss, p[i] + change, record[i, Y])
            weight += v
    return total / weight
