"""One recursion for every averaging method of a linear model, in O(nnz) per row. Two vectors and a scalar carry all:

    w_t = s z            the dual average: z sums gamma_k phi'_k x_k, and s = -min(1, R mu Gamma / |z|) / (mu Gamma)
    sum o_k w_k = alpha z + r      any average of it: alpha += o s before z changes, r -= alpha delta after

so a row touches its own columns only. The slope is taken at w (GDA, SC-RDA, Pegasos) or at the average itself (SC-PDA,
PA-PSG). Where the projection is kept (Pegasos, PA-PSG) z is shrunk with it: it is `scale` times what is stored.
|z|^2 follows from the margin, |z + g x|^2 = |z|^2 + 2 g <z, x> + g^2 |x|^2: a ball costs nothing.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from cesaro.linear.jit import KERNEL, SCALAR
from cesaro.linear.loss_codes import HINGE, conjugate, slope
from cesaro.linear.rows import prefetch


class How(NamedTuple):
    """What a run is, for the kernels."""

    code: int  # the loss
    param: float
    mu: float
    l1: float
    radius: float
    primal: bool  # slopes at the average
    keep: bool  # the projection is kept
    cubic: bool  # output weights o_t = a_t A_t^3 instead of a_t
    total: float  # sum of the row weights: the unit of A_t in o_t


class Now(NamedTuple):
    """The scalars of a run, in units of the present epoch's weight; kernels hold them as an array in this order."""

    alpha: float = 0.0  # the average is (alpha z + r) / O
    O: float = 0.0  # noqa: E741  sum of output weights
    A: float = 0.0  # sum of row weights
    anchor: float = 0.0  # gamma_0: Gamma = gamma_0 + A
    zz: float = 0.0  # |z|^2 as stored
    scale: float = 1.0
    cc: float = 0.0  # sum of a (-phi*): with z the cut of this epoch
    t: float = 0.0  # rows or batches seen


CANCELLED = 1e-4  # |z|^2 that fell to this part of itself in one step has lost digits: compute it anew
SHRUNK = 1e-3  # a scale so small that alpha z and r would cancel
ONE, TWO = np.uint32(1), np.uint32(2)  # unsigned, like the indices they are added to
ALPHA, OUT, DONE, ANCHOR, SQUARE, SCALE, CUT, SEEN = range(8)


@njit(**KERNEL)
def ahead(rows, y, v, order, k):
    """Prefetch what the rows 4 and 8 places ahead will need."""
    n = order.shape[0]
    if k + 8 < n:
        soon = np.intp(order[k + 8])
        prefetch(rows.ptr, soon)
        prefetch(y, soon)
        if v.shape[0] > 1:
            prefetch(v, soon)
    if k + 4 < n:
        i = order[k + 4]
        first, last = np.intp(rows.ptr[i]), np.intp(rows.ptr[i + np.uint32(1)]) - 1
        prefetch(rows.data, first)
        prefetch(rows.data, (first + last) >> 1)
        prefetch(rows.data, last)
        prefetch(rows.col, first)
        prefetch(rows.col, last)


@njit(**KERNEL)
def step(how, mu, Gamma, scale, zz):
    """s of w = s z, and the scale of z, which shrinks where the projection is kept."""
    if Gamma <= 0.0:
        return 0.0, scale
    inside = 1.0
    if how.radius < math.inf:
        norm = scale * math.sqrt(max(0.0, zz))
        if norm > how.radius * mu * Gamma:
            inside = how.radius * mu * Gamma / norm
    return -scale * inside / (mu * Gamma), scale * inside if how.keep else scale


@njit(**KERNEL)
def fold(zr, alpha, scale):
    """r += alpha z (then alpha = 0), z *= scale (then 1); returns |z|^2. At powers of two, lest they cancel."""
    square = 0.0
    for j in range(zr.shape[0]):
        zr[j, 1] += alpha * zr[j, 0]
        zr[j, 0] *= scale
        square += zr[j, 0] * zr[j, 0]
    return square


@njit(**SCALAR)
def visit(rows, y, v, order, gamma, how, zr, now, seen):
    """Take the rows in `order`, row i with weight gamma v_i. `zr` holds z and r side by side, the intercept's last."""
    data, col, ptr, at = rows.data, rows.col, rows.ptr, zr.reshape(2 * zr.shape[0])
    ball, weighted, recall, bias, d = how.radius < math.inf, v.shape[0] > 1, seen.shape[0] > 0, rows.bias, TWO * rows.d
    alpha, out, A, anchor, zz, scale, cc, t = now[0], now[1], now[2], now[3], now[4], now[5], now[6], np.int64(now[7])
    s, scale = step(how, how.mu, anchor + A, scale, zz)
    for k in range(order.shape[0]):
        ahead(rows, y, v, order, k)
        i = order[k]
        a = gamma * v[i] if weighted else gamma
        if a == 0.0:
            continue
        start, stop = ptr[i], ptr[i + ONE]
        mz, odd, mr, q, j = bias * at[d], 0.0, bias * at[d + ONE], bias * bias, start
        if how.primal:
            for j in range(start, stop):
                mz += data[j] * at[TWO * col[j]]
                mr += data[j] * at[TWO * col[j] + ONE]
        else:
            while j + ONE < stop:  # two sums, so that one addition need not wait for the other
                mz += data[j] * at[TWO * col[j]]
                odd += data[j + ONE] * at[TWO * col[j + ONE]]
                j += TWO
            mz += odd + data[j] * at[TWO * col[j]] if j < stop else odd
        if ball:
            for j in range(start, stop):
                q += data[j] * data[j]
        A += a
        t += 1
        o = a * (A / how.total) ** 3 if how.cubic else a
        alpha += o * s
        out += o
        p = (alpha * mz + mr) / out if how.primal else s * mz
        if how.code == HINGE:  # written out, for it is the one that is timed
            u = -y[i] if y[i] * p < 1.0 else 0.0
            cc -= a * u * y[i]
        else:
            u = slope(how.code, how.param, p, y[i])
            cc -= a * conjugate(how.code, how.param, u, y[i])
        if recall:
            seen[i, 0] += a * u
            seen[i, 1] += a
        if u != 0.0:
            g = a * u / scale
            h = -alpha * g
            for j in range(start, stop):
                at[TWO * col[j]] += g * data[j]
                at[TWO * col[j] + ONE] += h * data[j]
            at[d] += g * bias
            at[d + ONE] += h * bias
            before = zz
            zz += g * (2.0 * mz + g * q)
            if ball and zz < CANCELLED * before:
                zz, alpha, scale = fold(zr, alpha, scale), 0.0, 1.0
        s, scale = step(how, how.mu, anchor + A, scale, zz)
        if t & (t - 1) == 0 or scale < SHRUNK:
            zz, s, alpha, scale = fold(zr, alpha, scale), s / scale, 0.0, 1.0
    now[0], now[1], now[2], now[4], now[5], now[6], now[7] = alpha, out, A, zz, scale, cc, t
