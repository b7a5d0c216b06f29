"""The recursion with mini-batches: the slopes of a batch are all taken at the same point, then the batch is one step.

Its weight is the sum of its rows' weights; the last may be shorter. |z|^2 is followed entry by entry, for the rows of a
batch may share columns.
"""

import math

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import LOOP
from cesaro.linear.problem.scalar_losses import conjugate, slope
from cesaro.linear.solvers.averaging.kernels import CANCELLED, SHRUNK, fold, step, take_weight


@register_jitable(**LOOP)
def dot(rows, i, zr, which):
    """<x_i, z> (which = 0) or <x_i, r> (1)."""
    m = rows.bias * zr[rows.d, which]
    for j in range(rows.ptr[i], rows.ptr[i + np.uint32(1)]):
        m += rows.data[j] * zr[rows.col[j], which]
    return m


@register_jitable(**LOOP)
def scatter(rows, i, zr, g, h):
    """z += g x_i, r += h x_i; what |z|^2 grows by."""
    z = zr[rows.d, 0]
    grown = g * rows.bias * (2.0 * z + g * rows.bias)
    zr[rows.d, 0] += g * rows.bias
    zr[rows.d, 1] += h * rows.bias
    for j in range(rows.ptr[i], rows.ptr[i + np.uint32(1)]):
        c, x = rows.col[j], rows.data[j]
        grown += g * x * (2.0 * zr[c, 0] + g * x)
        zr[c, 0] += g * x
        zr[c, 1] += h * x
    return grown


@register_jitable(**LOOP)
def batch_weight(v, gamma, batch):
    """The weight of a batch."""
    if v.shape[0] == 1:
        return gamma * v[0] * batch.shape[0]
    a = 0.0
    for i in batch:
        a += gamma * v[i]
    return a


@njit(**LOOP)
def run_epoch_minibatch(rows, y, v, order, gamma, config, zr, scalars, slope_sums, slopes):
    """`kernels.run_epoch` in batches of len(slopes) rows."""
    alpha, out, A, anchor, zz = scalars[0], scalars[1], scalars[2], scalars[3], scalars[4]
    scale, cut, t = scalars[5], scalars[6], np.int64(scalars[7])
    weighted, recall, size = v.shape[0] > 1, slope_sums.shape[0] > 0, slopes.shape[0]
    s, scale = step(config, config.radius, config.mu, anchor + A, scale, zz)
    for k in range(0, order.shape[0], size):
        batch = order[k : k + size]
        a = batch_weight(v, gamma, batch)
        A, alpha, out = take_weight(config, a, s, A, alpha, out)
        t += 1
        for b in range(batch.shape[0]):
            i = batch[b]
            a = gamma * v[i] if weighted else gamma
            mz = dot(rows, i, zr, 0)
            p = (alpha * mz + dot(rows, i, zr, 1)) / out if config.primal else s * mz
            u = slope(config.loss, p, y[i])
            cut -= a * conjugate(config.loss, u, y[i])
            slopes[b] = a * u / scale
            if recall:
                slope_sums[i, 0] += a * u
                slope_sums[i, 1] += a
        before = zz
        for b in range(batch.shape[0]):
            if slopes[b] != 0.0:
                zz += scatter(rows, batch[b], zr, slopes[b], -alpha * slopes[b])
        if config.radius < math.inf and zz < CANCELLED * before:
            zz, alpha, scale = fold(zr, alpha, scale), 0.0, 1.0
        s, scale = step(config, config.radius, config.mu, anchor + A, scale, zz)
        if t & (t - 1) == 0 or scale < SHRUNK:
            zz, s, alpha, scale = fold(zr, alpha, scale), s / scale, 0.0, 1.0
    scalars[0], scalars[1], scalars[2], scalars[4], scalars[5], scalars[6], scalars[7] = (
        alpha,
        out,
        A,
        zz,
        scale,
        cut,
        t,
    )
