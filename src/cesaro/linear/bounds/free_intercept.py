"""The dual bound where the intercept bears no penalty: then the dual values have to sum to zero.

At w with intercept c the mean loss is at least D - <g, w> - g_0 c, where g_0 = mean b_i: without a minimum over c unless
g_0 = 0. During a run g_0 is small but not zero. So the plane is mixed with the one of a constant model, b_i = -phi'(c, y_i),
with c so low or so high that its own g_0 has the other sign: a convex combination of feasible dual values is feasible, the
conjugates are convex, and the share of the constant model goes to zero as g_0 does.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL
from cesaro.linear.problem.csr import entry, span
from cesaro.linear.problem.scalar_losses import conjugate, slope

ONE_SIDED = 0.25  # |mean b_i| of a constant model's plane, at least so much of mean |b_i|
DOUBLINGS = 60
SIDES = (-1.0, 1.0)  # of constant models: low, high


class Plane(NamedTuple):
    """f(w) >= D - <g, w> + the penalty; the last entry of g is the intercept's."""

    D: float
    g: np.ndarray
    size: float  # mean |conjugate|, for what rounding may have added to D

    def mixed(self, other: "Plane", share: float) -> "Plane":
        """`share` of the other plane, and the rest of this."""
        rest = 1.0 - share
        size = rest * self.size + share * other.size
        return Plane(rest * self.D + share * other.D, rest * self.g + share * other.g, size)


class ConstantPlanes:
    """The planes of a low and of a high constant model, each made when it is first needed."""

    def __init__(self, rows: Any, y: np.ndarray, v: np.ndarray, loss: Any, unit: float):
        """v has mean 1 over the rows with weight; `unit` is a size of y."""
        self.rows, self.y, self.v, self.loss, self.unit = rows, y, v, loss, unit if unit > 0.0 else 1.0
        self.planes: dict[float, Plane] = {}

    def of(self, side: float) -> Plane:
        """Of the constant `side` * unit, or beyond it: its g has the last entry's sign of -side, or is 0."""
        if side not in self.planes:
            total, constant = float(self.v.sum()), side * self.unit
            g, D, size = np.zeros(self.rows.d + 1), 0.0, 0.0
            for _ in range(DOUBLINGS):
                mean, least = mean_dual_value(self.y, self.v, self.loss, constant)
                if -side * mean >= ONE_SIDED * least > 0.0:
                    D, size = add_constant_model(self.rows, self.y, self.v, self.loss, constant, g)
                    break
                constant *= 2.0
            self.planes[side] = Plane(D / total, g / total, size / total)
        return self.planes[side]

    def without_intercept(self, plane: Plane) -> Plane:
        """The plane mixed with a constant model's, so that its bound does not depend on the intercept."""
        return balanced(plane, self.of)


def balanced(plane: Plane, constant: Any) -> Plane:
    """The plane mixed with constant(+1) or constant(-1) so that the last entry of g is 0; the plane 0 where none is."""
    if plane.g[-1] == 0.0:
        return plane
    other = constant(1.0 if plane.g[-1] > 0.0 else -1.0)
    if other.g[-1] == 0.0:
        return Plane(0.0, np.zeros_like(plane.g), 0.0)
    mixed = plane.mixed(other, float(plane.g[-1] / (plane.g[-1] - other.g[-1])))
    mixed.g[-1] = 0.0
    return mixed


@njit(**KERNEL)
def mean_dual_value(y, v, loss, constant):
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
    """g += sum_i v_i b_i x_i of a constant model; the sums of -v_i phi*(-b_i), and of their sizes."""
    dual, size = 0.0, 0.0
    for i in range(y.shape[0]):
        b = -slope(loss, constant, y[i])
        if v[i] > 0.0 and b != 0.0:
            conjugated = v[i] * conjugate(loss, -b, y[i])
            dual -= conjugated
            size += abs(conjugated)
            lo, hi = span(rows, np.uint32(i))
            for e in range(lo, hi):
                g[rows.col[e]] += v[i] * b * entry(rows.data, e)
            g[rows.d] += v[i] * b * rows.bias
    return dual, size
