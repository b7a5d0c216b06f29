"""The dual bound where the intercept bears no penalty: then the dual values have to sum to zero.

At w with intercept c the mean loss is at least D - <g, w> - g_0 c, where g_0 = mean b_i: without a minimum over c unless
g_0 = 0. During a run g_0 is small but not zero, and it is known up to rounding. So for c of one sign the plane is taken as
it is, if g_0 c <= 0 whatever rounding has done, and for c of the other sign it is mixed with the one of a constant model,
b_i = -phi'(c, y_i), with c so low or so high that its own g_0 has the other sign: a convex combination of feasible dual
values is feasible, the conjugates are convex, and the share of the constant model goes to zero as g_0 does. The lesser of
the two bounds holds for every c.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL
from cesaro.linear.bounds.dual_bound import dual_bound
from cesaro.linear.bounds.rounding import TERM, U, norm
from cesaro.linear.problem.csr import entry, span, square
from cesaro.linear.problem.scalar_losses import conjugate, conjugate_size, highest, lowest, slope

ONE_SIDED = 0.25  # |mean b_i| of a constant model's plane, at least so much of mean |b_i|
DOUBLINGS = 60
SIDES = (-1.0, 1.0)  # of constant models: low, high
SPREAD = 64  # rows over which the excess of a sum is spread: with a smooth loss the squares of the changes count


class Plane(NamedTuple):
    """f(w) >= D - <g, w> + the penalty, if g is changed by a vector that is no longer than `lost`."""

    D: float  # what rounding may have added to it is taken off
    g: np.ndarray  # the last entry is the intercept's
    lost: float

    def mixed(self, other: "Plane", share: float) -> "Plane":
        """`share` of the other plane, and the rest of this."""
        rest = 1.0 - share
        D = rest * self.D + share * other.D - 4.0 * U * (rest * abs(self.D) + share * abs(other.D))
        rounded = 4.0 * U * (rest * norm(self.g) + share * norm(other.g))
        return Plane(D, rest * self.g + share * other.g, rest * self.lost + share * other.lost + rounded)


class ConstantPlanes:
    """The planes of a low and of a high constant model, each made when it is first needed."""

    def __init__(self, rows: Any, y: np.ndarray, v: np.ndarray, loss: Any, unit: float):
        """v has mean 1 over the rows with weight; `unit` is a size of y."""
        self.rows, self.y, self.v, self.loss, self.unit = rows, y, v, loss, unit if unit > 0.0 else 1.0
        self.planes: dict[float, Plane] = {}

    def of(self, side: float) -> Plane:
        """Of the constant `side` * unit, or beyond it: its g has the last entry's sign of -side, or is 0."""
        if side not in self.planes:
            n, constant = np.count_nonzero(self.v), side * self.unit
            g, D, lost = np.zeros(self.rows.d + 1), 0.0, 0.0
            for _ in range(DOUBLINGS):
                total, absolute = constant_model_sums(self.y, self.v, self.loss, constant)
                if -side * total >= ONE_SIDED * absolute > 0.0:
                    D, size, mass = add_constant_model(self.rows, self.y, self.v, self.loss, constant, g)
                    D, lost = D - (n + TERM) * U * size, (n + TERM) * U * mass
                    break
                constant *= 2.0
            self.planes[side] = Plane(D / n, g / n, lost / n)
        return self.planes[side]


def merged_plane(p: np.ndarray, planes: list[Plane]) -> Plane:
    """The sum of planes of several parts of the rows, with the shares p of their weight: docs/proofs.md, section 11."""
    rounded = 2.0 * (len(planes) + TERM) * U  # of the sums, and of the shares
    D = np.array([plane.D for plane in planes])
    longest, lost = p @ [norm(plane.g) for plane in planes], p @ [plane.lost for plane in planes]
    D = p @ D - rounded * (p @ np.abs(D))
    return Plane(float(D), p @ [plane.g for plane in planes], float(lost + rounded * longest))


def free_bound(plane: Plane, constant: Callable[[float], Plane], mu: float, l1: float, radius: float) -> float:
    """The dual bound of a plane where nothing is known of the intercept; `constant(side)` is a constant model's plane."""
    found = math.inf
    for side in SIDES:  # intercepts of that sign
        falls, mixed = side * float(plane.g[-1]) + plane.lost, plane  # at most so fast
        if falls > 0.0:
            other = constant(side)
            rises = -side * float(other.g[-1]) - other.lost
            if rises <= 0.0:
                return 0.0
            mixed = plane.mixed(other, min(1.0, falls / (falls + rises) * (1.0 + 8.0 * U)))
        found = min(found, dual_bound(mixed.D, np.append(mixed.g[:-1], 0.0), mu, l1, radius, mixed.lost))
    return found


def balanced(
    plane: Plane,
    rows: Any,
    b: np.ndarray,
    y: np.ndarray,
    v: np.ndarray,
    loss: Any,
    order: np.ndarray,
    n: int,
    total: float = 0.0,
) -> Plane:
    """The plane of dual values b, g being a mean over n rows, with the sum `total` instead of theirs; its own g is changed.

    With a sum of zero it holds for every intercept. `order` has the rows to be changed first.
    """
    most = 2 * len(order) + len(b)  # changes
    changed, before = np.empty(most, np.uint32), np.empty(most)
    length = norm(plane.g) + plane.lost
    more, lost = shift_sum(rows, b, y, v, loss, order, n, total, plane.g, plane.lost, length, changed, before)
    return Plane(plane.D + more - 2.0 * U * (abs(plane.D) + abs(more)), plane.g, lost)


@njit(**KERNEL)
def constant_model_sums(y, v, loss, constant):
    """Sums of v_i b_i and of v_i |b_i| for a constant model."""
    total, size = 0.0, 0.0
    for i in range(y.shape[0]):
        if v[i] > 0.0:
            b = -slope(loss, constant, y[i])
            total += v[i] * b
            size += v[i] * abs(b)
    return total, size


@njit(**KERNEL)
def add_constant_model(rows, y, v, loss, constant, g):
    """g += sum_i v_i b_i x_i of a constant model; the sums of -v_i phi*(-b_i), of their sizes, and of v_i |b_i| |x_i|."""
    dual, size, mass = 0.0, 0.0, 0.0
    for i in range(y.shape[0]):
        b = -slope(loss, constant, y[i])
        if v[i] > 0.0 and b != 0.0:
            dual -= v[i] * conjugate(loss, -b, y[i])
            size += v[i] * conjugate_size(loss, b, y[i])
            lo, hi = span(rows, np.uint32(i))
            for e in range(lo, hi):
                g[rows.col[e]] += v[i] * b * entry(rows.data, e)
            g[rows.d] += v[i] * b * rows.bias
            mass += v[i] * abs(b) * math.sqrt(square(rows, np.uint32(i)))
    return dual, size, mass


@njit(**KERNEL)
def shift_sum(rows, b, y, v, loss, order, n, total, g, lost, length, changed, before):
    """Change dual values of few rows so that the sum of all, times weights, is `total`; g follows, b is then as before.

    Rows of `order` inside their boxes come first: near the optimum their losses hardly depend on b. A total of zero is so
    but for rounding. One row more, which has room for it, would make its sign certain, for either sign: what that would do
    is only counted, and g's last entry becomes 0. Returns what is to be added to D, and the bound on g's error that was
    `lost`; `length` is at least |g|.
    """
    last, count, dual, size, mass = np.uint64(rows.d), 0, 0.0, 0.0, 0.0
    excess = g[last] / rows.bias * n - total
    side, share = math.copysign(1.0, excess), abs(excess) / max(1, min(SPREAD, order.shape[0]))
    enough = 4.0 * U * abs(excess)
    for sweep in range(3):  # rows of `order`, each a little; the same; all rows
        for k in range(order.shape[0] if sweep < 2 else b.shape[0]):
            if side * excess <= enough:
                break
            i = np.uint32(order[k]) if sweep < 2 else np.uint32(k)
            room = v[i] * room_of(loss, b[i], y[i], -side)
            if room > 0.0 and (sweep == 2 or is_inside(loss, b[i], y[i])):
                old, part = b[i], min(room, side * excess, share if sweep == 0 else math.inf)
                new = min(highest(loss, y[i]), max(lowest(loss, y[i]), old - side * part / v[i]))
                delta, x = v[i] * (new - old), math.sqrt(square(rows, i))
                was, now = v[i] * conjugate(loss, -old, y[i]), v[i] * conjugate(loss, -new, y[i])
                add_row(rows, i, delta / n, g)
                b[i], changed[count], before[count] = new, i, old
                count, excess, dual = count + 1, excess + delta, dual + (was - now)
                size += v[i] * (conjugate_size(loss, old, y[i]) + conjugate_size(loss, new, y[i]))
                mass += abs(delta) * x
    size, mass = size / n, mass / n
    lost += (count + 16) * U * (length + mass) + 16.0 * U * mass
    off = abs(g[last]) + lost
    worst, far = 0.0, 0.0
    if total == 0.0:
        for direction in (-1.0, 1.0):
            fall, away = certain_sign(rows, b, y, v, loss, order, n, direction, off)
            worst, far = max(worst, fall), max(far, away)
        g[last] = 0.0
    for k in range(count):
        j = count - 1 - k
        b[changed[j]] = before[j]
    return dual / n - (count + TERM) * U * size - worst, lost + far


@register_jitable(**KERNEL)
def certain_sign(rows, b, y, v, loss, order, n, direction, off):
    """By how much D falls at most, and g changes, if one row's dual value changes the mean of all, times the bias, by `off`.

    It becomes the float `new`, so that its conjugate is evaluated where it is: the step has room for the rounding of the sum.
    """
    need = off / rows.bias * n * (1.0 + 64.0 * U)
    for sweep in range(2):
        for k in range(order.shape[0] if sweep == 0 else b.shape[0]):
            i = np.uint32(order[k]) if sweep == 0 else np.uint32(k)
            step = need / v[i] + 4.0 * U * abs(b[i]) if v[i] > 0.0 else math.inf
            if room_of(loss, b[i], y[i], direction) > 2.0 * step:
                new = b[i] + direction * step
                size = conjugate_size(loss, b[i], y[i]) + conjugate_size(loss, new, y[i])
                fall = v[i] * (conjugate(loss, -new, y[i]) - conjugate(loss, -b[i], y[i]) + TERM * U * size)
                lo, hi = span(rows, i)
                far = v[i] * (step + U * abs(b[i])) * math.sqrt(square(rows, i)) * (1.0 + (hi - lo + TERM) * U)
                return max(0.0, fall) / n * (1.0 + 4.0 * U), far / n
    return math.inf, math.inf


@register_jitable(**KERNEL)
def room_of(loss, b, y, direction):
    """How far the dual value can go."""
    return highest(loss, y) - b if direction > 0.0 else b - lowest(loss, y)


@register_jitable(**KERNEL)
def is_inside(loss, b, y):
    """Whether the dual value is at no kink of the conjugate."""
    return lowest(loss, y) < b < highest(loss, y) and (loss.eps == 0.0 or b != 0.0)


@register_jitable(**KERNEL)
def add_row(rows, i, factor, g):
    """g += factor x_i."""
    lo, hi = span(rows, i)
    for e in range(lo, hi):
        g[rows.col[e]] += factor * entry(rows.data, e)
    g[rows.d] += factor * rows.bias
