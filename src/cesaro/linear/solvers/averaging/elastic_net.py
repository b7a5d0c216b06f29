"""The recursion with an L1 term, lazily. A weight is soft-thresholded where it is read,

    w_k = -sign(z) (|z| - l1 A_k)_+ / (mu Gamma_k),

and between two visits of a column its z is constant. So, with P_k and Q_k the prefix sums of o_{k+1}/Gamma_k and of
o_{k+1} A_k/Gamma_k, and m the first k >= i with l1 A_k >= |z| (at most j),

    sum_{k=i}^{j-1} o_{k+1} w_k = -sign(z)/mu [ |z| (P_m - P_i) - l1 (Q_m - Q_i) ]:

a column that nobody visits costs nothing until it is. The intercept (the last column) bears no L1.
"""

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import LOOP
from cesaro.linear.problem.scalar_losses import conjugate, slope
from cesaro.linear.solvers.averaging.kernels import output_weight
from cesaro.linear.solvers.averaging.minibatch import batch_weight


@register_jitable(**LOOP)
def negative_soft(z, threshold):
    """-sign(z) (|z| - threshold)_+."""
    return -max(0.0, z - threshold) + max(0.0, -z - threshold)


@register_jitable(**LOOP)
def sparse_margin(rows, i, zr, threshold, s):
    """<x_i, w> with w = s soft(z)."""
    p = -rows.bias * zr[rows.d, 0]
    for j in range(rows.ptr[i], rows.ptr[i + np.uint32(1)]):
        p += rows.data[j] * negative_soft(zr[rows.col[j], 0], threshold)
    return s * p


@register_jitable(**LOOP)
def flush_column(zr, c, l1, mu, sums, lag, k):
    """r of column c receives the points from the column's last visit to before step k."""
    i, z = np.int64(lag[c]), abs(zr[c, 0])
    lag[c] = k
    if z == 0.0 or l1 * sums[i, 2] >= z:
        return
    m = k
    if l1 * sums[k - 1, 2] >= z:
        low = i
        while m - low > 1:
            middle = (low + m) // 2
            if l1 * sums[middle, 2] >= z:
                m = middle
            else:
                low = middle
    total = z * (sums[m, 0] - sums[i, 0]) - l1 * (sums[m, 1] - sums[i, 1])
    zr[c, 1] -= total / mu if zr[c, 0] > 0.0 else -total / mu


@register_jitable(**LOOP)
def scatter(rows, i, zr, g, config, sums, lag, k):
    """z += g x_i, after the lazy averages of its columns are flushed."""
    for j in range(rows.ptr[i], rows.ptr[i + np.uint32(1)]):
        flush_column(zr, rows.col[j], config.l1, config.mu, sums, lag, k)
        zr[rows.col[j], 0] += g * rows.data[j]
    if rows.bias != 0.0:
        flush_column(zr, np.uint32(rows.d), 0.0, config.mu, sums, lag, k)
        zr[rows.d, 0] += g * rows.bias


@njit(**LOOP)
def run_epoch_elastic_net(rows, y, v, order, gamma, config, zr, scalars, slope_sums, slopes, sums, lag):
    """`minibatch.run_epoch_minibatch` with L1; `sums` has a row for every step and one more, `lag` (all 0) one for a column."""
    out, A, anchor, cut = scalars[1], scalars[2], scalars[3], scalars[6]
    weighted, recall, size, t = v.shape[0] > 1, slope_sums.shape[0] > 0, slopes.shape[0], 0
    sums[0, 0], sums[0, 1] = 0.0, 0.0
    for k in range(0, order.shape[0], size):
        batch = order[k : k + size]
        s = 1.0 / (config.mu * (anchor + A)) if anchor + A > 0.0 else 0.0
        threshold, a = config.l1 * A, batch_weight(v, gamma, batch)
        o = output_weight(config, a, A + a)
        out += o
        sums[t, 2] = A
        sums[t + 1, 0] = sums[t, 0] + o * config.mu * s
        sums[t + 1, 1] = sums[t, 1] + o * config.mu * s * A
        t += 1
        A += a
        for b in range(batch.shape[0]):
            i = batch[b]
            a = gamma * v[i] if weighted else gamma
            u = slope(config.loss, sparse_margin(rows, i, zr, threshold, s), y[i])
            cut -= a * conjugate(config.loss, u, y[i])
            slopes[b] = a * u
            if recall:
                slope_sums[i, 0] += a * u
                slope_sums[i, 1] += a
        for b in range(batch.shape[0]):
            if slopes[b] != 0.0:
                scatter(rows, batch[b], zr, slopes[b], config, sums, lag, t)
    for c in range(zr.shape[0]):
        flush_column(zr, np.uint32(c), config.l1 if c < rows.d else 0.0, config.mu, sums, lag, t)
        lag[c] = 0
    scalars[1], scalars[2], scalars[6], scalars[7] = out, A, cut, scalars[7] + t
