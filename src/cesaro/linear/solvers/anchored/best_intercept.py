"""A free intercept at an evaluation: the best one for the weights, and dual values that sum to zero.

An epoch leaves the intercept where its last rows have pushed it, and the sum of the dual values a little off zero. Neither
has to be: the rows' predictions, known without the intercept, tell the best one in a few passes over them; and the sum can
be made zero by changes of few dual values, for the bound alone, at rows near a kink, where these cost next to nothing.
"""

import math
from typing import Any

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL
from cesaro.linear.bounds.free_intercept import Plane
from cesaro.linear.problem.csr import ahead, margin
from cesaro.linear.problem.scalar_losses import conjugate, distance_to_kink, highest, lowest, slope
from cesaro.linear.solvers.anchored.kernels import B, V, Y, scatter, span

STEP, TRIES = 2.0**-6, 60  # the first change tried, in units of the targets, and how often it is doubled
FEW = 1e-4  # of the rows have their dual values changed,
FEWEST = 8.0  # but at least so many rows share what is to be changed


def with_best_intercept(state: Any, w: np.ndarray, tol: float) -> np.ndarray:
    """The predictions of a solver's rows at w, whose intercept is changed to the best one."""
    p = np.zeros(state.rows.n) if state.layout is None else state.layout.empty(state.rows.n)
    predict(state.rows, state.record, state.evaluation_order, w, p)
    change = best_change(state.record, state.loss, p, state.unit, 1e-4 * max(tol, 1e-9) * state.at_zero)
    w[-1] += change / state.rows.bias
    p += change
    return p


def with_zero_sum(state: Any, plane: Plane, p: np.ndarray, active: np.ndarray) -> Plane:
    """The plane of dual values that sum to zero, where changes at a few active rows do that; else the plane as it is."""
    excess = state.n * float(plane.g[-1]) / state.rows.bias
    if abs(excess) > max(1.0, FEW * state.n) * state.unit:
        return plane
    changed = np.zeros_like(plane.g)
    left, dual = balance(state.rows, state.record, active, p, state.loss, excess, state.slack / 4.0, changed)
    if left != 0.0:
        return plane
    g = plane.g + changed / state.n
    g[-1] = 0.0
    return plane._replace(D=float(plane.D + dual / state.n), g=g)


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
def predict(rows, record, order, w, p):
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


@njit(**KERNEL)
def balance(rows, record, active, p, loss, excess, reach, g):
    """Change dual values so that their sum falls by `excess`: of active rows within `reach` of a kink, not in the records.

    g += the changes times x_i. Returns what is left of the excess, and how the sum of -v_i phi*(-b_i) has changed.
    """
    each, dual = abs(excess) / FEWEST, 0.0
    for k in range(active.shape[0]):
        i = active[k]
        b, y, v = record[i, B], record[i, Y], record[i, V]
        if excess == 0.0:
            break
        if distance_to_kink(loss, p[i], y) <= reach:
            step = -min(each, max(-each, excess)) / v
            new = min(highest(loss, y), max(lowest(loss, y), b + step))
            if new != b:
                dual += v * (conjugate(loss, -b, y) - conjugate(loss, -new, y))
                lo, hi = span(rows, i)
                scatter(rows.data, rows.col, rows.bias, np.uint64(rows.d), lo, hi, g, v * (new - b))
                excess += v * (new - b)
                if abs(excess) <= 1e-6 * each:
                    excess = 0.0  # to rounding: the last row has it
    return excess, dual
