"""One recursion for every averaging method of a linear model, in O(nnz) per row: GDA (19), SC-PDA (23) and their kin.

Two vectors and a scalar carry all of it:

    w_t = s z            the dual average: z sums gamma_k phi'_k x_k, and s = -min(1, R mu Gamma / |z|) / (mu Gamma)
    sum o_k w_k = alpha z + r      any average of it: alpha += o s before z changes, r -= alpha delta after

so a row touches its own columns only. The slope is taken at w (GDA, SC-RDA, Pegasos) or at the average itself (SC-PDA,
PA-PSG). Where the projection is kept (Pegasos, PA-PSG) z is shrunk with it: it is `scale` times what is stored. |z|^2
follows from the margin, |z + g x|^2 = |z|^2 + 2 g <z, x> + g^2 |x|^2: a ball costs nothing.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL, SCALAR, SCALAR_INLINE
from cesaro.compiled.row_ops import add_pairs, add_single, dot_pairs, dot_single
from cesaro.dual_form import HINGE, DualForm
from cesaro.linear.problem.csr import ONE, TWO, ahead, ahead_long, entry, long_rows_ahead, span, square
from cesaro.linear.problem.scalar_losses import conjugate, slope


class KernelConfig(NamedTuple):
    """What a run is, for the kernels: it does not change."""

    loss: DualForm
    mu: float
    l1: float
    radius: float
    primal: bool  # slopes at the average
    keep: bool  # the projection is kept
    cubic: bool  # output weights o_t = a_t A_t^3 instead of a_t
    total: float  # sum of the row weights: the unit of A_t in o_t


class RunScalars(NamedTuple):
    """The scalars of a run; kernels hold them as an array in this order."""

    alpha: float = 0.0  # the average is (alpha z + r) / O
    O: float = 0.0  # noqa: E741  sum of output weights
    A: float = 0.0  # sum of row weights
    anchor: float = 0.0  # gamma_0: Gamma = gamma_0 + A
    zz: float = 0.0  # |z|^2 as stored
    scale: float = 1.0
    cut: float = 0.0  # sum of a (-phi*) since the last cutting plane
    t: float = 0.0  # rows or batches seen
    gamma: float = 1.0  # the present epoch's weight of a row


CANCELLED = 1e-4  # |z|^2 that fell to this part of itself in one step has lost digits: compute it anew
SHRUNK = 1e-3  # a scale so small that alpha z and r would cancel
ALPHA, OUT, DONE, ANCHOR, SQUARE, SCALE, CUT, STEPS, GAMMA = range(9)


def specialised(config: KernelConfig) -> tuple[DualForm | None, float | None, bool | None]:
    """Loss, radius and `average` as `run_epoch` takes them: None where it is compiled without."""
    loss = None if config.loss.kind == HINGE else config.loss
    radius = config.radius if config.radius < math.inf else None
    return loss, radius, True if config.primal else None


@njit(**KERNEL)
def step(config, radius, mu, Gamma, scale, zz):
    """s of w = s z, and the scale of z, which shrinks where the projection is kept."""
    if Gamma <= 0.0:
        return 0.0, scale
    inside = 1.0
    if radius is not None:
        norm = scale * math.sqrt(max(0.0, zz))
        if norm > radius * mu * Gamma:
            inside = radius * mu * Gamma / norm
    return -scale * inside / (mu * Gamma), scale * inside if config.keep else scale


@register_jitable(**KERNEL)
def output_weight(config, a, A):
    """o_t."""
    part = A / config.total
    return a * (part * part * part) if config.cubic else a


@register_jitable(**SCALAR_INLINE)
def take_weight(config, a, s, A, alpha, out):
    """A, alpha and the sum of output weights, after a row or batch of weight a that was taken at w = s z."""
    o = output_weight(config, a, A + a)
    return A + a, alpha + o * s, out + o


@njit(**KERNEL)
def fold(zr, alpha, scale):
    """r += alpha z (then alpha = 0), z *= scale (then 1); returns |z|^2. At powers of two, lest they cancel.

    Not before the rows have had d entries: until then it would cost more than they do.
    """
    square = 0.0
    for j in range(zr.shape[0]):
        zr[j, 1] += alpha * zr[j, 0]
        zr[j, 0] *= scale
        square += zr[j, 0] * zr[j, 0]
    return square


@register_jitable(**SCALAR_INLINE)
def margins(data, col, bias, d, start, stop, z, zr, average):
    """<x, z>, and <x, r> where the average is read."""
    if average is not None:
        mz, mr = dot_pairs(data, col, start, stop, zr)
        return mz + bias * zr[d, 0], mr + bias * zr[d, 1]
    return dot_single(data, col, np.intp(start), np.intp(stop), z) + bias * z[d], 0.0


@register_jitable(**SCALAR_INLINE)
def scatter(data, col, bias, d, i, start, stop, z, zr, lazy, g, alpha, average):
    """z += g x_i, r -= alpha g x_i; the latter waits in lazy[2 i + 1] for `flush` where the average is not read."""
    if average is not None:
        add_pairs(zr, data, col, start, stop, g, -alpha * g)
        zr[d, 0] += g * bias
        zr[d, 1] -= alpha * g * bias
    else:
        lazy[TWO * i + ONE] += alpha * g
        add_single(z, data, col, np.intp(start), np.intp(stop), g)
        z[d] += g * bias


@njit(**SCALAR)
def run_epoch(rows, targets, v, order, gamma, config, loss, radius, average, zr, scalars, slope_sums, grouped):
    """Take the rows in `order`, row i with weight gamma v_i. `zr` holds z and r, the intercept's last.

    v (weights), loss (the hinge), radius, average (slopes at w) and slope_sums (slopes to recall) are None where there is
    nothing: the kernel is then compiled without. targets[i] holds y_i and the lazy update of r. `grouped` receives the
    rows that did not move w and, from the last place back, those that did; returns how many did not.
    """
    z, lazy = zr[:, 0], targets.reshape(targets.size)
    data, col, bias, d = rows.data, rows.col, rows.bias, np.uint64(rows.d)
    alpha, out, A, anchor, zz, scale, cut = (
        scalars[0],
        scalars[1],
        scalars[2],
        scalars[3],
        scalars[4],
        scalars[5],
        scalars[6],
    )
    t, sparse = np.int64(scalars[STEPS]), np.int64(rows.d) * targets.shape[0] // max(1, col.shape[0])
    s, scale = step(config, radius, config.mu, anchor + A, scale, zz)
    first, last, near = np.uint64(0), np.uint64(order.shape[0]), long_rows_ahead(rows)
    for k in range(order.shape[0]):
        if near < 0:
            ahead(rows, targets, v, order, k)
        else:
            ahead_long(rows, targets, order, k, near)
        i = order[k]
        a = gamma
        if v is not None:
            a = gamma * v[i]
            if a == 0.0:
                grouped[first] = i
                first += ONE
                continue
        start, stop = span(rows, i)
        y = lazy[TWO * i]
        mz, mr = margins(data, col, bias, d, start, stop, z, zr, average)
        A, alpha, out = take_weight(config, a, s, A, alpha, out)
        t += 1
        point, unit = s * mz, 1.0
        if average is not None:
            point, unit = alpha * mz + mr, out
        if loss is None:  # the hinge, written out here: a helper is slower (benchmarks/linear/versions.py)
            if y * point < unit:
                u = -y
                cut += a
            else:
                u = 0.0
        else:
            u = slope(loss, point / unit, y)
            cut -= a * conjugate(loss, u, y)
        if slope_sums is not None:
            slope_sums[i, 0] += a * u
            slope_sums[i, 1] += a
        if u != 0.0:
            last -= ONE
            grouped[last] = i
            g = a * u if radius is None else a * u / scale
            scatter(data, col, bias, d, i, start, stop, z, zr, lazy, g, alpha, average)
            if radius is not None:
                before = zz
                zz += g * (2.0 * mz + g * square(rows, i))
                if zz < CANCELLED * before:
                    zz, alpha, scale = fold(zr, alpha, scale), 0.0, 1.0
        else:
            grouped[first] = i
            first += ONE
        s, scale = step(config, radius, config.mu, anchor + A, scale, zz)
        if (t & (t - 1) == 0 and t >= sparse) or (radius is not None and scale < SHRUNK):
            zz, s, alpha, scale = fold(zr, alpha, scale), s / scale, 0.0, 1.0
    scalars[0], scalars[1], scalars[2], scalars[4] = alpha, out, A, zz
    scalars[5], scalars[6], scalars[7] = scale, cut, t
    return np.int64(first)


@njit(**KERNEL)
def flush(rows, targets, zr):
    """r -= sum_i lazy_i x_i: the average receives the updates that `run_epoch` has put off."""
    for i in range(targets.shape[0]):
        h = targets[i, 1]
        if h != 0.0:
            for j in range(rows.ptr[i], rows.ptr[i + 1]):
                zr[rows.col[j], 1] -= h * entry(rows.data, j)
            zr[rows.d, 1] -= h * rows.bias
            targets[i, 1] = 0.0
