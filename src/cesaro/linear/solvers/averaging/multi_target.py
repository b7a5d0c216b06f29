"""Many models that differ in their targets only (one-vs-rest classes, columns of y): one schedule, epochs in common."""

import math
from typing import Any

import numpy as np

from cesaro.compiled.vector_ops import padded, zeros
from cesaro.linear.bounds.cutting_planes import CuttingPlanes
from cesaro.linear.bounds.slope_sizes import slope_sizes
from cesaro.linear.problem.csr import without_redundant_arrays
from cesaro.linear.problem.mean_loss import mean_square
from cesaro.linear.problem.problem import Fit, History, Problem, objective
from cesaro.linear.problem.row_order import RowOrders
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers import driver
from cesaro.linear.solvers.averaging.evaluation_schedule import growing_evaluations
from cesaro.linear.solvers.averaging.initial_anchor import first_step
from cesaro.linear.solvers.averaging.kernels import ANCHOR, DONE, OUT, KernelConfig, RunScalars, step
from cesaro.linear.solvers.averaging.multi_target_kernels import (
    flush_multi_target,
    fold_multi_target,
    run_epoch_multi_target,
    sum_losses,
)
from cesaro.linear.solvers.averaging.solver import AveragingSolver
from cesaro.linear.solvers.averaging.variants import Variant, unit_ratio, variant_and_weights
from cesaro.linear.solvers.driver import Evaluation, Report
from cesaro.linear.solvers.initial_step import anchor_for_step
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import NULL_SLOT, CheckpointSlot
from cesaro.storage.states import require_like

PLANES = 8  # cutting planes kept for each model
PILOTS = 3  # models that choose the first step


class MultiTargetSolver(driver.Solver):
    """A run of many models: what `AveragingSolver` is for one."""

    together = True

    def __init__(self, problems: list[Problem], variant: Variant, weights: Any, rng: Any):
        first = problems[0]
        rows, v, P = first.rows, np.asarray(first.v, dtype=float), padded(len(problems), float)
        self.problems, self.variant, self.weights, self.rng = problems, variant, weights, rng
        self.rows, self.width, self.models = without_redundant_arrays(rows), rows.width, len(problems)
        self.orders = RowOrders(np.flatnonzero(v).astype(np.uint32), rows.ptr)
        self.count = len(self.orders.order)
        self.weight = v
        self.v = np.ones(1) if (v == v[0]).all() else v / (v.sum() / self.count)
        loss = dual_form(first.loss)
        self.Y = zeros((rows.n, P), np.int8 if loss.cap > 0.0 else float)
        for k, problem in enumerate(problems):
            self.Y[:, k] = problem.y
        self.lazy = zeros((0 if variant.primal else rows.n, P))
        kind = (variant.primal, False, variant.cubic)
        self.config = KernelConfig(loss, first.mu, 0.0, math.inf, *kind, float(self.count))
        self.zr, self.scalars, self.cut = zeros((rows.d + 1, 2 * P)), np.array(RunScalars()), zeros(P)
        self.work = zeros((2, 2 * P))
        self.planes, squares = [CuttingPlanes(p, PLANES) for p in problems], float(mean_square(rows, v))
        self.sizes = [slope_sizes(p, squares) for p in problems]
        self.least_unit, self.entries = problems[0].least_unit, len(rows.col) * len(problems)
        self.at_zero = self.objectives(np.zeros((len(problems), rows.width)))

    def begin(self, anchor: float | str) -> None:
        """Begin at 0; the step is the middle one of what a few of the models would choose."""
        if anchor == "auto":
            some = self.problems[:: max(1, len(self.problems) // PILOTS)][:PILOTS]
            found = [first_step(AveragingSolver(p, self.variant, self.weights, False, self.rng)) for p in some]
            anchor = anchor_for_step(float(np.median([step for step, _ in found])), found[0][1], self.config.mu)
        self.scalars[ANCHOR] = float(anchor)

    def advance(self, running: list[int]) -> None:
        self.epoch += 1
        zr, scalars, P = self.zr, self.scalars, len(self.cut)
        ratio = unit_ratio(self.weights, self.epoch)
        if ratio != 1.0:
            zr *= ratio
            self.lazy *= ratio
            scalars[[OUT, DONE, ANCHOR]] *= ratio
        before, done, self.cut[:] = zr[:, :P].copy(), scalars[DONE], 0.0
        order = self.orders.draw(self.rng)
        run_epoch_multi_target(
            self.rows, self.Y, self.lazy, self.v, order, self.config, zr, scalars, self.cut, *self.work
        )
        fold_multi_target(zr, scalars[0])
        scalars[0], scalars[DONE] = 0.0, done + self.count
        n = self.count
        longest = (np.sqrt(np.square(before).sum(axis=0)) + np.sqrt(np.square(zr[:, :P]).sum(axis=0))) / n
        for k, (planes, sizes) in enumerate(zip(self.planes, self.sizes, strict=True)):
            s, c = (zr[: self.width, k] - before[: self.width, k]) / n, self.cut[k] / n
            planes.add(s, sizes.below(c, n), n / scalars[DONE], sizes.lost(c, n, longest[k]))

    def state(self) -> dict[str, Any]:
        mine = {name: getattr(self, name) for name in ("zr", "lazy", "scalars", "epoch")}
        planes = {k: planes.state() for k, planes in enumerate(self.planes)}
        return mine | {"rng": self.rng.bit_generator.state, "planes": planes}

    def resume(self, state: dict[str, Any]) -> None:
        require_like(state, self.state())
        self.zr[:], self.lazy[:], self.scalars, self.epoch = (
            state[name] for name in ("zr", "lazy", "scalars", "epoch")
        )
        self.rng.bit_generator.state = state["rng"]
        for k, planes in enumerate(self.planes):
            planes.resume(state["planes"][str(k)])

    def outputs(self) -> np.ndarray:
        """The points that the method returns, (models, width)."""
        flush_multi_target(self.rows, self.lazy, self.zr, self.work[0])
        scalars, P = self.scalars, len(self.cut)
        s, _ = step(self.config, None, self.config.mu, scalars[ANCHOR] + scalars[DONE], 1.0, 0.0)
        points = s * self.zr[:, :P] if self.variant.last else self.zr[:, P:] / max(scalars[OUT], 1e-300)
        return np.ascontiguousarray(points[: self.width, : self.models].T)

    def objectives(self, points: np.ndarray) -> np.ndarray:
        """Of every model at its point."""
        W, total, *work = zeros((self.problems[0].rows.d + 1, len(self.cut))), *np.zeros((3, len(self.cut)))
        W[: points.shape[1], : len(points)] = points.T
        sum_losses(self.rows, self.Y, self.weight, self.config, W, *work, total)
        return objective(total[: len(points)] / self.weight.sum(), points, self.config.mu)

    def evaluation_due(self, history: History, tol: float) -> bool:
        return growing_evaluations(self.epoch, 0, history, tol)

    def evaluate(self, running: list[int], tol: float, last: bool) -> Evaluation:
        return self._evaluation(self.outputs(), np.array([planes.bound() for planes in self.planes]))

    def after_interrupt(self, running: list[int]) -> Evaluation:
        return self._evaluation(self.outputs(), np.full(self.models, -math.inf))

    def _evaluation(self, points: np.ndarray, bounds: np.ndarray) -> Evaluation:
        return Evaluation(points, self.objectives(points), bounds, np.full(self.models, self.count))


def solve(
    problems: list[Problem], settings: Settings, report: Report | None = None, slot: CheckpointSlot = NULL_SLOT
) -> list[Fit]:
    """`averaging.solver.solve` for problems that differ in their targets only; it ends when every gap is proved."""
    rng = np.random.default_rng(settings.seed)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        solver = MultiTargetSolver(problems, *variant_and_weights(settings.solver, settings.averaging), rng)
        if slot.saved is None:
            solver.begin(settings.anchor)
        return driver.run_to_end(solver, settings, report, slot)
