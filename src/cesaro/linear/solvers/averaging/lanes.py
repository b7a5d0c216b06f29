"""L models in one pass: the recursion of `recursion` with z and r of every model side by side, state (d + 1, 2 L).

One gather of a feature then loads the weights of all models at once, and the loops over models are SIMD. A lane has its
own mu, its own column of targets and of row weights; a row is skipped by the lanes that give it weight 0 (held out).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL, LOOP
from cesaro.linear.problem.csr import ahead
from cesaro.linear.problem.scalar_losses import conjugate, slope, value
from cesaro.linear.solvers.averaging.kernels import (
    ALPHA,
    ANCHOR,
    CANCELLED,
    CUT,
    DONE,
    OUT,
    SCALE,
    SHRUNK,
    SQUARE,
    output_weight,
    step,
)


class Lanes(NamedTuple):
    """What distinguishes the lanes."""

    mu: np.ndarray  # (L,)
    target: np.ndarray  # (L,) column of Y
    weight: np.ndarray  # (L,) column of V


@njit(**KERNEL)
def fold_lanes(W, S):
    """`recursion.fold` for every lane."""
    L = S.shape[1]
    S[SQUARE] = 0.0
    for j in range(W.shape[0]):
        for k in range(L):
            W[j, L + k] += S[ALPHA, k] * W[j, k]
            W[j, k] *= S[SCALE, k]
            S[SQUARE, k] += W[j, k] * W[j, k]
    S[ALPHA] = 0.0
    S[SCALE] = 1.0


@register_jitable(**LOOP)
def margins(rows, i, W, m):
    """m = <x_i, W> for as many columns as m is long; returns |x_i|^2."""
    q = rows.bias * rows.bias
    for k in range(m.shape[0]):
        m[k] = rows.bias * W[rows.d, k]
    for j in range(rows.ptr[i], rows.ptr[i + np.uint32(1)]):
        c, x = rows.col[j], rows.data[j]
        q += x * x
        for k in range(m.shape[0]):
            m[k] += x * W[c, k]
    return q


@register_jitable(**LOOP)
def spread(rows, i, W, g):
    """W += x_i g^T."""
    for k in range(g.shape[0]):
        W[rows.d, k] += rows.bias * g[k]
    for j in range(rows.ptr[i], rows.ptr[i + np.uint32(1)]):
        c, x = rows.col[j], rows.data[j]
        for k in range(g.shape[0]):
            W[c, k] += x * g[k]


@register_jitable(**LOOP)
def respond(how, mu, S, k, a, y, mz, mr, q):
    """Lane k meets a row of weight a and margins mz, mr: its scalars advance.

    Returns how much of the row z takes, and whether the lane must be folded.
    """
    s, S[SCALE, k] = step(how, how.radius, mu, S[ANCHOR, k] + S[DONE, k], S[SCALE, k], S[SQUARE, k])
    S[DONE, k] += a
    o = output_weight(how, a, S[DONE, k])
    S[ALPHA, k] += o * s
    S[OUT, k] += o
    p = (S[ALPHA, k] * mz + mr) / S[OUT, k] if how.primal else s * mz
    u = slope(how.code, how.param, p, y)
    S[CUT, k] -= a * conjugate(how.code, how.param, u, y)
    g, before = a * u / S[SCALE, k], S[SQUARE, k]
    S[SQUARE, k] += g * (2.0 * mz + g * q)
    return g, S[SQUARE, k] < CANCELLED * before or S[SCALE, k] < SHRUNK


@njit(**LOOP)
def visit_lanes(rows, Y, V, order, gamma, how, lanes, W, S, work, t):
    """`recursion.visit` for every lane: row i has weight gamma V[i, lanes.weight]; W and S are as wide as 2 L and L.

    `work` is (2, 2 L); `t` rows were seen before. Returns how many have been seen now."""
    L, m, g = S.shape[1], work[0], work[1]
    read = m if how.primal else m[:L]
    for k in range(order.shape[0]):
        ahead(rows, Y, V, order, k)
        i = order[k]
        q = margins(rows, i, W, read)
        moved, due = False, False
        for lane in range(L):
            a = gamma * V[i if V.shape[0] > 1 else 0, lanes.weight[lane]]
            g[lane] = 0.0
            if a > 0.0:
                y = Y[i, lanes.target[lane]]
                g[lane], cancelled = respond(how, lanes.mu[lane], S, lane, a, y, m[lane], m[L + lane], q)
                due |= cancelled
            g[L + lane] = -S[ALPHA, lane] * g[lane]
            moved |= g[lane] != 0.0
        if moved:
            spread(rows, i, W, g)
        t += 1
        if t & (t - 1) == 0 or (due and how.radius < np.inf):
            fold_lanes(W, S)
    return t


@njit(**LOOP)
def lane_losses(rows, Y, V, order, how, lanes, W, m, total):
    """total += the weighted losses of every lane over the rows in `order`, at the points W (d + 1, L)."""
    for k in range(order.shape[0]):
        ahead(rows, Y, V, order, k)
        i = order[k]
        margins(rows, i, W, m)
        for lane in range(m.shape[0]):
            weight = V[i if V.shape[0] > 1 else 0, lanes.weight[lane]]
            if weight > 0.0:
                total[lane] += weight * value(how.code, how.param, m[lane], Y[i, lanes.target[lane]])
