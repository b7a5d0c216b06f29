"""Coordinate descent with working sets: losses with an L1 penalty, with or without L2.

A round takes the columns that violate the optimality conditions most, copies them side by side, and minimises over them by
prox-Newton steps, whose models coordinate descent minimises; then a pass over all rows evaluates the point and bounds the
optimum from its slopes. Weights are exactly zero or not, and the scale of a column does not matter. A loss with kinks is a
sequence of smooth ones (`multipliers`). Relatives: celer (Massias et al. 2018), skglm (Bertrand et al. 2022), glmnet,
LIBLINEAR's newGLMNET (Yuan et al. 2012).
"""

import math
import time
from typing import Any

import numpy as np

from cesaro.linear.problem.csr import without_redundant_arrays
from cesaro.linear.problem.problem import Fit, History, Problem, gap_unit, value_at_zero
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.problem.scales import rescaled
from cesaro.linear.solvers import driver
from cesaro.linear.solvers.coordinate_descent import kernels
from cesaro.linear.solvers.coordinate_descent.dual_point import NO_OFFSET, ScaledDualPoint, balance, columns_noise
from cesaro.linear.solvers.coordinate_descent.local_model import LocalModel, Penalty
from cesaro.linear.solvers.coordinate_descent.multipliers import Multipliers
from cesaro.linear.solvers.coordinate_descent.working_set import ColumnPool, most_violated
from cesaro.linear.solvers.driver import Evaluation, Report
from cesaro.linear.solvers.dual_warm_start import DualWarmStart
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import CheckpointSlot

STEPS = 20  # prox-Newton steps on one working set
SHARE = 0.3  # of the gap with which a working set begins, or of what is asked for: then it is done


def handles(problem: Problem) -> bool:
    """Whether it can be solved here: an L1 penalty, no ball, rows in memory."""
    if problem.l1 == 0.0 or problem.radius < math.inf:
        return False
    layout = problem.layout
    return layout is None or (layout.folder is None and layout.single(problem.rows.n))


class CoordinateDescentSolver(driver.Solver):
    """One problem; the driver's epochs are working sets."""

    def __init__(self, problem: Problem, settings: Settings, start: DualWarmStart | None):
        began = time.perf_counter()
        problem, self.unit = rescaled(problem)
        self.problem, self.settings, self.start = problem, settings, start
        self.rows, d = without_redundant_arrays(problem.rows), problem.rows.d
        bias, mu = problem.rows.bias, problem.mu
        M = mu / bias**2 if bias and problem.penalize_intercept else 0.0
        s, loss = problem.v / problem.v.sum(), dual_form(problem.loss)
        self.dual = ScaledDualPoint(problem.y, s, loss, mu, problem.l1, M, free=bias != 0.0 and M == 0.0)
        self.model = LocalModel(problem.y, s, loss, Penalty(mu, problem.l1, M), bias != 0.0)
        self.multipliers, self.offset, self.smooth_dual = None, NO_OFFSET, self.dual
        if loss.linear:
            self.multipliers = Multipliers(loss, problem.y, s, None if start is None else start.b)
            self._smooth(self.multipliers)
        self.zero, self.least_unit = value_at_zero(problem), problem.least_unit
        self.at_zero = np.array([self.zero])
        self.width, self.count, self.entries = d + 1, int(np.count_nonzero(problem.v)), len(self.rows.col)
        self.w, self.gap = np.zeros(d), math.inf
        self.g, self.squares, counts = np.zeros(d), np.zeros(d), np.zeros(d, np.uint32)
        if start is not None:
            self.w[:], self.model.c = start.w[:d] / self.unit, float(start.w[d] * problem.rows.bias / self.unit)
            kernels.add_products(self.rows, self.w, self.model.p)
            self.model.p += self.model.c
        self.model.p += self.offset
        self.model.centre()
        kernels.measure_columns(self.rows, self.model.r, s, self.g, self.squares, counts)
        self.noise, self.pool = columns_noise(self.squares, counts, self.dual.free), ColumnPool(self.rows, counts)
        self.preparation = time.perf_counter() - began

    def known_points(self) -> Evaluation | None:
        return None if self.start is None else self.evaluate([0], self.settings.tol, False)

    def advance(self, running: list[int]) -> None:
        """Lower the objective over a working set until its own gap is small beside the whole one."""
        model, penalty = self.model, self.model.penalty
        which = most_violated(self.g, self.w, penalty.l1, self.squares)
        self.pool.add(which)
        entries, chosen, w = self.pool.entries, self.pool.place[which], self.w[which]
        columns, goal, last = np.zeros((len(which), 3)), SHARE * self.gap, math.inf
        for k in range(STEPS):
            slopes = model.measure(entries, chosen, columns)
            value = model.mean + penalty.at(w, model.c)
            if k > 0 or math.isinf(goal):
                gap = value - self.smooth_dual.bound(model.r, slopes, None, self.offset)
                asked = self.settings.tol * gap_unit(float(value), self.least_unit * self.zero)
                goal = SHARE * gap if math.isinf(goal) else goal
                if gap <= max(goal, SHARE * asked) or value >= last:
                    break
            last = value
            w = model.minimise(entries, chosen, columns, w, self.must_end)
            model.linearise()
            if self.must_end():
                break
        self.w[which] = w
        self.epoch += 1

    def evaluation_due(self, history: History, tol: float) -> bool:
        return self.epoch > 0

    def evaluate(self, running: list[int], tol: float, last: bool) -> Evaluation:
        """At the weights as they are, with the best intercept; the predictions are summed afresh."""
        model, support = self.model, np.flatnonzero(self.w)
        self.pool.add(support)
        model.p[:] = model.c + self.offset
        kernels.add_columns(*self.pool.entries, self.pool.place[support], self.w[support], model.p)
        model.centre()
        r = model.r.copy()
        if self.dual.free:
            balance(r)
        self.g[:] = 0.0
        kernels.add_rows(self.rows, r, self.g)
        penalty = model.penalty.at(self.w, model.c)
        f, bound = model.mean + penalty, self.smooth_dual.bound(r, self.g, self.noise, self.offset)
        self.gap = f - bound
        if self.multipliers is not None:
            f, bound = self._with_kinks(r, penalty, self.multipliers)
        point = np.append(self.w, model.c / self.problem.rows.bias if self.problem.rows.bias else 0.0)
        return Evaluation(point[None], np.array([f]), np.array([bound]), np.array([self.count]))

    def _with_kinks(self, r: np.ndarray, penalty: float, many: Multipliers) -> tuple[float, float]:
        """Objective and bound of the loss itself; the next multipliers, if the smooth problem is solved well beside them."""
        model, s = self.model, self.model.s
        f = penalty + kernels.mean_loss_along(model.y, s, many.kinked, model.p, self.offset, -1.0)
        bound = self.dual.bound(r, self.g, self.noise)
        b = np.divide(model.r, s, out=np.zeros_like(s), where=s > 0.0)
        if many.update(b, self.gap, f - bound):
            model.p -= self.offset
            self._smooth(many)
            model.p += self.offset
            model.linearise()
            self.gap = f - bound
        return f, bound

    def _smooth(self, many: Multipliers) -> None:
        """Go on with the smooth loss that the multipliers make."""
        self.offset, self.model.loss, self.smooth_dual = many.offset, many.smooth, self.dual.of(many.smooth)

    def state(self) -> dict[str, Any]:
        model = self.model
        kept = {"epoch": self.epoch, "w": self.w, "gap": self.gap, "c": model.c, "damping": model.damping}
        return kept | ({} if self.multipliers is None else {"multipliers": self.multipliers.state()})

    def resume(self, state: dict[str, Any]) -> None:
        self.epoch, self.w[:], self.gap = state["epoch"], state["w"], state["gap"]
        self.model.c, self.model.damping = state["c"], state["damping"]
        if self.multipliers is not None:
            vars(self.multipliers).update(state["multipliers"])
            self._smooth(self.multipliers)

    def fit(self, fit: Fit) -> Fit:
        """The fit in the problem's own units, with what a warm start needs."""
        w = fit.w * self.unit
        b = None if self.multipliers is None else self.multipliers.b
        return fit._replace(w=w[: self.problem.rows.width], state=DualWarmStart(b, w))


def solve(
    problem: Problem, settings: Settings, start: DualWarmStart | None, report: Report | None, slot: CheckpointSlot
) -> Fit:
    """Minimise until the proved relative gap is at most tol."""
    solver = CoordinateDescentSolver(problem, settings, start)
    (fit,) = driver.run_to_end(solver, settings, report, slot)
    return solver.fit(fit)
