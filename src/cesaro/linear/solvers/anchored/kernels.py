"""Passes over the rows: the epoch that replaces each row's dual value by its best one, the evaluation that proves.

Row i has a dual value b_i (= -phi' at its prediction), and all that an epoch knows of the past is one vector,

    h = K w_0 + sum_i v_i b_i x_i ,      w = s h ,      s = 1 / S   (in a ball: at most radius / |h|)

S = K + n mu in an epoch over the problem anchored at w_0 with prox weight K / n: this is SDCA. In the first epoch S grows
from K by mu per row: then the same line is dual averaging with uniform weights, anchor K and the implicit step. The
average of w needs one more vector: with C = sum o_k s_k,

    sum_k o_k w_k = C h + r ,      where each change delta x of h subtracts C delta x from r.

In a ball the dual's smooth part, max_{|w| <= R} <h, w> - S/2 |w|^2, is a concave function of |h|^2 with slope s/2: so a
step that takes s as constant never overshoots. With L1, w_j = s soft(h_j, T) is computed where it is read (T = n l1;
it grows by l1 per row in the first epoch), has the same Lipschitz constant s, and no running average.
"""

import math

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL
from cesaro.dual_form import HINGE
from cesaro.linear.problem.csr import ONE, TWO, ahead, entry, margin, span, square
from cesaro.linear.problem.scalar_losses import TINY, conjugate, distance_to_kink, dual_update, value, value_and_slope

B, Y, V, Q = 0, 1, 2, 3  # columns of a row's record: dual value, target, weight (mean 1), squared norm
UNKNOWN = -1.0  # a squared norm that no epoch has needed yet


@njit(**KERNEL)
def prepare(y, v, share, loss, record, order):
    """Fill the records, with weights v times share, and the order of the rows with weight; their number and f(0)."""
    n, f = 0, 0.0
    for i in range(record.shape[0]):
        record[i, B], record[i, Y], record[i, V], record[i, Q] = 0.0, y[i], v[i] * share, UNKNOWN
        if v[i] > 0.0:
            order[n] = i
            n += 1
            f += v[i] * share * value(loss, 0.0, y[i])
    return n, f / n


@njit(**KERNEL)
def mean_square(rows, record, order):
    """Mean |x|^2 of the rows of `order`; their norms are written into the records where they are not known."""
    total, weight = 0.0, 0.0
    for k in range(order.shape[0]):
        i = order[k]
        if record[i, Q] < 0.0:
            record[i, Q] = square(rows, i)
        total += record[i, V] * record[i, Q]
        weight += record[i, V]
    return total / weight


@register_jitable(**KERNEL, forceinline=True)
def margin_of_h(data, col, bias, last, lo, hi, h, sparse, T):
    """<x, h>, or <x, soft(h, T)> where w is sparse; in h every entry is followed by that of r, the intercept's are last."""
    m, odd, j = bias * h[last], 0.0, lo
    if sparse is not None:
        for e in range(lo, hi):
            z = h[TWO * col[e]]
            m += entry(data, e) * (z - min(T, max(-T, z)))
        return m
    while j + ONE < hi:  # two sums, so that one addition need not wait for the other
        m += entry(data, j) * h[TWO * col[j]]
        odd += entry(data, j + ONE) * h[TWO * col[j + ONE]]
        j += TWO
    if j < hi:
        odd += entry(data, j) * h[TWO * col[j]]
    return m + odd


@register_jitable(**KERNEL, forceinline=True)
def scatter(data, col, bias, last, lo, hi, h, delta, C):
    """h += delta x, r -= C delta x."""
    for e in range(lo, hi):
        a = TWO * col[e]
        first, second = h[a] + delta * entry(data, e), h[a + ONE] - C * delta * entry(data, e)
        h[a], h[a + ONE] = first, second
    h[last] += delta * bias
    h[last + ONE] -= C * delta * bias


@register_jitable(**KERNEL, forceinline=True)
def squared_norm(h):
    """|h|^2."""
    total = 0.0
    for k in range(0, h.shape[0], 2):
        total += h[k] * h[k]
    return total


@njit(**KERNEL)
def run_epoch(rows, record, order, h, loss, S, mu, sparse, radius, slack):
    """One epoch over the rows of `order`, the active set.

    The first epoch has mu > 0 and averages with weights k^3; later ones have mu = 0 and uniform weights. `sparse` is
    None without L1, else T and what it grows by with a row, in the first epoch. A row whose dual value is -phi'
    throughout p +- slack is shrunk: it leaves `order`, the active set. Returns C, the sum of the weights, the number of
    rows left and of dual values changed.
    """
    data, col, bias, last = rows.data, rows.col, rows.bias, TWO * np.uint64(rows.d)
    n, active, changes, C, weights, o, s = order.shape[0], 0, 0, 0.0, 0.0, 1.0, 1.0 / max(S, TINY)
    norm, T = squared_norm(h) if radius < math.inf else 0.0, 0.0
    if sparse is not None:
        T = sparse[0]
    for k in range(n):
        ahead(rows, record, None, order, k)
        i = order[k]
        lo, hi = span(rows, i)
        b, y, v, q = record[i, B], record[i, Y], record[i, V], record[i, Q]
        if sparse is not None:
            T += v * sparse[1]
        m = margin_of_h(data, col, bias, last, lo, hi, h, sparse, T)
        if mu > 0.0:
            S += v * mu
            s = 1.0 / S
            part = (k + 1.0) / n
            o = part * part * part
        scale = s
        if radius < math.inf and norm > 0.0:
            scale = min(s, radius / math.sqrt(norm))
        if q < 0.0:
            q = square(rows, i)
            record[i, Q] = q
        pull, p = v * q * scale, scale * m  # the row's own part of its prediction is pull * b
        new = dual_update(loss, y, p - pull * b, pull, b)
        delta = v * (new - b)
        if delta != 0.0:
            scatter(data, col, bias, last, lo, hi, h, delta, C)
            if radius < math.inf:
                norm = max(0.0, norm + delta * (2.0 * m + delta * q))
                scale = min(s, radius / math.sqrt(norm)) if norm > 0.0 else s
            record[i, B] = new
            changes += 1
        order[active] = i
        active += (delta != 0.0) | (distance_to_kink(loss, p, y) <= slack)
        weights += o
        C += o * scale
    return C, weights, active, changes


@njit(**KERNEL)
def evaluate(rows, record, order, w, loss, slack, active):
    """Mean loss at w, -mean conjugate of the dual values, mean |conjugate|, and how many rows are active at w.

    `order` holds the rows with weight; None means all rows as they are stored.
    """
    primal, dual, size, total, k = 0.0, 0.0, 0.0, 0.0, 0
    for e in range(record.shape[0] if order is None else order.shape[0]):
        i = np.uint32(e)
        if order is not None:
            ahead(rows, record, None, order, e)
            i = order[e]
        b, y, v = record[i, B], record[i, Y], record[i, V]
        if v > 0.0:
            p = margin(rows, i, w)
            if loss.kind == HINGE:  # written out, without a branch at the kink: it would be guessed wrong
                short = 1.0 - y * p
                hot = np.float64(short > 0.0)
                primal += v * (hot * short)
                conjugated, loose = -v * (b * y), (hot * y != b) | (abs(short) <= slack)
            else:
                f, u = value_and_slope(loss, p, y)
                primal += v * f
                conjugated = v * conjugate(loss, -b, y)
                loose = (u != -b) | (distance_to_kink(loss, p, y) <= slack)
            dual -= conjugated
            size += abs(conjugated)
            total += v
            active[k] = i
            k += loose
    return primal / total, dual / total, size / total, k


@njit(**KERNEL)
def sum_dual_values(rows, record, g):
    """g += sum_i v_i b_i x_i: what the epochs have kept up to date, without their rounding."""
    for i in range(record.shape[0]):
        b = record[i, B] * record[i, V]
        if b != 0.0:
            for j in range(rows.ptr[i], rows.ptr[i + 1]):
                g[rows.col[j]] += b * entry(rows.data, j)
            g[rows.d] += b * rows.bias


@njit(**KERNEL)
def load_dual_values(b, loss, record):
    """Write the dual values b into the records: 0 where they are not feasible for this target."""
    for i in range(record.shape[0]):
        record[i, B] = b[i] if conjugate(loss, -b[i], record[i, Y]) < math.inf else 0.0
