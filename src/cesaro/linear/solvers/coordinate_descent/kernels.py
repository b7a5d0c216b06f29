"""Kernels of coordinate descent: passes over all rows, passes over the columns of the working set, and its epochs.

Near predictions p the mean loss is  const - <r, dp> + <dp, h dp> / 2  with r_i = s_i b_i, h_i = s_i phi''(p_i) and s the
rows' shares of the weight. An epoch minimises this and the penalty over one weight after the other. The intercept is taken
out: after every step it has its best value, which changes r_i by h_i times one number, `shift`.
"""

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL, LOOP, SCALAR
from cesaro.dual_form import LOGISTIC
from cesaro.linear.problem.csr import entry, span
from cesaro.linear.problem.scalar_losses import beyond, conjugate, conjugate_size, highest, lowest, value_and_slope

NONE = np.uint32(0xFFFFFFFF)  # the place of a column that has none
SLOPE, SQUARE, MEAN = 0, 1, 2  # of a column: <x, r>, <x, h x>, <x, h>


@njit(**LOOP)
def add_rows(rows, r, g):
    """g += sum_i r_i x_i, over the features."""
    data, col = rows.data, rows.col
    for i in range(r.shape[0]):
        b = r[i]
        if b != 0.0:
            lo, hi = span(rows, np.uint32(i))
            for e in range(lo, hi):
                g[col[e]] += b * entry(data, e)


@njit(**LOOP)
def measure_columns(rows, r, s, g, squares, counts):
    """`add_rows`; also s-weighted squared norms and numbers of entries of the columns."""
    data, col = rows.data, rows.col
    for i in range(r.shape[0]):
        lo, hi = span(rows, np.uint32(i))
        for e in range(lo, hi):
            j, x = col[e], np.float64(entry(data, e))
            g[j] += r[i] * x
            squares[j] += s[i] * x * x
            counts[j] += np.uint32(1)


@njit(**LOOP)
def add_products(rows, w, p):
    """p_i += <x_i, w>, over the features."""
    data, col = rows.data, rows.col
    for i in range(p.shape[0]):
        lo, hi = span(rows, np.uint32(i))
        for e in range(lo, hi):
            p[i] += entry(data, e) * w[col[e]]


@register_jitable(**KERNEL)
def copy_value(data, at, values, e):
    """data[at] = values[e], if there are values."""
    if values is not None:
        data[at] = values[e]


@njit(**KERNEL)
def extract_columns(rows, place, fill, data, row):
    """Copy the entries of the columns that have a place to where `fill` says, row by row."""
    values, col = rows.data, rows.col
    for i in range(rows.ptr.shape[0] - 1):
        lo, hi = span(rows, np.uint32(i))
        for e in range(lo, hi):
            k = place[col[e]]
            if k != NONE:
                at = fill[k]
                row[at] = np.uint32(i)
                copy_value(data, at, values, e)
                fill[k] = at + 1


@register_jitable(**KERNEL)
def curvature(loss, p, y, b, damping):
    """Of the loss at p, where its dual value is b; with `damping` 1, that of the parabola above the loss that touches it at p.

    Newton's curvature is 0 on the straight pieces of a loss, and too small for large steps elsewhere.
    """
    if loss.kind == LOGISTIC:
        newton = abs(b) * (1.0 - abs(b))
        above = (0.5 - abs(b)) / (y * p) if abs(p) > 1e-3 else 0.25
    else:
        r = beyond(y - p, loss.eps)
        far = r / loss.bend
        bends = far != 0.0 and lowest(loss, y) <= far <= highest(loss, y)
        newton = 1.0 / loss.bend if bends else 0.0
        above = 1.0 / loss.bend if bends or b == 0.0 else b / r
    return newton + damping * max(0.0, above - newton)


@njit(**SCALAR)
def linearise(y, s, loss, p, damping, r, h):
    """r and h at the predictions p; sums of s phi, of r and of h."""
    total, slopes, bends = 0.0, 0.0, 0.0
    for i in range(y.shape[0]):
        value, u = value_and_slope(loss, p[i], y[i])
        r[i], h[i] = -s[i] * u, s[i] * curvature(loss, p[i], y[i], -u, damping)
        total += s[i] * value
        slopes += r[i]
        bends += h[i]
    return total, slopes, bends


@njit(**SCALAR)
def mean_loss_along(y, s, loss, p, step, t):
    """The mean loss at p + t step."""
    total = 0.0
    for i in range(y.shape[0]):
        total += s[i] * value_and_slope(loss, p[i] + t * step[i], y[i])[0]
    return total


@njit(**SCALAR)
def dual_value(y, s, loss, r, theta):
    """-sum s_i phi*(-theta b_i), b_i = r_i / s_i, and the sum of the sizes."""
    total, size = 0.0, 0.0
    for i in range(y.shape[0]):
        if s[i] > 0.0:
            b = min(
                highest(loss, y[i]), max(lowest(loss, y[i]), theta * (r[i] / s[i]))
            )  # rounding may have left its box
            total -= s[i] * conjugate(loss, -b, y[i])
            size += s[i] * conjugate_size(loss, b, y[i])
    return total, size


@njit(**LOOP)
def measure_set(data, row, ptr, chosen, r, h, columns):
    """<x, r>, <x, h x> and <x, h> of the chosen columns."""
    for k in range(chosen.shape[0]):
        c, a, q, m = chosen[k], 0.0, 0.0, 0.0
        for e in range(ptr[c, 0], ptr[c, 1]):
            i, x = row[e], np.float64(entry(data, e))
            hx = h[i] * x
            a += x * r[i]
            m += hx
            q += hx * x
        columns[k, SLOPE], columns[k, SQUARE], columns[k, MEAN] = a, q, m


@njit(**LOOP)
def add_columns(data, row, ptr, chosen, weights, p):
    """p += sum_k weights_k x_k."""
    for k in range(chosen.shape[0]):
        z = weights[k]
        if z != 0.0:
            c = chosen[k]
            for e in range(ptr[c, 0], ptr[c, 1]):
                p[row[e]] += z * entry(data, e)


@njit(**LOOP)
def subtract_columns(data, row, ptr, chosen, weights, r, h):
    """r -= h sum_k weights_k x_k."""
    for k in range(chosen.shape[0]):
        z = weights[k]
        if z != 0.0:
            c = chosen[k]
            for e in range(ptr[c, 0], ptr[c, 1]):
                r[row[e]] -= h[row[e]] * (z * entry(data, e))


@njit(**LOOP)
def descend(data, row, ptr, chosen, columns, w, r, h, shift, pull, mu, l1):
    """One epoch over the chosen columns, w theirs; `pull` is 1 / the intercept's curvature, 0 without an intercept.

    Returns by how much the model fell, at least, and the intercept's shift.
    """
    fell = 0.0
    for k in range(chosen.shape[0]):
        c, old, mean = chosen[k], w[k], columns[k, MEAN]
        lo, hi = ptr[c, 0], ptr[c, 1]
        q = columns[k, SQUARE] - pull * mean * mean
        if q <= 1e-13 * columns[k, SQUARE] and mu == 0.0:
            continue
        a = shift * mean
        for e in range(lo, hi):
            a += entry(data, e) * r[row[e]]
        z = a + q * old
        new = beyond(z, l1) / (q + mu)
        change = new - old
        if change != 0.0:
            w[k] = new
            fell += (q + mu) * change * change
            for e in range(lo, hi):
                i = row[e]
                r[i] -= h[i] * (change * entry(data, e))
            shift += pull * mean * change
    return 0.5 * fell, shift


@njit(**LOOP)
def model_value(r, h, shift):
    """The model's mean loss, up to a constant."""
    total = 0.0
    for i in range(r.shape[0]):
        if h[i] > 0.0:
            each = r[i] + shift * h[i]
            total += each * each / h[i]
    return 0.5 * total
