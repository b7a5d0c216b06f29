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
from cesaro.linear.solvers.averaging.kernels import CANCELLED, SHRUNK, fold, output_weight, step


@register_jitable(**LOOP)
def dot(rows, i, zr, which):
    """<x_i, z> (which = 0) or <x_i, r> (1)."""
    m = rows.bias * zr[rows.d, which]
    for j in range(rows.ptr[i], rows.ptr[i + np.uint32(1)]):
        m += rows.data[j] * zr[rows.col[j], which]
    return m


@register_jitable(**LOOP)
def push(rows, i, zr, g, h):
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
def weigh(v, gamma, batch):
    """The weight of a batch."""
    if v.shape[0] == 1:
        return gamma * v[0] * batch.shape[0]
    a = 0.0
    for i in batch:
        a += gamma * v[i]
    return a


@njit(**LOOP)
def visit_batches(rows, y, v, order, gamma, how, zr, now, seen, slopes):
    """`recursion.visit` in batches of len(slopes) rows."""
    alpha, out, A, anchor, zz, scale, cc, t = now[0], now[1], now[2], now[3], now[4], now[5], now[6], np.int64(now[7])
    weighted, recall, size = v.shape[0] > 1, seen.shape[0] > 0, slopes.shape[0]
    s, scale = step(how, how.radius, how.mu, anchor + A, scale, zz)
    for k in range(0, order.shape[0], size):
        batch = order[k : k + size]
        a = weigh(v, gamma, batch)
        A += a
        t += 1
        o = output_weight(how, a, A)
        alpha += o * s
        out += o
        for b in range(batch.shape[0]):
            i = batch[b]
            a = gamma * v[i] if weighted else gamma
            mz = dot(rows, i, zr, 0)
            p = (alpha * mz + dot(rows, i, zr, 1)) / out if how.primal else s * mz
            u = slope(how.code, how.param, p, y[i])
            cc -= a * conjugate(how.code, how.param, u, y[i])
            slopes[b] = a * u / scale
            if recall:
                seen[i, 0] += a * u
                seen[i, 1] += a
        before = zz
        for b in range(batch.shape[0]):
            if slopes[b] != 0.0:
                zz += push(rows, batch[b], zr, slopes[b], -alpha * slopes[b])
        if how.radius < math.inf and zz < CANCELLED * before:
            zz, alpha, scale = fold(zr, alpha, scale), 0.0, 1.0
        s, scale = step(how, how.radius, how.mu, anchor + A, scale, zz)
        if t & (t - 1) == 0 or scale < SHRUNK:
            zz, s, alpha, scale = fold(zr, alpha, scale), s / scale, 0.0, 1.0
    now[0], now[1], now[2], now[4], now[5], now[6], now[7] = alpha, out, A, zz, scale, cc, t
