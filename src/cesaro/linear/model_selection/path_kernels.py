"""Implicit dual averaging of many models in one pass, for searches: uniform weights, an anchor, and not the slope
at the old point but the one, -b = phi'(p), consistent with the point after the step. All losses but the logistic
(see `path_logistic`) are phi(p) = max_b b (y - p) - bend b^2 / 2 - eps |b| over an interval. So with h = sum a b x and
w = h / (mu Gamma)

    b = clip( dead(y mu Gamma - <x, h>, eps mu Gamma) / (a |x|^2 + bend mu Gamma) ),    dead(r, e) = r -+ e beyond +-e

is one formula for every model of a vector register, and hardly depends on the anchor. Points are averaged at snapshots,
once in `stride` rows, so that a model is one vector and not two; b y - bend b^2 / 2 - eps |b| sums to the model's cut.
Models are float32 where speed matters: half the memory traffic. Sums of numbers are flushed to float64 at snapshots.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import INLINE, LOOP
from cesaro.compiled.llvm_vectors import maximum, minimum
from cesaro.compiled.prefetch import prefetch
from cesaro.compiled.vector_ops import add_rows, add_to_row, dot_rows, map_lanes
from cesaro.dual_form import LOGISTIC
from cesaro.linear.model_selection.path_logistic import step_logistic
from cesaro.linear.problem.csr import NEAR, ONE, ahead, square


class ModelBatch(NamedTuple):
    """The models of a pass. `mask` tells which models learn from a row: those with mask[pattern[i]] = 1 from row i."""

    h: np.ndarray  # (d + 1, L)
    mu: np.ndarray  # (L,)
    l1: np.ndarray  # (L,)
    target: np.ndarray  # (L,) column of Y
    mask: np.ndarray  # (patterns, L): 0 or 1
    idle: np.ndarray  # (patterns, 2): the models from idle[0] on, idle[1] in number, have mask 0 there and are left out
    G: np.ndarray  # (L,) mu Gamma
    cut: np.ndarray  # (L,) the cut's sum since the last snapshot
    y: np.ndarray  # (L,) work: targets, margins, increments, thresholds
    m: np.ndarray
    g: np.ndarray
    T: np.ndarray
    average: np.ndarray  # (d + 1, L): sum of o w
    sums: np.ndarray  # (4, L) float64: A, gamma_0, the cut, sum of o
    pattern_weight: np.ndarray  # (patterns,) weight of the rows of each pattern since the last snapshot


A, ANCHOR, CUT, OUT = range(4)


@register_jitable(**LOOP)
def soft(z, threshold):
    """sign(z) (|z| - threshold)_+."""
    return max(z - threshold, z * 0) - max(-z - threshold, z * 0)


@register_jitable(**INLINE)
def batch_margins(rows, i, h, m, idle):
    """m = <x_i, h>."""
    real = m.dtype.type
    for k in range(m.shape[0]):
        m[k] = real(rows.bias) * h[rows.d, k]
    dot_rows(m, rows.data, rows.col, np.intp(rows.ptr[i]), np.intp(rows.ptr[i + ONE]), h, idle)


@register_jitable(**LOOP)
def soft_margins(rows, i, h, m, T):
    """The same with every model's h behind its threshold, the intercept's excepted."""
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
        q[i] = square(rows, np.uint32(i))


@register_jitable(**INLINE)
def scatter(rows, i, h, g, idle):
    """h += x_i g^T."""
    real = g.dtype.type
    if rows.bias != 0.0:
        add_to_row(h, rows.d, real(rows.bias), g, idle)
    add_rows(h, rows.data, rows.col, np.intp(rows.ptr[i]), np.intp(rows.ptr[i + ONE]), g, idle)


def formula(a, q, bend, half, eps, low, high, cap, zero, y, mu, mask, m, G, cut, g):
    """Every model's implicit step, g = a b: the new mu Gamma, the new sum of the cut, and g."""
    G = G + a * mu * mask
    r, e = y * G - m, eps * G
    r = maximum(r - e, zero) - maximum(-r - e, zero)
    bottom, top = low + cap * minimum(y, zero), high + cap * maximum(y, zero)
    b = minimum(top, maximum(bottom, r / (q + bend * G)))
    g = a * mask * b
    return G, cut + g * (y - half * b) - eps * maximum(g, -g), g


def formula_without_bend(a, inverse, low, high, cap, zero, y, mu, mask, m, G, cut, g):
    """The same with bend = eps = 0 (hinge, quantile): nothing to divide by."""
    G = G + a * mu * mask
    bottom, top = low + cap * minimum(y, zero), high + cap * maximum(y, zero)
    g = a * mask * minimum(top, maximum(bottom, (y * G - m) * inverse))
    return G, cut + g * y, g


def formula_own_targets(a, q, bend, half, eps, low, high, cap, zero, y, mu, mask, m, G, cut, g):
    """The same where every model has a target of its own."""
    return formula(a, q, bend, half, eps, low, high, cap, zero, y, mu, mask, m, G, cut, g)


def growth(a, mu, mask, G):
    """mu Gamma after a row that rests."""
    return (G + a * mu * mask,)


def product(o, inverse, h, average):
    """average + o w with w = h / (mu Gamma)."""
    return (average + o * inverse * h,)


grow, add_product = map_lanes(growth), map_lanes(product)
step_models, step_without_bend, step_own_targets = (
    map_lanes(formula),
    map_lanes(formula_without_bend),
    map_lanes(formula_own_targets),
)


@register_jitable(**INLINE)
def implicit_step(loss, a, q, one, y, m, g, G, mu, mask, cut, idle):
    """The formula at every model; whether any of them moves. `one` tells that they share the target y[0]."""
    real = m.dtype.type
    a, q, low, high, cap, zero = (
        real(a),
        real(a * q + 1e-30),
        real(loss.low),
        real(loss.high),
        real(loss.cap),
        real(0),
    )
    bend, half, eps = real(loss.bend), real(loss.bend / 2), real(loss.eps)
    if loss.kind == LOGISTIC:
        return step_logistic((a, q, real(0.5), real(1), zero), (y, mu, mask, m, G, cut, g), idle)
    if one and loss.bend == 0.0 and loss.eps == 0.0:
        return step_without_bend((a, real(1) / q, low, high, cap, zero, y[0]), (mu, mask, m, G, cut, g), idle)
    if one:
        return step_models((a, q, bend, half, eps, low, high, cap, zero, y[0]), (mu, mask, m, G, cut, g), idle)
    return step_own_targets((a, q, bend, half, eps, low, high, cap, zero), (y, mu, mask, m, G, cut, g), idle)


@register_jitable(**LOOP)
def snapshot(batch, sparse, o):
    """Flush the scalars; average += o w."""
    h, s, L = batch.h, batch.sums, batch.mu.shape[0]
    for p in range(batch.pattern_weight.shape[0]):
        for k in range(L):
            s[A, k] += batch.pattern_weight[p] * batch.mask[p, k]
        batch.pattern_weight[p] = 0.0
    for k in range(L):
        s[CUT, k] += batch.cut[k]
        s[OUT, k] += o
        batch.cut[k] = 0.0
        batch.G[k] = batch.mu[k] * (s[A, k] + s[ANCHOR, k])
        batch.T[k] = batch.l1[k] * s[A, k]
        batch.m[k] = 1.0 / batch.G[k]
    last, inverse, weight = h.shape[0] - 1, batch.m, h.dtype.type(o)
    if sparse:
        for j in range(last):
            for k in range(L):
                batch.average[j, k] += weight * inverse[k] * soft(h[j, k], batch.T[k])
    for j in range(last if sparse else 0, h.shape[0]):  # the intercept bears no L1
        add_product((weight,), (inverse, h[j], batch.average[j]), (0, 0))


@register_jitable(**LOOP)
def load_targets(Y, i, target, y):
    """Every model's target of row i."""
    real = y.dtype.type
    for k in range(y.shape[0]):
        y[k] = real(Y[i, target[k]])


@njit(**LOOP)
def run_path_epoch(rows, Y, v, q, pattern, order, begin, end, loss, sparse, batch, stride, rest, t):
    """A part of an epoch, from `begin` to `end`, of every model; `t` rows were seen before.

    A snapshot is due every `stride` rows, with weight t^3, and at the end of the epoch.

    rest (n,) marks rows that moved no model when they were visited last, in the epoch before: they rest in this one, that
    is, count with b = 0. Where it has no entries, every row is visited.
    """
    y, m, g, G, T, real, unit = batch.y, batch.m, batch.g, batch.G, batch.T, batch.m.dtype.type, order.shape[0]
    one, resting = Y.shape[1] == 1 and loss.kind != LOGISTIC, rest.shape[0] > 0
    for k in range(begin, end):
        ahead(rows, Y, v, order, k)
        if k + NEAR < unit:
            prefetch(pattern, np.intp(order[k + NEAR]))
            prefetch(q, np.intp(order[k + NEAR]))
        i = order[k]
        a, p = v[i], np.intp(pattern[i])
        mask = batch.mask[p]
        batch.pattern_weight[p] += a
        idle = (batch.idle[p, 0], batch.idle[p, 1])
        if resting and rest[i]:
            rest[i] = 0
            grow((real(a),), (batch.mu, mask, G), idle)
        else:
            if one:
                y[0] = real(Y[i, 0])
            else:
                load_targets(Y, i, batch.target, y)
            if sparse:
                for model in range(m.shape[0]):
                    T[model] += real(a) * batch.l1[model] * mask[model]
                soft_margins(rows, i, batch.h, m, T)
            else:
                batch_margins(rows, i, batch.h, m, idle)
            if implicit_step(loss, a, q[i], one, y, m, g, G, batch.mu, mask, batch.cut, idle):
                scatter(rows, i, batch.h, g, idle)
            elif resting:
                rest[i] = 1
        t += 1
        if t % stride == 0 or k == order.shape[0] - 1:
            snapshot(batch, sparse, (t / unit) ** 3)
    return t
