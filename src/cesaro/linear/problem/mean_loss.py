"""One pass over the rows as they are: the mean loss at a point, the mean of |x|^2, and the cut of remembered slopes."""

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL, SCALAR
from cesaro.linear.problem.compensated_sum import BLOCK, add_compensated
from cesaro.linear.problem.csr import ahead, margin, square
from cesaro.linear.problem.problem import Problem, objective
from cesaro.linear.problem.scalar_losses import conjugate, dual_form, slope, value


@njit(**SCALAR)
def mean_loss(rows, y, v, order, loss, w):
    """sum v_i phi(<x_i, w>, y_i) / sum v_i over the rows of `order`, without rounding that grows with their number."""
    total, weight, totals, total_lost, weights, weight_lost = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(order.shape[0]):
        if k % BLOCK == 0:
            totals, total_lost = add_compensated(totals, total_lost, total)
            weights, weight_lost = add_compensated(weights, weight_lost, weight)
            total, weight = 0.0, 0.0
        ahead(rows, y, v, order, k)
        i = order[k]
        total += v[i] * value(loss, margin(rows, i, w), y[i])
        weight += v[i]
    return (totals + (total_lost + total)) / (weights + (weight_lost + weight))


@njit(**SCALAR)
def mean_square(rows, v):
    """mean |x|^2 over the rows that exist, the intercept's feature included."""
    total, weight = 0.0, 0.0
    for i in range(v.shape[0]):
        if v[i] > 0.0:
            total += v[i] * square(rows, np.uint32(i))
            weight += v[i]
    return total / weight


@njit(**KERNEL)
def recalled_cut(rows, y, v, loss, seen, s):
    """s += sum v_i u_i x_i, and the sum of -v_i phi*(u_i): u_i is row i's mean slope so far (at 0 if never drawn).

    The mean is drawn towards 0, which every conjugate's domain contains, so that rounding cannot push it out.
    """
    data, col, ptr = rows.data, rows.col, rows.ptr
    total = 0.0
    for i in range(y.shape[0]):
        if v[i] > 0.0:
            u = slope(loss, 0.0, y[i])
            if seen[i, 1] > 0.0:
                u = seen[i, 0] / seen[i, 1] * (1.0 - 1e-12)
            total -= v[i] * conjugate(loss, u, y[i])
            for j in range(ptr[i], ptr[i + 1]):
                s[col[j]] += v[i] * u * data[j]
            s[rows.d] += v[i] * u * rows.bias
    return total


def objective_at(problem: Problem, w: np.ndarray) -> float:
    """The problem's objective at a point (width,)."""
    full, order = np.zeros(problem.rows.d + 1), np.flatnonzero(problem.v).astype(np.uint32)
    full[: len(w)] = w
    loss = mean_loss(problem.rows, problem.y, problem.v, order, dual_form(problem.loss), full)
    penalized = w if problem.penalize_intercept else w[: problem.rows.d]
    return float(objective(loss, penalized, problem.mu, problem.l1, problem.rows.d))
