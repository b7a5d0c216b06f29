"""Passes over the rows: the sweep that replaces each row's dual value by its best one, the evaluation that proves.

Row i has a dual value b_i (= -phi' at its prediction), and all that a sweep knows of the past is one vector,

    h = K w_0 + sum_i v_i b_i x_i ,      w = s h ,      s = 1 / S   (in a ball: at most radius / |h|)

S = K + n mu in a sweep over the problem anchored at w_0 with strength K / n. In the first pass S grows from K by mu per
row: then the same line of code is dual averaging with uniform weights, anchor K and the implicit step. The average of w
needs one more vector: with C = sum o_k s_k,

    sum_k o_k w_k = C h + r ,      where each change delta x of h subtracts C delta x from r.

In a ball the dual's smooth part, max_{|w| <= R} <h, w> - S/2 |w|^2, is a concave function of |h|^2 with slope s/2: so a
step that takes s as constant never overshoots. With L1, w_j = s soft(h_j, T) is computed where it is read (T = n l1;
it grows by l1 per row in the first pass), has the same Lipschitz constant s, and no running average.
"""

import math

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL
from cesaro.linear.problem.csr import ONE, TWO, ahead, entry, margin, span, square
from cesaro.linear.problem.dual_updates import TINY, best, distance
from cesaro.linear.problem.scalar_losses import HINGE, conjugate, slope, value

B, Y, V, Q = 0, 1, 2, 3  # columns of a row's record: dual value, target, weight (mean 1), squared norm
UNKNOWN = -1.0  # a squared norm that no pass has needed yet


@njit(**KERNEL)
def prepare(y, v, share, code, param, record, order):
    """Fill the records, with weights v times share, and the order of the rows with weight; their number and f(0)."""
    n, f = 0, 0.0
    for i in range(record.shape[0]):
        record[i, B], record[i, Y], record[i, V], record[i, Q] = 0.0, y[i], v[i] * share, UNKNOWN
        if v[i] > 0.0:
            order[n] = i
            n += 1
            f += v[i] * share * value(code, param, 0.0, y[i])
    return n, f / n


@njit(**KERNEL)
def measure(rows, record, order):
    """Mean |x|^2 of the rows of `order`; their norms are written into the records where they are not known."""
    total, weight = 0.0, 0.0
    for k in range(order.shape[0]):
        i = order[k]
        if record[i, Q] < 0.0:
            record[i, Q] = square(rows, i)
        total += record[i, V] * record[i, Q]
        weight += record[i, V]
    return total / weight


@njit(**KERNEL)
def sweep(rows, record, order, h, code, param, S, mu, threshold, radius, slack):
    """Visit the rows of `order` once; in h every entry is followed by that of r, the intercept's are the last.

    The first pass has mu > 0 and averages with weights k^3; later ones have mu = 0 and uniform weights. `threshold` is
    None without L1, else (T, l1 in the first pass or 0). A row whose value is -phi' throughout p +- slack is settled
    and leaves `order`. Returns C, the sum of the weights, the number of rows kept and of values changed.
    """
    data, col, bias, last = rows.data, rows.col, rows.bias, TWO * np.uint64(rows.d)
    n, kept, changes, C, A, o, s = order.shape[0], 0, 0, 0.0, 0.0, 1.0, 1.0 / max(S, TINY)
    norm, T = 0.0, 0.0
    if threshold is not None:
        T = threshold[0]
    if radius < math.inf:
        for k in range(0, h.shape[0], 2):
            norm += h[k] * h[k]
    for k in range(n):
        ahead(rows, record, None, order, k)
        i = order[k]
        lo, hi = span(rows, i)
        b, y, v, q = record[i, B], record[i, Y], record[i, V], record[i, Q]
        m, odd, j = bias * h[last], 0.0, lo
        if threshold is None:
            while j + ONE < hi:  # two sums, so that one addition need not wait for the other
                m += entry(data, j) * h[TWO * col[j]]
                odd += entry(data, j + ONE) * h[TWO * col[j + ONE]]
                j += TWO
            if j < hi:
                odd += entry(data, j) * h[TWO * col[j]]
            m += odd
        else:
            T += v * threshold[1]
            for e in range(lo, hi):
                z = h[TWO * col[e]]
                m += entry(data, e) * (z - min(T, max(-T, z)))
        if mu > 0.0:
            S += v * mu
            s = 1.0 / S
            part = (k + 1.0) / n
            o = part * part * part
        pull = s
        if radius < math.inf and norm > 0.0:
            pull = min(s, radius / math.sqrt(norm))
        if q < 0.0:
            q = square(rows, i)
            record[i, Q] = q
        own, p = v * q * pull, pull * m
        new = best(code, param, y, p - own * b, own, b)
        delta = v * (new - b)
        if delta != 0.0:
            for e in range(lo, hi):
                a = TWO * col[e]
                first, second = h[a] + delta * entry(data, e), h[a + ONE] - C * delta * entry(data, e)
                h[a], h[a + ONE] = first, second
            h[last] += delta * bias
            h[last + ONE] -= C * delta * bias
            if radius < math.inf:
                norm = max(0.0, norm + delta * (2.0 * m + delta * q))
                pull = min(s, radius / math.sqrt(norm)) if norm > 0.0 else s
            record[i, B] = new
            changes += 1
        order[kept] = i
        kept += (delta != 0.0) | (distance(code, param, p, y) <= slack)
        A += o
        C += o * pull
    return C, A, kept, changes


@njit(**KERNEL)
def evaluate(rows, record, order, w, code, param, slack, active):
    """Mean loss at w, -mean conjugate of the dual values, mean |conjugate|, and how many rows are not settled at w.

    `order` holds the rows with weight; None means all rows as they are stored.
    """
    loss, dual, size, total, k = 0.0, 0.0, 0.0, 0.0, 0
    for e in range(record.shape[0] if order is None else order.shape[0]):
        i = np.uint32(e)
        if order is not None:
            ahead(rows, record, None, order, e)
            i = order[e]
        b, y, v = record[i, B], record[i, Y], record[i, V]
        if v > 0.0:
            p = margin(rows, i, w)
            if code == HINGE:  # written out, without a branch at the kink: it would be guessed wrong
                short = 1.0 - y * p
                hot = np.float64(short > 0.0)
                loss += v * (hot * short)
                own, loose = -v * (b * y), (hot * y != b) | (abs(short) <= slack)
            else:
                loss += v * value(code, param, p, y)
                own = v * conjugate(code, param, -b, y)
                loose = (slope(code, param, p, y) != -b) | (distance(code, param, p, y) <= slack)
            dual -= own
            size += abs(own)
            total += v
            active[k] = i
            k += loose
    return loss / total, dual / total, size / total, k


@njit(**KERNEL)
def gather(rows, record, g):
    """g += sum_i v_i b_i x_i: what the sweeps have kept up to date, without their rounding."""
    for i in range(record.shape[0]):
        b = record[i, B] * record[i, V]
        if b != 0.0:
            for j in range(rows.ptr[i], rows.ptr[i + 1]):
                g[rows.col[j]] += b * entry(rows.data, j)
            g[rows.d] += b * rows.bias


@njit(**KERNEL)
def recall(b, code, param, record):
    """Write the dual values b into the records: 0 where they are not feasible for this target."""
    for i in range(record.shape[0]):
        record[i, B] = b[i] if conjugate(code, param, -b[i], record[i, Y]) < math.inf else 0.0
