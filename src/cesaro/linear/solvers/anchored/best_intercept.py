"""A free intercept at an evaluation: the best one for the weights.

An epoch leaves the intercept where its last rows have pushed it. The active rows' predictions tell the best one in a few
passes over them: those of the others are so far from a kink that their slopes are taken as they are.
"""

import math
from typing import Any

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL
from cesaro.linear.bounds.dual_bound import dual_bound
from cesaro.linear.problem.compensated_sum import BLOCK, add_compensated
from cesaro.linear.problem.scalar_losses import slope, value
from cesaro.linear.solvers.anchored.intercept import objective_of, plane_with_sum
from cesaro.linear.solvers.anchored.records import V, Y

STEP, TRIES = 2.0**-4, 60  # the first change tried, in units of the slack, and how often it is doubled
NEAR = 5.0  # times the gap that is asked for: beyond it the best intercept is not what is lacking
SOME = 500  # rows, from which a constant model is made
HEAVY = 1e6  # times the losses at 0: what the anchor may weigh there, so that what rounding may do remains known
FAR = 4.0  # units of y: where such a model may end if it has met one label only
ENOUGH = 0.01  # of the gap that is asked for: what a better intercept could still gain


def with_free_intercept(
    state: Any, w: np.ndarray, p: np.ndarray, mean: float, slopes: float, tol: float, last: bool
) -> tuple[float, float]:
    """The end of an evaluation: objective and lower bound; the intercept of w becomes the best one if that may count.

    It does at the `last` evaluation, and where a better intercept may be all that a proof of `tol` lacks. p are the rows'
    predictions, `mean` is their mean loss, `slopes` the sum of their slopes.
    """
    plane = plane_with_sum(state, 0.0)
    bound = dual_bound(plane.D, plane.g, state.mu, state.l1, state.radius, plane.lost)
    f = objective_of(mean, w, state.mu, state.l1, True)
    if last or tol * f < f - bound < NEAR * tol * f:
        change, mean = found_change(state, p, slopes, mean, tol * f)
        w[-1] += change / state.rows.bias
        f = objective_of(mean, w, state.mu, state.l1, True)
    return f, bound


def found_change(state: Any, p: np.ndarray, slopes: float, mean: float, asked: float) -> tuple[float, float]:
    """The best number to add to all predictions, and their mean loss then; 0 if it would not fall."""
    record, loss, enough = state.record, state.loss, state.n * max(ENOUGH * asked, 1e-14 * state.at_zero)
    change = best_change(record, loss, p, state.active, slopes, state.slack, state.slack, enough)
    if abs(change) > state.slack:  # then the slopes of other rows change too
        everywhere = np.flatnonzero(record[:, V]).astype(np.uint32)
        change = best_change(record, loss, p, everywhere, slopes, state.slack, math.inf, enough)
    found = float(mean_loss_of(record, loss, p, change))
    return (change, found) if found < mean else (0.0, mean)


def first_intercept(state: Any) -> float:
    """Where a free intercept begins: at a constant model; at 0 where the anchor would outweigh all losses there."""
    c, S = constant_model(state) / float(state.rows.bias), float(state.prox_weight + state.n * state.mu)
    return c if S * c * c <= HEAVY * state.n * state.at_zero else 0.0


def constant_model(state: Any) -> float:
    """About the best prediction for all rows together, from some of them."""
    record = state.record[state.active[:SOME]]
    zero, rows = np.zeros(len(record)), np.arange(len(record), dtype=np.uint32)
    slopes = float(sum_of_slopes(record, state.loss, zero, rows, 0.0, 0.0))
    enough = ENOUGH * state.at_zero * len(record)
    return float(best_change(record, state.loss, zero, rows, slopes, state.unit, FAR * state.unit, enough))


def best_change(
    record: np.ndarray,
    loss: Any,
    p: np.ndarray,
    active: np.ndarray,
    slopes: float,
    unit: float,
    most: float,
    enough: float,
) -> float:
    """What to add to all predictions p: within `enough` of the least sum of losses, if that is no more than `most`.

    `slopes` is the sum of all rows' slopes at p.
    """
    rest = slopes - sum_of_slopes(record, loss, p, active, 0.0, 0.0)

    def slopes_at(change: float) -> float:
        return float(sum_of_slopes(record, loss, p, active, rest, change))

    near, far = 0.0, 0.0
    slope_near = slope_far = slopes
    step = -math.copysign(STEP * unit, slope_near)
    for _ in range(TRIES):
        if slope_near * slope_far <= 0.0 or abs(near) > most:
            break
        near, slope_near, far, step = far, slope_far, far + step, 2.0 * step
        slope_far = slopes_at(far)
    for _ in range(TRIES):
        if slope_near * slope_far > 0.0 or min(abs(slope_near), abs(slope_far)) * abs(far - near) <= enough:
            break
        part = min(0.9, max(0.1, slope_near / (slope_near - slope_far)))  # where the line between them is zero
        middle = near + part * (far - near)
        found = slopes_at(middle)
        if found * slope_near > 0.0:
            near, slope_near = middle, found
        else:
            far, slope_far = middle, found
    return near if abs(slope_near) <= abs(slope_far) else far


@njit(**KERNEL)
def sum_of_slopes(record, loss, p, active, rest, change):
    """`rest` and the active rows' slopes, with a number added to all predictions."""
    total = rest
    for k in range(active.shape[0]):
        i = active[k]
        total += record[i, V] * slope(loss, p[i] + change, record[i, Y])
    return total


@njit(**KERNEL)
def mean_loss_of(record, loss, p, change):
    """The mean loss with a number added to all predictions, in blocks as in `kernels.evaluate`."""
    total, totals, lost, count = 0.0, 0.0, 0.0, 0
    for i in range(record.shape[0]):
        if i % BLOCK == 0:
            totals, lost = add_compensated(totals, lost, total)
            total = 0.0
        if record[i, V] > 0.0:
            total += record[i, V] * value(loss, p[i] + change, record[i, Y])
            count += 1
    return (totals + (lost + total)) / count
