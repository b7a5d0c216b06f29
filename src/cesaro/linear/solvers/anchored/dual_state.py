"""The state of the anchored solver: dual values, h, the prox center, the active rows; one evaluation.

`recenter` is the proximal-point move, `evaluate` the lower bound from the dual values; an epoch is in `solver`.

The dual values are feasible whatever the anchor, so that at any time

    f* >= theta D + min_{|w| <= R}  mu/2 |w|^2 + l1 |w|_1 - theta <g, w> ,     g = mean b_i x_i,  D = -mean phi*(-b_i)

for every theta in [0, 1]. From this an allowance for rounding is taken off: 4 standard deviations of a sum of as many
errors of one ulp as there were additions. Where that would matter for `tol`, g is summed afresh.
"""

import math
from typing import Any

import numpy as np

from cesaro.linear.bounds.dual_bound import dual_bound
from cesaro.linear.problem.block_order import pieces
from cesaro.linear.problem.csr import without_redundant_arrays
from cesaro.linear.problem.problem import Problem, objective
from cesaro.linear.problem.row_order import by_length, shuffled_in_place
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.anchored import kernels
from cesaro.linear.solvers.anchored.kernels import B, V
from cesaro.linear.solvers.anchored.prox_weight import ProxWeightRule

EPS = float(np.finfo(float).eps)
SAMPLE = 2000  # rows from which the mean of |x|^2 is taken: the first epoch measures the others as it meets them


class SolverState:
    """Everything that changes during a solve of one problem."""

    def __init__(self, problem: Problem, seed: Any):
        rows, y, v = problem.rows, problem.y, problem.v
        self.mu, self.l1, self.radius, self.layout = problem.mu, problem.l1, problem.radius, problem.layout
        self.empty = np.empty if self.layout is None else self.layout.empty
        self.rows, self.loss = without_redundant_arrays(rows), dual_form(problem.loss)
        self.seed = int(np.random.default_rng(seed).integers(1, 2**32))
        self.record, self.found_active = self.empty((rows.n, 4)), self.empty(rows.n, np.uint32)
        order, share = self.empty(rows.n, np.uint32), np.count_nonzero(v) / v.sum()
        self.n, self.at_zero = kernels.prepare(y, v, share, self.loss, self.record, order)
        self.slack = 0.2 if self.loss.cap > 0.0 else 0.2 * mean_size(y)
        self.g, self.center, self.prox_weight = np.zeros(rows.d + 1), np.zeros(rows.d + 1), 0.0
        self.h_and_r = np.zeros((rows.d + 1, 2))
        self.noise, self.rule = 0.0, ProxWeightRule()
        self.active = order[: self.n]  # the rows that the next epoch visits
        sorted_rows = by_length(self.active, rows.ptr, self.layout)
        self.evaluation_order = None if sorted_rows is None else sorted_rows[0]
        self.shuffle(self.active)
        self.mean_square = kernels.mean_square(self.rows, self.record, self.active[:SAMPLE])

    def shuffle(self, order: np.ndarray) -> None:
        """Shuffle an array in place."""
        self.seed = shuffled_in_place(order, self.seed)

    def reorder(self, first: bool) -> None:
        """A new order of the active rows. The first is new already, but rows in a file have to come by groups."""
        if self.layout is not None and not (first and self.layout.single(self.rows.n)):
            self.active = self.layout.shuffle(self.active, self.rows.n, self.shuffle)
        elif not first:
            self.shuffle(self.active)

    def recenter(self, w: np.ndarray, prox_weight: float) -> None:
        """Move the prox center to w, and give the anchor this weight."""
        self.center, self.prox_weight = w, prox_weight
        self.h_and_r[:, 0], self.h_and_r[:, 1] = prox_weight * w + self.n * self.g, 0.0

    def point(self, S: float, T: float) -> np.ndarray:
        """w of h."""
        return point_of(self.h_and_r[:, 0], S, T, self.radius)

    def relaxation(self, average: np.ndarray) -> float:
        """The factor by which to weaken the anchor after an epoch with this average."""
        end = self.point(self.prox_weight + self.n * self.mu, self.n * self.l1)
        return self.rule.factor(norm(end - average), norm(average - self.center))

    def evaluate(self, w: np.ndarray, tol: float = 0.0) -> tuple[float, float]:
        """Objective at w and a lower bound; every row that is not at rest at w is active again."""
        mean, D, size, active = kernels.evaluate(
            self.rows, self.record, self.evaluation_order, w, self.loss, self.slack, self.found_active
        )
        f = objective(mean, w, self.mu, self.l1, -1)
        if self.drift(norm(w)) > 0.01 * max(tol, 1e-9) * f:
            self.sum_afresh()
        bound = dual_bound(D, self.g, self.mu, self.l1, self.radius)
        self.activate(active)
        return float(f), bound - allowance(self.n, size, self.drift(norm(w)))

    def activate(self, active: int) -> None:
        """The first rows of `found_active`, or all if there are none, are the next epoch's."""
        if active:
            self.active = self.empty(active, np.uint32)
            self.active[:] = self.found_active[:active]
        else:
            self.active = np.flatnonzero(self.record[:, V]).astype(np.uint32)

    def drift(self, length: float) -> float:
        """What rounding in g may do to a bound at a point of that length."""
        return EPS * math.sqrt(self.noise) / self.n * length

    def state(self) -> dict[str, Any]:
        """What it takes between two epochs to go on as if the run had never stopped."""
        arrays = {"b": self.record[:, B], "active": self.active, "g": self.g, "center": self.center}
        numbers = {"prox_weight": self.prox_weight, "noise": self.noise, "seed": self.seed}
        return arrays | numbers | {"rule": self.rule.state()}

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from there. Squared norms are measured again when they are met."""
        self.record[:, B], self.active, self.g, self.seed = state["b"], state["active"], state["g"], state["seed"]
        self.noise = state["noise"]
        self.rule.resume(state["rule"])
        self.recenter(state["center"], state["prox_weight"])

    def load_dual_values(self, b: np.ndarray) -> None:
        """Take over an earlier run's dual values, if it had as many rows."""
        if len(b) == len(self.record):
            kernels.load_dual_values(b, self.loss, self.record)
            self.sum_afresh()

    def sum_afresh(self) -> None:
        """g afresh from the dual values."""
        g = np.zeros_like(self.g)
        kernels.sum_dual_values(self.rows, self.record, g)
        self.g, self.noise = g / self.n, self.n * float(g @ g)
        self.recenter(self.center, self.prox_weight)


def point_of(h: np.ndarray, S: float, T: float, radius: float) -> np.ndarray:
    """w = soft(h, T) / S, in the ball; the last entry, the intercept's, bears no L1."""
    if T > 0.0:
        h = np.append(np.sign(h[:-1]) * np.maximum(np.abs(h[:-1]) - T, 0.0), h[-1])
    length = norm(h) / S
    return h / S * min(1.0, radius / length if length > 0.0 else 1.0)


def allowance(n: int, size: float, drift: float) -> float:
    """What rounding may have added to a bound: n conjugates of mean size `size`, and g's `drift`."""
    return 4.0 * (EPS * math.sqrt(n) * size + drift)


def norm(x: np.ndarray) -> float:
    """|x|; np.linalg.norm would do more than that, several times an epoch."""
    return math.sqrt(x @ x)


def mean_size(y: np.ndarray) -> float:
    """Mean |y|, a piece at a time."""
    return float(sum(np.abs(y[piece]).sum() for piece in pieces(len(y))) / len(y))
