"""The paper's methods in batches whose sums come from elsewhere: what a step does once the slopes are added up.

The recursion of `minibatch`, written out: with G the sum of a_i u_i x_i over a batch of weight a, u_i the slope of row i
at the point asked for,

    A += a,   w = P( -soft(z, l1 A') / (mu (gamma_0 + A')) )  with A' the weight before the batch,   z += G,

the output is the average of the w with weights o, and the point asked for is w, or that average (SC-PDA, PA-PSG). A
step costs O(d), whoever adds up the rows. An epoch's G and -conjugates are a cutting plane, as in `solver`.
"""

from typing import Any

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL
from cesaro.linear.bounds.cutting_planes import CuttingPlanes
from cesaro.linear.bounds.rounding import U, norm
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import conjugate, slope, value
from cesaro.linear.solvers.averaging.variants import Variant, unit_ratio


@njit(**KERNEL)
def add_slopes(rows, y, v, order, loss, w, G):
    """G += sum v_i u_i x_i over the rows of `order`, u_i the slope at w; the sums of v phi, of -v phi*(u) and of v."""
    data, col, ptr, d, bias = rows.data, rows.col, rows.ptr, rows.d, rows.bias
    total, cut, weight = 0.0, 0.0, 0.0
    for k in range(order.shape[0]):
        i = order[k]
        if v[i] > 0.0:
            p = bias * w[d]
            for j in range(ptr[i], ptr[i + np.uint32(1)]):
                p += data[j] * w[col[j]]
            u = slope(loss, p, y[i])
            total += v[i] * value(loss, p, y[i])
            cut -= v[i] * conjugate(loss, u, y[i])
            weight += v[i]
            if u != 0.0:
                for j in range(ptr[i], ptr[i + np.uint32(1)]):
                    G[col[j]] += v[i] * u * data[j]
                G[d] += v[i] * u * bias
    return total, cut, weight


class SynchronousSteps:
    """z, the average, the cutting planes of one run. In units of the present epoch's weight; rows have mean weight 1."""

    def __init__(self, problem: Problem, count: int, variant: Variant, weights, anchor: float):
        """`problem` has the whole's width, mu, l1 and radius, its rows do not matter; `count` rows have weight."""
        self.problem, self.count, self.variant, self.weights, self.anchor = problem, count, variant, weights, anchor
        self.z, self.sum = np.zeros(problem.rows.d + 1), np.zeros(problem.rows.d + 1)
        self.w, self.A, self.out, self.epoch = self.z, 0.0, 0.0, 0
        self.slopes, self.cut, self.size = np.zeros_like(self.z), 0.0, 0.0
        self.planes = CuttingPlanes(problem)
        self.l1 = np.full(len(self.z), problem.l1)
        self.l1[-1] = 0.0

    def state(self) -> dict[str, Any]:
        """What the steps need between two epochs to go on as if they had never stopped."""
        names = ("z", "sum", "A", "out", "epoch", "anchor")
        return {name: getattr(self, name) for name in names} | {"planes": self.planes.state()}

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from the state of an earlier run."""
        self.planes.resume(state["planes"])
        vars(self).update({name: value for name, value in state.items() if name != "planes"})

    def begin_epoch(self) -> None:
        """A new epoch: its weight is the unit."""
        self.epoch += 1
        ratio = unit_ratio(self.weights, self.epoch)
        self.z, self.sum = self.z * ratio, self.sum * ratio
        self.A, self.out, self.anchor = self.A * ratio, self.out * ratio, self.anchor * ratio
        self.slopes, self.cut, self.size, self.before = np.zeros_like(self.z), 0.0, 0.0, self.A

    def dual(self) -> np.ndarray:
        """w of z; where the projection is kept z shrinks with it."""
        mu, radius, Gamma = self.problem.mu, self.problem.radius, self.anchor + self.A
        if Gamma <= 0.0:
            return np.zeros_like(self.z)
        z = np.sign(self.z) * np.maximum(np.abs(self.z) - self.l1 * self.A, 0.0)
        norm = float(np.linalg.norm(z))
        inside = radius * mu * Gamma / norm if norm > radius * mu * Gamma else 1.0
        if self.variant.keep:
            self.z = self.z * inside
        return z * (-inside / (mu * Gamma))

    def point_for(self, a: float) -> np.ndarray:
        """The point at which a batch of weight a is wanted."""
        self.w = self.dual()
        self.A += a
        o = a * (self.A / self.count) ** 3 if self.variant.cubic else a
        self.sum, self.out = self.sum + o * self.w, self.out + o
        return self.sum / self.out if self.variant.primal and self.out > 0.0 else self.w

    def add_batch(self, G: np.ndarray, cut: float) -> None:
        """The batch's sum of slopes and of -conjugates."""
        self.z, self.slopes = self.z + G, self.slopes + G
        self.cut, self.size = self.cut + cut, self.size + float(np.linalg.norm(G))

    def end_epoch(self) -> None:
        """The epoch is over: every row was seen once, with the same weight, and that is a cutting plane."""
        self.A = self.before + self.count  # exact, where a running sum has rounded
        s, width = self.slopes / self.count, self.problem.rows.width
        self.planes.add(s[:width], self.cut / self.count, self.count / self.A, 4.0 * U * self.size)

    def output(self) -> np.ndarray:
        """The point that the method returns."""
        if self.variant.last:
            return self.dual()
        w = self.sum / self.out if self.out > 0.0 else self.sum
        length, radius = norm(w), self.problem.radius
        return w * (radius / length) if length > radius else w
