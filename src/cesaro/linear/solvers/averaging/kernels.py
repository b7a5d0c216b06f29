"""One recursion for every averaging method of a linear model, in O(nnz) per row. Two vectors and a scalar carry all:

    w_t = s z            the dual average: z sums gamma_k phi'_k x_k, and s = -min(1, R mu Gamma / |z|) / (mu Gamma)
    sum o_k w_k = alpha z + r      any average of it: alpha += o s before z changes, r -= alpha delta after

so a row touches its own columns only. The slope is taken at w (GDA, SC-RDA, Pegasos: `visit`) or at the average itself
(SC-PDA, PA-PSG: `visit_average`). Where the projection is kept (Pegasos, PA-PSG) z is shrunk with it: it is `scale`
times what is stored. |z|^2 follows from the margin, |z + g x|^2 = |z|^2 + 2 g <z, x> + g^2 |x|^2: a ball costs nothing.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL, SCALAR
from cesaro.compiled.vector_ops import add_pairs, dot_pairs
from cesaro.linear.problem.csr import ONE, TWO, ahead, entry, span, square
from cesaro.linear.problem.scalar_losses import HINGE, conjugate, slope


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
ALPHA, OUT, DONE, ANCHOR, SQUARE, SCALE, CUT, SEEN = range(8)


def loss_of(how: How) -> tuple[int, float] | None:
    """The loss as `visit` takes it."""
    return None if how.code == HINGE else (how.code, how.param)


@njit(**KERNEL)
def step(how, radius, mu, Gamma, scale, zz):
    """s of w = s z, and the scale of z, which shrinks where the projection is kept."""
    if Gamma <= 0.0:
        return 0.0, scale
    inside = 1.0
    if radius is not None:
        norm = scale * math.sqrt(max(0.0, zz))
        if norm > radius * mu * Gamma:
            inside = radius * mu * Gamma / norm
    return -scale * inside / (mu * Gamma), scale * inside if how.keep else scale


@register_jitable(**KERNEL)
def output_weight(how, a, A):
    """o_t."""
    part = A / how.total
    return a * (part * part * part) if how.cubic else a


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
def visit(rows, targets, v, order, gamma, how, loss, radius, zr, now, seen, alike):
    """Take the rows in `order`, row i with weight gamma v_i, slopes at w. `zr` holds z and r, the intercept's last.

    Only z is touched: what r owes to row i waits beside its target, in targets[i, 1], for `settle`. Where there are no
    weights, no ball, no slopes to recall, v, radius, seen are None, and so is `loss` (a code and its parameter) where it
    is the hinge: the kernel is then compiled without them. `alike` receives the rows that did not move w and, from the
    last place back, those that did; returns how many did not.
    """
    data, col, at, own = rows.data, rows.col, zr[:, 0], targets.reshape(targets.size)
    alpha, out, A, anchor, zz, scale, cc, t = now[0], now[1], now[2], now[3], now[4], now[5], now[6], np.int64(now[7])
    bias, d = rows.bias, np.uint64(rows.d)
    s, scale = step(how, radius, how.mu, anchor + A, scale, zz)
    first, last = np.uint64(0), np.uint64(order.shape[0])
    for k in range(order.shape[0]):
        ahead(rows, targets, v, order, k)
        i = order[k]
        a = gamma
        if v is not None:
            a = gamma * v[i]
            if a == 0.0:
                alike[first] = i
                first += ONE
                continue
        start, stop = span(rows, i)
        y = own[TWO * i]
        mz, odd, j = bias * at[d], 0.0, start
        while j + ONE < stop:  # two sums, so that one addition need not wait for the other
            mz += entry(data, j) * at[col[j]]
            odd += entry(data, j + ONE) * at[col[j + ONE]]
            j += TWO
        mz += odd + entry(data, j) * at[col[j]] if j < stop else odd
        A += a
        t += 1
        o = output_weight(how, a, A)
        alpha += o * s
        out += o
        if loss is None:  # the hinge, written out
            if y * (s * mz) < 1.0:
                u = -y
                cc += a
            else:
                u = 0.0
        else:
            u = slope(loss[0], loss[1], s * mz, y)
            cc -= a * conjugate(loss[0], loss[1], u, y)
        if seen is not None:
            seen[i, 0] += a * u
            seen[i, 1] += a
        if u != 0.0:
            last -= ONE
            alike[last] = i
            g = a * u if radius is None else a * u / scale
            own[TWO * i + ONE] += alpha * g
            for e in range(start, stop):
                at[col[e]] += g * entry(data, e)
            at[d] += g * bias
            if radius is not None:
                before = zz
                zz += g * (2.0 * mz + g * square(rows, i))
                if zz < CANCELLED * before:
                    zz, alpha, scale = fold(zr, alpha, scale), 0.0, 1.0
        else:
            alike[first] = i
            first += ONE
        s, scale = step(how, radius, how.mu, anchor + A, scale, zz)
        if t & (t - 1) == 0 or (radius is not None and scale < SHRUNK):
            zz, s, alpha, scale = fold(zr, alpha, scale), s / scale, 0.0, 1.0
    now[0], now[1], now[2], now[4], now[5], now[6], now[7] = alpha, out, A, zz, scale, cc, t
    return np.int64(first)


@njit(**KERNEL)
def settle(rows, targets, zr):
    """r -= sum_i later_i x_i: the average receives what `visit` has put down for it."""
    for i in range(targets.shape[0]):
        h = targets[i, 1]
        if h != 0.0:
            for j in range(rows.ptr[i], rows.ptr[i + 1]):
                zr[rows.col[j], 1] -= h * entry(rows.data, j)
            zr[rows.d, 1] -= h * rows.bias
            targets[i, 1] = 0.0


@njit(**SCALAR)
def visit_average(rows, targets, v, order, gamma, how, loss, radius, zr, now, seen, alike):
    """`visit` with the slopes at the average itself: z and r are read and written together, as pairs."""
    alpha, out, A, anchor, zz, scale, cc, t = now[0], now[1], now[2], now[3], now[4], now[5], now[6], np.int64(now[7])
    s, scale = step(how, radius, how.mu, anchor + A, scale, zz)
    first, last = np.uint64(0), np.uint64(order.shape[0])
    for k in range(order.shape[0]):
        ahead(rows, targets, v, order, k)
        i = order[k]
        a = gamma
        if v is not None:
            a = gamma * v[i]
            if a == 0.0:
                alike[first] = i
                first += ONE
                continue
        start, stop = span(rows, i)
        y = targets[i, 0]
        mz, mr = dot_pairs(rows.data, rows.col, start, stop, zr)
        mz += rows.bias * zr[rows.d, 0]
        mr += rows.bias * zr[rows.d, 1]
        A += a
        t += 1
        o = output_weight(how, a, A)
        alpha += o * s
        out += o
        if loss is None:
            if y * (alpha * mz + mr) < out:
                u = -y
                cc += a
            else:
                u = 0.0
        else:
            u = slope(loss[0], loss[1], (alpha * mz + mr) / out, y)
            cc -= a * conjugate(loss[0], loss[1], u, y)
        if seen is not None:
            seen[i, 0] += a * u
            seen[i, 1] += a
        if u != 0.0:
            last -= ONE
            alike[last] = i
            g = a * u if radius is None else a * u / scale
            add_pairs(zr, rows.data, rows.col, start, stop, g, -alpha * g)
            zr[rows.d, 0] += g * rows.bias
            zr[rows.d, 1] -= alpha * g * rows.bias
            if radius is not None:
                before = zz
                zz += g * (2.0 * mz + g * square(rows, i))
                if zz < CANCELLED * before:
                    zz, alpha, scale = fold(zr, alpha, scale), 0.0, 1.0
        else:
            alike[first] = i
            first += ONE
        s, scale = step(how, radius, how.mu, anchor + A, scale, zz)
        if t & (t - 1) == 0 or (radius is not None and scale < SHRUNK):
            zz, s, alpha, scale = fold(zr, alpha, scale), s / scale, 0.0, 1.0
    now[0], now[1], now[2], now[4], now[5], now[6], now[7] = alpha, out, A, zz, scale, cc, t
    return np.int64(first)
