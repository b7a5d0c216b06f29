"""The recursion for many models at once: a row costs one step of scalars and, for every model, margin, slope and update.

Weights and anchor, so Gamma, s and alpha of `kernels`, are the same for all of them; what is theirs are vector
instructions. State (d + 1, 2 P): z, then r; and the lazy updates of r by the rows (n, P), unless slopes are at the average.
"""

import numpy as np
from numba import njit

from cesaro.compiled.flags import LOOP
from cesaro.compiled.llvm_vectors import where_less
from cesaro.compiled.vector_ops import add_rows, add_to_row, dot_rows, map_lanes
from cesaro.dual_form import HINGE
from cesaro.linear.problem.compensated_sum import BLOCK
from cesaro.linear.problem.csr import ahead, ahead_wide, span
from cesaro.linear.problem.scalar_losses import conjugate, slope, value
from cesaro.linear.solvers.averaging.kernels import step, take_weight


def hinge(a, s, one, zero, y, m, cut, g):
    """The hinge's slope at s m, times a; the cut grows by a where the row is active."""
    g = where_less(y * s * m, one, -(a * y), zero)
    return cut - g * y, g


hinge_models = map_lanes(hinge)


@njit(**LOOP)
def fold_multi_target(W, alpha):
    """r += alpha z."""
    P = W.shape[1] // 2
    for j in range(W.shape[0]):
        for k in range(P):
            W[j, P + k] += alpha * W[j, k]


@njit(**LOOP)
def run_epoch_multi_target(rows, Y, lazy, v, order, config, W, scalars, cut, m, g):
    """`kernels.run_epoch` for every column of Y (n, P); slopes are at w or at the average, by `config`.

    The lazy update of r by row i waits in lazy[i] for `flush_multi_target`; with slopes at the average
    nothing waits, and `lazy` has no rows.
    cut (P,) grows by the cuts; m and g, (2 P,), are for work.
    """
    P, data, col = cut.shape[0], rows.data, rows.col
    alpha, out, A, anchor, t = scalars[0], scalars[1], scalars[2], scalars[3], np.int64(scalars[7])
    weighted, all_of_it, z, gz = v.shape[0] > 1, (0, 0), m[:P], g[:P]
    gap = all_of_it if config.primal else (P, P)  # r is not touched
    for k in range(order.shape[0]):
        ahead(rows, Y, v, order, k)
        ahead_wide(Y, order, k)
        if not config.primal:
            ahead_wide(lazy, order, k)
        i = order[k]
        a = v[i] if weighted else 1.0
        s, _ = step(config, None, config.mu, anchor + A, 1.0, 0.0)
        A, alpha, out = take_weight(config, a, s, A, alpha, out)
        t += 1
        for model in range(m.shape[0]):
            m[model] = rows.bias * W[rows.d, model]
        start, stop = span(rows, i)
        dot_rows(m, data, col, start, stop, W, gap)
        scale = s
        if config.primal:
            scale = 1.0
            for model in range(P):
                z[model] = (alpha * m[model] + m[P + model]) / out
        if config.loss.kind == HINGE:
            moved = hinge_models((a, scale, 1.0, 0.0), (Y[i], z, cut, gz), all_of_it)
        else:
            moved = True
            for model in range(P):
                u = slope(config.loss, scale * z[model], Y[i, model])
                gz[model] = a * u
                cut[model] -= a * conjugate(config.loss, u, Y[i, model])
        if moved:
            if config.primal:
                for model in range(P):
                    g[P + model] = -alpha * g[model]
            else:
                add_to_row(lazy, i, alpha, gz, all_of_it)
            add_rows(W, data, col, start, stop, g, gap)
            add_to_row(W, rows.d, rows.bias, g, gap)
        if t & (t - 1) == 0:
            fold_multi_target(W, alpha)
            alpha = 0.0
    scalars[0], scalars[1], scalars[2], scalars[7] = alpha, out, A, t


@njit(**LOOP)
def flush_multi_target(rows, lazy, W, g):
    """`kernels.flush` for every model."""
    P = lazy.shape[1]
    gap = (0, P)  # z is not touched
    for i in range(lazy.shape[0]):
        due = False
        for model in range(P):
            h = lazy[i, model]
            due |= h != 0.0
            g[P + model] = -h
            lazy[i, model] = 0.0
        if due:
            start, stop = span(rows, i)
            add_rows(W, rows.data, rows.col, start, stop, g, gap)
            add_to_row(W, rows.d, rows.bias, g, gap)


@njit(**LOOP)
def sum_losses(rows, Y, v, config, W, m, part, total):
    """total += the losses of every model, row i with weight v_i, at the points W (d + 1, P).

    m and part (P,) are for work: the sums are of blocks, lest rounding grow with the number of rows.
    """
    part[:] = 0.0
    for i in range(Y.shape[0]):
        if i % BLOCK == 0:
            for model in range(m.shape[0]):
                total[model] += part[model]
                part[model] = 0.0
        if v[i] > 0.0:
            for model in range(m.shape[0]):
                m[model] = rows.bias * W[rows.d, model]
            start, stop = span(rows, i)
            dot_rows(m, rows.data, rows.col, start, stop, W, (0, 0))
            for model in range(m.shape[0]):
                part[model] += v[i] * value(config.loss, m[model], Y[i, model])
    for model in range(m.shape[0]):
        total[model] += part[model]
