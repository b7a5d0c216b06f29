"""The record of a row: its dual value, target, weight and squared norm, side by side in one cache line."""

import math

from numba import njit

from cesaro.compiled.flags import KERNEL
from cesaro.linear.problem.csr import square
from cesaro.linear.problem.scalar_losses import conjugate, conjugate_size, value

B, Y, V, Q = 0, 1, 2, 3  # columns of a row's record: dual value, target, weight (mean 1), squared norm
UNKNOWN = -1.0  # a squared norm that no epoch has needed yet


@njit(**KERNEL)
def prepare(y, v, share, loss, record, order):
    """Fill the records, with weights v times share, and the order of the rows with weight; their number and f(0)."""
    n, f = 0, 0.0
    for i in range(record.shape[0]):
        record[i, B], record[i, Y], record[i, V], record[i, Q] = 0.0, y[i], v[i] * share, UNKNOWN
        if v[i] > 0.0:
            order[n] = i
            n += 1
            f += v[i] * share * value(loss, 0.0, y[i])
    return n, f / n


@njit(**KERNEL)
def mean_square(rows, record, order):
    """Mean |x|^2 of the rows of `order`; their norms are written into the records where they are not known."""
    total, weight = 0.0, 0.0
    for k in range(order.shape[0]):
        i = order[k]
        if record[i, Q] < 0.0:
            record[i, Q] = square(rows, i)
        total += record[i, V] * record[i, Q]
        weight += record[i, V]
    return total / weight


@njit(**KERNEL)
def mean_logistic_curvature(record):
    """The mean curvature of logistic losses where their dual values are: |b| (1 - |b|)."""
    total, weight = 0.0, 0.0
    for i in range(record.shape[0]):
        b = abs(record[i, B])
        total += record[i, V] * b * (1.0 - b)
        weight += record[i, V]
    return total / weight


@njit(**KERNEL)
def load_dual_values(b, loss, record):
    """Write the dual values b into the records, 0 where they are not feasible for this target; their sizes' sum."""
    size = 0.0
    for i in range(record.shape[0]):
        record[i, B] = b[i] if conjugate(loss, -b[i], record[i, Y]) < math.inf else 0.0
        size += record[i, V] * conjugate_size(loss, record[i, B], record[i, Y])
    return size
