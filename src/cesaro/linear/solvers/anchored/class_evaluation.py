"""What an evaluation of many classes against the rest sums: objectives, duals, and sum_i b_i x_i for their bounds.

The points are single numbers, the sums doubles, of the dual values as they are: these are exact whatever their precision.
"""

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL, LOOP
from cesaro.compiled.llvm_vectors import maximum
from cesaro.compiled.prefetch import LINE, prefetch
from cesaro.compiled.vector_ops import add_rows, dot_rows, map_lanes
from cesaro.dual_form import HINGE, LOGISTIC
from cesaro.linear.problem.csr import span
from cesaro.linear.problem.scalar_losses import conjugate, conjugate_size, value

ALL = (0, 0)  # no class is left out
AHEAD = np.uint64(32)  # entries of a row whose columns are asked for before their turn
COLUMNS = 256  # whose squares are summed before they are added to those before


def hinge_values(v, one, zero, y, b, m, primal, dual):
    """Sums of the losses and of the conjugates, with the other sign."""
    return primal + v * maximum(zero, one - y * m), dual + v * (y * b)


value_hinges = map_lanes(hinge_values)


@njit(**LOOP)
def balancing_factors(record, b, factors, sums):
    """factors (2, L), ones before: what shrinks a class's negative and positive dual values so that they sum to zero.

    They stay feasible: 0 is, and the values that are feasible are an interval. `sums` (2, L), zeros, is room.
    """
    L = b.shape[1]
    for i in range(b.shape[0]):
        for c in range(L):
            value = record[i, 0] * np.float64(b[i, c])
            sums[0, c] -= min(value, 0.0)
            sums[1, c] += max(value, 0.0)
    for c in range(L):
        if sums[0, c] > sums[1, c]:
            factors[0, c] = sums[1, c] / sums[0, c]
        elif sums[1, c] > 0.0:
            factors[1, c] = sums[0, c] / sums[1, c]


@register_jitable(**LOOP)
def factored(b, factors, c):
    """A dual value times the factor of its sign."""
    return np.float64(b) * (factors[0, c] if b < 0.0 else factors[1, c])


@njit(**LOOP)
def evaluate_classes(rows, record, Y, b, factors, loss, C, intercept, primal, dual, size, work, kept, P):
    """primal += the losses of every class at C (d, L), dual += its conjugates of the dual values with the other sign,

    size += their sizes. The dual values are taken times their `factors` (see `balancing_factors`). P (n, L), if it has rows,
    gets the predictions of the classes that are to be `kept` (L,)."""
    L = C.shape[1]
    m, y, held = work[0], work[1], work[2]
    for i in range(Y.shape[0]):
        v = record[i, 0]
        if v > 0.0:
            start, stop = span(rows, i)
            for c in range(L):
                m[c], y[c], held[c] = rows.bias * intercept[c], Y[i, c], factored(b[i, c], factors, c)
            dot_rows(m, rows.data, rows.col, start, stop, C, ALL)
            if P.shape[0] > 0:
                for c in range(L):
                    if kept[c]:
                        P[i, c] = m[c]
            if loss.kind == HINGE:
                value_hinges((v, 1.0, 0.0), (y, held, m, primal, dual), ALL)
            else:
                for c in range(L):
                    primal[c] += v * value(loss, m[c], y[c])
                    dual[c] -= v * conjugate(loss, -held[c], y[c])
                    if loss.kind != LOGISTIC:
                        size[c] += v * conjugate_size(loss, held[c], y[c])
    if loss.kind == HINGE or loss.kind == LOGISTIC:  # all terms have one sign, and one proportion to their sizes
        for c in range(L):
            size[c] = (1.0 if loss.kind == HINGE else 1.125) * dual[c]


@njit(**LOOP)
def sum_dual_values_classes(rows, record, b, factors, G, g):
    """G (d + 1, L) += sum_i v_i b_i x_i for every class, the dual values times their `factors`."""
    for i in range(b.shape[0]):
        some = False
        for c in range(g.shape[0]):
            g[c] = record[i, 0] * factored(b[i, c], factors, c)
            some |= g[c] != 0.0
        if some:
            add_rows_asked_for(rows, i, G, g)
            for c in range(g.shape[0]):
                G[rows.d, c] += rows.bias * g[c]


@register_jitable(**LOOP)
def add_rows_asked_for(rows, i, G, g):
    """`add_rows` of row i, a few entries at a time, whose columns have been asked for: a store that waits for its column
    holds up the loads behind it, so that without this the row's columns come one after the other.
    """
    start, stop = span(rows, i)
    end = min(start + AHEAD, stop)
    ask_for(G, rows.col, start, end)
    while start < stop:
        next_end = min(end + AHEAD, stop)
        ask_for(G, rows.col, end, next_end)
        add_rows(G, rows.data, rows.col, start, end, g, ALL)
        start, end = end, next_end


@register_jitable(**LOOP)
def ask_for(G, col, start, stop):
    """Prefetch the columns of these entries."""
    for j in range(start, stop):
        column, lane = G[col[j]], 0
        while lane < G.shape[1]:
            prefetch(column, lane)
            lane += LINE // G.itemsize


@njit(**LOOP)
def squared_lengths(G, part, total):
    """total (L,) += the sums of the squares of the columns' numbers; `part` (L,) is room for those of a block."""
    for first in range(0, G.shape[0], COLUMNS):
        part[:] = 0.0
        for j in range(first, min(first + COLUMNS, G.shape[0])):
            for c in range(G.shape[1]):
                part[c] += np.float64(G[j, c]) * np.float64(G[j, c])
        for c in range(G.shape[1]):
            total[c] += part[c]


def squares_error(d: int) -> float:
    """What `squared_lengths` of d columns may be off by, in units of them and of the unit roundoff."""
    return COLUMNS + d / COLUMNS + 2.0


@njit(**KERNEL)
def write_points(C, classes, points):
    """points[k, :d] = the column of class `classes[k]`."""
    for first in range(0, C.shape[0], COLUMNS):
        for k in range(classes.shape[0]):
            for j in range(first, min(first + COLUMNS, C.shape[0])):
                points[k, j] = C[j, classes[k]]
