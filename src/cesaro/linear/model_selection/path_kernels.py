"""Implicit dual averaging of many models in one pass, for searches: uniform weights, an anchor, and not the slope
at the old point but the one, -b = phi'(p), consistent with the point after the step. All losses but the logistic
are phi(p) = max_b b (y - p) - bend b^2 / 2 - eps |b| over an interval. So with h = sum a b x and w = h / (mu Gamma)

    b = clip( dead(y mu Gamma - <x, h>, eps mu Gamma) / (a |x|^2 + bend mu Gamma) ),    dead(r, e) = r -+ e beyond +-e

is one formula for every lane of a vector register, and hardly depends on the anchor. Points are averaged at snapshots,
once in `stride` rows, so that a lane is one vector and not two; b y - bend b^2 / 2 - eps |b| sums to the lane's cut.
Lanes are float32 where speed matters: half the memory traffic. Sums of numbers are flushed to float64 at snapshots.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import INLINE, LOOP
from cesaro.compiled.llvm_vectors import maximum, minimum
from cesaro.compiled.prefetch import prefetch
from cesaro.compiled.vector_ops import add_rows, add_to_row, dot_rows, map_lanes
from cesaro.linear.problem.csr import NEAR, ONE, ahead
from cesaro.linear.problem.scalar_losses import conjugate, value
from cesaro.losses import LOGISTIC, DualForm

LARGEST = 1e30  # the limit of dual values in float32 that stands for none


def bounded(loss: DualForm) -> DualForm:
    """The loss with limits that float32 has."""
    low, high, cap = (float(np.clip(limit, -LARGEST, LARGEST)) for limit in (loss.low, loss.high, loss.cap))
    return loss._replace(low=low, high=high, cap=cap)


class Pack(NamedTuple):
    """The lanes of a pass. `mask` tells which lanes learn from a row: those with mask[pattern[i]] = 1 from row i."""

    h: np.ndarray  # (d + 1, L)
    mu: np.ndarray  # (L,)
    l1: np.ndarray  # (L,)
    target: np.ndarray  # (L,) column of Y
    mask: np.ndarray  # (patterns, L): 0 or 1
    gap: np.ndarray  # (patterns, 2): the lanes from gap[0] on, gap[1] in number, have mask 0 there and are left out
    G: np.ndarray  # (L,) mu Gamma
    cut: np.ndarray  # (L,) the cut's sum since the last snapshot
    y: np.ndarray  # (L,) work: targets, margins, increments, thresholds
    m: np.ndarray
    g: np.ndarray
    T: np.ndarray
    average: np.ndarray  # (d + 1, L) float64: sum of o w
    sums: np.ndarray  # (5, L) float64: A, gamma_0, the cut, sum of o, o / (mu Gamma)
    met: np.ndarray  # (patterns,) weight of the rows of each pattern since the last snapshot


A, ANCHOR, CUT, OUT, SHARE = range(5)


@register_jitable(**LOOP)
def soft(z, threshold):
    """sign(z) (|z| - threshold)_+."""
    return max(z - threshold, z * 0) - max(-z - threshold, z * 0)


@register_jitable(**INLINE)
def margins(rows, i, h, m, gap):
    """m = <x_i, h>."""
    real = m.dtype.type
    for k in range(m.shape[0]):
        m[k] = real(rows.bias) * h[rows.d, k]
    dot_rows(m, rows.data, rows.col, np.intp(rows.ptr[i]), np.intp(rows.ptr[i + ONE]), h, gap)


@register_jitable(**LOOP)
def soft_margins(rows, i, h, m, T):
    """The same with every lane's h behind its threshold, the intercept's excepted."""
    real = m.dtype.type
    for k in range(m.shape[0]):
        m[k] = real(rows.bias) * h[rows.d, k]
    for j in range(rows.ptr[i], rows.ptr[i + ONE]):
        x, c = real(rows.data[j]), rows.col[j]
        for k in range(m.shape[0]):
            m[k] += x * soft(h[c, k], T[k])


@njit(**LOOP)
def row_squares(rows, q):
    """q_i = |x_i|^2, the intercept's feature included."""
    for i in range(q.shape[0]):
        q[i] = rows.bias * rows.bias
        for j in range(rows.ptr[i], rows.ptr[i + 1]):
            q[i] += rows.data[j] * rows.data[j]


@register_jitable(**INLINE)
def spread(rows, i, h, g, gap):
    """h += x_i g^T."""
    real = g.dtype.type
    if rows.bias != 0.0:
        add_to_row(h, rows.d, real(rows.bias), g, gap)
    add_rows(h, rows.data, rows.col, np.intp(rows.ptr[i]), np.intp(rows.ptr[i + ONE]), g, gap)


def formula(a, q, bend, half, eps, low, high, cap, zero, y, mu, mask, m, G, cut, g):
    """Every lane's implicit step, g = a b: the new mu Gamma, the new sum of the cut, and g."""
    G = G + a * mu * mask
    r, e = y * G - m, eps * G
    r = maximum(r - e, zero) - maximum(-r - e, zero)
    bottom, top = low + cap * minimum(y, zero), high + cap * maximum(y, zero)
    b = minimum(top, maximum(bottom, r / (q + bend * G)))
    g = a * mask * b
    return G, cut + g * (y - half * b) - eps * maximum(g, -g), g


def straight(a, inverse, low, high, cap, zero, y, mu, mask, m, G, cut, g):
    """The same with bend = eps = 0 (hinge, quantile): nothing to divide by."""
    G = G + a * mu * mask
    bottom, top = low + cap * minimum(y, zero), high + cap * maximum(y, zero)
    g = a * mask * minimum(top, maximum(bottom, (y * G - m) * inverse))
    return G, cut + g * y, g


def each_target(a, q, bend, half, eps, low, high, cap, zero, y, mu, mask, m, G, cut, g):
    """The same where every lane has a target of its own."""
    return formula(a, q, bend, half, eps, low, high, cap, zero, y, mu, mask, m, G, cut, g)


step_lanes, step_straight, step_each = map_lanes(formula), map_lanes(straight), map_lanes(each_target)


@register_jitable(**INLINE)
def respond(shape, a, q, one, y, m, g, G, mu, mask, cut, gap):
    """The formula at every lane; whether any of them moves. `one` tells that they share the target y[0]."""
    real = m.dtype.type
    a, q, low, high, cap, zero = (
        real(a),
        real(a * q + 1e-30),
        real(shape.low),
        real(shape.high),
        real(shape.cap),
        real(0),
    )
    bend, half, eps = real(shape.bend), real(shape.bend / 2), real(shape.eps)
    if one and shape.bend == 0.0 and shape.eps == 0.0:
        return step_straight((a, real(1) / q, low, high, cap, zero, y[0]), (mu, mask, m, G, cut, g), gap)
    if one:
        return step_lanes((a, q, bend, half, eps, low, high, cap, zero, y[0]), (mu, mask, m, G, cut, g), gap)
    return step_each((a, q, bend, half, eps, low, high, cap, zero), (y, mu, mask, m, G, cut, g), gap)


@register_jitable(**LOOP)
def share(m, H):
    """The root a = 1 / (1 + exp(m + H a)), by Newton's method in t = log(a / (1 - a)) between -m - H and -m."""
    low, high = -m - H, -m
    t = max(low, min(high, 0.0))
    for _ in range(30):
        e = math.exp(-abs(t))
        a = 1.0 / (1.0 + e) if t > 0.0 else e / (1.0 + e)
        excess = t + m + H * a
        if excess > 0.0:
            high = t
        else:
            low = t
        new = t - excess / (1.0 + H * a * (1.0 - a))
        new = new if low <= new <= high else 0.5 * (low + high)
        if abs(new - t) <= 1e-12 * (1.0 + abs(t)):
            break
        t = new
    return a


@register_jitable(**LOOP)
def respond_logistic(loss, a, q, y, m, g, G, mu, mask, cut):
    """The same for the logistic loss, one lane at a time."""
    for k in range(m.shape[0]):
        G[k] += a * mu[k] * mask[k]
        b = y[k] * share(float(y[k] * m[k] / G[k]), a * q / G[k])
        g[k] = a * mask[k] * b
        cut[k] -= a * mask[k] * conjugate(loss, -float(b), float(y[k]))


@register_jitable(**LOOP)
def snapshot(pack, sparse, o):
    """Flush the scalars; average += o w."""
    h, s, L = pack.h, pack.sums, pack.mu.shape[0]
    for p in range(pack.met.shape[0]):
        for k in range(L):
            s[A, k] += pack.met[p] * pack.mask[p, k]
        pack.met[p] = 0.0
    for k in range(L):
        s[CUT, k] += pack.cut[k]
        s[OUT, k] += o
        pack.cut[k] = 0.0
        pack.G[k] = pack.mu[k] * (s[A, k] + s[ANCHOR, k])
        pack.T[k] = pack.l1[k] * s[A, k]
        s[SHARE, k] = o / pack.G[k]
    last = h.shape[0] - 1  # the intercept's
    for j in range(h.shape[0]):
        if sparse and j < last:
            for k in range(L):
                pack.average[j, k] += s[SHARE, k] * soft(h[j, k], pack.T[k])
        else:
            for k in range(L):
                pack.average[j, k] += s[SHARE, k] * h[j, k]


@register_jitable(**LOOP)
def aim(Y, i, target, y):
    """Every lane's target of row i."""
    real = y.dtype.type
    for k in range(y.shape[0]):
        y[k] = real(Y[i, target[k]])


@njit(**LOOP)
def visit_implicit(rows, Y, v, q, pattern, order, shape, sparse, pack, stride, t):
    """One epoch of every lane; `t` rows were seen before, a snapshot is due every `stride` rows with weight t^3."""
    y, m, g, G, T, real, unit = pack.y, pack.m, pack.g, pack.G, pack.T, pack.m.dtype.type, order.shape[0]
    one = Y.shape[1] == 1 and shape.kind != LOGISTIC
    for k in range(order.shape[0]):
        ahead(rows, Y, v, order, k)
        if k + NEAR < unit:
            prefetch(pattern, np.intp(order[k + NEAR]))
            prefetch(q, np.intp(order[k + NEAR]))
        i = order[k]
        a, p = v[i], np.intp(pattern[i])
        mask = pack.mask[p]
        pack.met[p] += a
        gap = (pack.gap[p, 0], pack.gap[p, 1])
        if one:
            y[0] = real(Y[i, 0])
        else:
            aim(Y, i, pack.target, y)
        if sparse:
            for lane in range(m.shape[0]):
                T[lane] += real(a) * pack.l1[lane] * mask[lane]
            soft_margins(rows, i, pack.h, m, T)
        else:
            margins(rows, i, pack.h, m, gap)
        if shape.kind == LOGISTIC:
            respond_logistic(shape, a, q[i], y, m, g, G, pack.mu, mask, pack.cut)
            spread(rows, i, pack.h, g, gap)
        elif respond(shape, a, q[i], one, y, m, g, G, pack.mu, mask, pack.cut, gap):
            spread(rows, i, pack.h, g, gap)
        t += 1
        if t % stride == 0 or k == order.shape[0] - 1:
            snapshot(pack, sparse, (t / unit) ** 3)
    return t


def value_formula(a, bend, half, eps, low, high, cap, zero, mask, y, m, loss):
    """loss + a phi(m, y) for the lanes that learn from the row."""
    r = y - m
    bottom, top = low + cap * minimum(y, zero), high + cap * maximum(y, zero)
    b = minimum(top, maximum(bottom, (maximum(r - eps, zero) - maximum(-r - eps, zero)) / bend))
    return (loss + a * mask * (b * (r - half * b) - eps * maximum(b, -b)),)


value_lanes = map_lanes(value_formula)


@register_jitable(**LOOP)
def lose(shape, a, y, m, mask, loss):
    """The losses of every lane."""
    real = m.dtype.type
    low, high, cap = real(shape.low), real(shape.high), real(shape.cap)
    bend, half, eps = real(shape.bend + 1e-30), real(shape.bend / 2), real(shape.eps)
    value_lanes((real(a), bend, half, eps, low, high, cap, real(0)), (mask, y, m, loss), (0, 0))


@njit(**LOOP)
def look(rows, Y, v, pattern, order, shape, pack, W, loss, held, held_out, place):
    """loss += every lane's loss at W on the rows it learns from. Its prediction on another row i goes to held_out[i]:

    held[p] lists the lanes (then L) that pattern p leaves out, place[k] is lane k's column."""
    m, y, L = pack.m, pack.y, pack.mu.shape[0]
    for k in range(order.shape[0]):
        ahead(rows, Y, v, order, k)
        i = order[k]
        p = np.intp(pattern[i])
        margins(rows, i, W, m, (0, 0))
        aim(Y, i, pack.target, y)
        if shape.kind == LOGISTIC:
            for lane in range(L):
                loss[lane] += v[i] * pack.mask[p, lane] * value(shape, float(m[lane]), float(y[lane]))
        else:
            lose(shape, v[i], y, m, pack.mask[p], pack.cut)
        if k % 256 == 255 or k == order.shape[0] - 1:
            for lane in range(L):
                loss[lane] += pack.cut[lane]
                pack.cut[lane] = 0
        for j in range(held.shape[1]):
            if held[p, j] < L:
                held_out[i, place[held[p, j]]] = m[held[p, j]]
