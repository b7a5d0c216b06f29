"""Passes over the rows: the epoch that replaces each row's dual value by its best one, the evaluation that proves.

Row i has a dual value b_i (= -phi' at its prediction), and all that an epoch knows of the past is one vector,

    h = K w_0 + sum_i v_i b_i x_i ,      w = s h ,      s = 1 / S   (in a ball: at most radius / |h|)

S = K + n mu in an epoch over the problem anchored at w_0 with prox weight K / n: this is SDCA. In the first epoch S grows
from K by mu per row: then the same line is dual averaging with uniform weights, anchor K and the implicit step. An epoch's
average of w is that of a few snapshots: a second vector with the exact one would double what a row touches.

An intercept without a penalty has the prox weight K + n mu from the second epoch on, so that its entry of h is divided by
the same S; `dual_state` and `column_kernels.recenter` know the difference. The ball does not bind it.

In a ball the dual's smooth part, max_{|w| <= R} <h, w> - S/2 |w|^2, is a concave function of |h|^2 with slope s/2: so a
step that takes s as constant never overshoots. With L1, w_j = s soft(h_j, T) is computed where it is read (T = n l1;
it grows by l1 per row in the first epoch), and has the same Lipschitz constant s.
"""

import math

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL
from cesaro.dual_form import HINGE
from cesaro.linear.problem.compensated_sum import BLOCK, add_compensated
from cesaro.linear.problem.csr import ONE, TWO, ahead, ahead_long, entry, margin, rows_ahead, span, square, two_sums
from cesaro.linear.problem.scalar_losses import (
    TINY,
    conjugate,
    conjugate_size,
    distance_to_kink,
    dual_update,
    fenchel_young,
    value_and_slope,
)
from cesaro.linear.solvers.anchored.column_kernels import add_point, squared_norm
from cesaro.linear.solvers.anchored.records import B, Q, V, Y

THREE, FOUR = np.uint32(3), np.uint32(4)
LONG = np.uint32(24)  # entries of a row from which on four sums pay


@register_jitable(**KERNEL, forceinline=True)
def margin_of_h(data, col, bias, last, lo, hi, h, sparse, T):
    """<x, h>, or <x, soft(h, T)> where w is sparse; the intercept's entry of h is the last."""
    m, odd, j = bias * h[last], 0.0, lo
    if sparse is not None:
        for e in range(lo, hi):
            z = h[col[e]]
            m += entry(data, e) * (z - min(T, max(-T, z)))
        return m
    if hi - lo > LONG:
        third, fourth = 0.0, 0.0
        while j + THREE < hi:  # four sums, so that no addition has to wait for another
            m += entry(data, j) * h[col[j]]
            odd += entry(data, j + ONE) * h[col[j + ONE]]
            third += entry(data, j + TWO) * h[col[j + TWO]]
            fourth += entry(data, j + THREE) * h[col[j + THREE]]
            j += FOUR
        m += third + fourth
    return two_sums(data, col, j, hi, h, m, odd)


@register_jitable(**KERNEL, forceinline=True)
def scatter(data, col, bias, last, lo, hi, h, delta):
    """h += delta x."""
    for e in range(lo, hi):
        h[col[e]] += delta * entry(data, e)
    h[last] += delta * bias


@njit(**KERNEL)
def run_epoch(rows, record, order, h, outside, loss, S, mu, sparse, radius, free, slack, parts, offset, average):
    """One epoch over the rows of `order`, the active set; `average` is that of w in the middles of its equal parts.

    The first epoch has mu > 0 and averages with weights k^3; later ones have mu = 0 and uniform weights. `sparse` is
    None without L1, else T and what it grows by with a row, in the first epoch. `outside` is what columns that these rows
    do not have add to |h|^2. `offset` is added to every prediction. A row whose dual value is -phi' throughout
    p +- slack is shrunk: it leaves `order`, the active set. Returns the number of rows left and of dual
    values changed, the sum of the rows' Fenchel-Young gaps as they were met, the factor that took h to w in the
    average, and at the end.
    """
    data, col, bias, last = rows.data, rows.col, rows.bias, np.uint64(rows.d)
    n, active, changes, gap, begin, mean_scale, s = order.shape[0], 0, 0, 0.0, 0, 0.0, 1.0 / max(S, TINY)
    norm, T, near = outside + squared_norm(h) if radius < math.inf else 0.0, 0.0, rows_ahead(rows)
    if sparse is not None:
        T = sparse[0]
    ball, apart = radius < math.inf, bias if free else 0.0  # what of a row's prediction the ball does not scale
    if ball and free:
        norm = max(0.0, norm - h[last] * h[last])
    scale = scale_into_ball(s, norm, radius)
    for part in range(parts + 1):
        end = (
            (n * (2 * part + 1) + 2 * parts - 1) // (2 * parts) if part < parts else n
        )  # of few rows, after the middle
        for k in range(begin, end):
            ahead_long(rows, record, order, k, near)
            i = order[k]
            lo, hi = span(rows, i)
            b, y, v, q = record[i, B], record[i, Y], record[i, V], record[i, Q]
            if sparse is not None:
                T += v * sparse[1]
            m = margin_of_h(data, col, bias, last, lo, hi, h, sparse, T)
            if mu > 0.0:
                S += v * mu
                s = 1.0 / S
                scale = scale_into_ball(s, norm, radius)
            if q < 0.0:
                q = square(rows, i)
                record[i, Q] = q
            pull, p = v * q * scale, offset + scale * m  # the row's own part of its prediction is pull * b
            if ball:
                m -= apart * h[last]
                p += (s - scale) * apart * h[last]
                q -= apart * apart
                pull += v * (s - scale) * apart * apart
            new = dual_update(loss, y, p - pull * b, pull, b)
            delta = v * (new - b)
            gap += v * fenchel_young(loss, p, y, b, new, pull)
            if delta != 0.0:
                scatter(data, col, bias, last, lo, hi, h, delta)
                if ball:
                    norm = max(0.0, norm + delta * (2.0 * m + delta * q))
                    scale = scale_into_ball(s, norm, radius)
                record[i, B] = new
                changes += 1
            order[active] = i
            active += (delta != 0.0) | (distance_to_kink(loss, p, y) <= slack)
        begin = end
        if part < parts:
            weight = part_weight(part, parts, mu > 0.0)
            mean_scale += weight * scale
            add_point(average, h, scale, sparse, T, weight, part == 0)
            if ball and free:
                average[last] += weight * (s - scale) * h[last]
    return active, changes, gap, mean_scale, scale


@register_jitable(**KERNEL)
def scale_into_ball(s, norm, radius):
    """What takes h, of squared norm `norm`, to w in the ball."""
    return min(s, radius / math.sqrt(norm)) if radius < math.inf and norm > 0.0 else s


@register_jitable(**KERNEL)
def part_weight(part, parts, first):
    """The weight of the middle of a part in an epoch's average: uniform, or as its cube in the first one."""
    if not first:
        return 1.0 / parts
    total = 0.0
    for k in range(parts):
        total += (k + 0.5) ** 3
    return (part + 0.5) ** 3 / total


@njit(**KERNEL)
def evaluate(rows, record, order, w, kept, loss, slack, active):
    """Mean loss at w, -mean conjugate of the dual values, their mean size, sum of slopes, and how many rows are active.

    Sums are of blocks, so that rounding does not grow with the number of rows (`bounds.rounding`). `order` holds the rows
    with weight; None means all rows as they are stored. `kept` receives the predictions, or is None: then no slope is summed.
    """
    primal, dual, size, slopes, count, k = 0.0, 0.0, 0.0, 0.0, 0, 0
    primals, primal_lost, duals, dual_lost = 0.0, 0.0, 0.0, 0.0  # of whole blocks
    for e in range(record.shape[0] if order is None else order.shape[0]):
        i = np.uint32(e)
        if e % BLOCK == 0:
            primals, primal_lost = add_compensated(primals, primal_lost, primal)
            duals, dual_lost = add_compensated(duals, dual_lost, dual)
            primal, dual = 0.0, 0.0
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
                u, conjugated, loose = -hot * y, -v * (b * y), (hot * y != b) | (abs(short) <= slack)
                size += abs(conjugated)
            else:
                f, u = value_and_slope(loss, p, y)
                primal += v * f
                conjugated = v * conjugate(loss, -b, y)
                size += v * conjugate_size(loss, b, y)
                loose = (u != -b) | (distance_to_kink(loss, p, y) <= slack)
            dual -= conjugated
            count += 1
            if kept is not None:
                kept[i] = p
                slopes += v * u
            active[k] = i
            k += loose
    return (primals + (primal_lost + primal)) / count, (duals + (dual_lost + dual)) / count, size / count, slopes, k


@njit(**KERNEL)
def sum_dual_values(rows, record, g, lost):
    """g += sum_i v_i b_i x_i; `lost` receives what the additions round away. Returns sum_i v_i |b_i| |x_i|."""
    mass, bias, last = 0.0, rows.bias, rows.d
    for i in range(record.shape[0]):
        b, q = record[i, B] * record[i, V], bias * bias
        if b != 0.0:
            for j in range(rows.ptr[i], rows.ptr[i + 1]):
                c, x = rows.col[j], np.float64(entry(rows.data, j))
                g[c], lost[c] = add_compensated(g[c], lost[c], b * x)
                q += x * x
            g[last], lost[last] = add_compensated(g[last], lost[last], b * bias)
            mass += abs(b) * math.sqrt(q)
    return mass
