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

from cesaro.compiled.flags import KERNEL
from cesaro.linear.bounds.dual_bound import dual_bound
from cesaro.linear.bounds.rounding import TERM, U, norm
from cesaro.linear.problem.csr import entry, span, square
from cesaro.linear.problem.scalar_losses import conjugate, conjugate_size, slope

ONE_SIDED = 0.25  # |mean b_i| of a constant model's plane, at least so much of mean |b_i|
DOUBLINGS = 60
SIDES = (-1.0, 1.0)  # of constant models: low, high


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
