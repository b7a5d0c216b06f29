"""The anchored solver: dual coordinate ascent whose prox center moves to each epoch's average, a proof at any time.

The anchored problem f(w) + K/(2n) |w - w_0|^2 is strongly convex enough for dual coordinate ascent to make much of one
epoch over the rows; moving w_0 to the epoch's own average takes the anchor out again (a proximal point method). The
first epoch is dual averaging with w_0 = 0; the output is the average of the epochs' averages with weights about e^3, or
e^7 on wide rows.
Relatives: proximal point and Catalyst methods, accelerated Prox-SDCA (Shalev-Shwartz and Zhang 2014), LIBLINEAR's dual
coordinate descent with shrinking (Hsieh et al. 2008).
"""

import math
from typing import Any

import numpy as np

from cesaro.linear.problem.csr import compacted
from cesaro.linear.problem.problem import Fit, History, Problem, gap_unit
from cesaro.linear.problem.scales import rescaled
from cesaro.linear.solvers import driver
from cesaro.linear.solvers.anchored import kernels, polish
from cesaro.linear.solvers.anchored.active_rows import slack_after
from cesaro.linear.solvers.anchored.best_intercept import first_intercept
from cesaro.linear.solvers.anchored.dual_state import Epoch, SolverState
from cesaro.linear.solvers.anchored.initial_prox_weight import first_weight, second_weight, unit
from cesaro.linear.solvers.anchored.intercept import begin_intercept_at, bound_on_intercept
from cesaro.linear.solvers.anchored.kinks import project_onto_kinks
from cesaro.linear.solvers.anchored.records import B
from cesaro.linear.solvers.coordinate_descent import solver as coordinate_descent
from cesaro.linear.solvers.coordinate_descent.after_epochs import solve_with_l1
from cesaro.linear.solvers.driver import Evaluation, Report
from cesaro.linear.solvers.dual_warm_start import DualWarmStart
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import CheckpointSlot
from cesaro.storage.states import require_like

COUNTED = ("epoch", "evaluations", "evaluated", "hoped", "weights", "of_total", "strongest")
CLEARLY = 0.99  # below l1: the optimality conditions want no weight there
HOPE = 2.0  # an evaluation is tried when the rows' own gaps, as an epoch met them, are below this times what is asked


class AnchoredSolver(driver.Solver):
    """One problem by the anchored solver."""

    def __init__(self, problem: Problem, settings: Settings, start: DualWarmStart | None, fresh: bool):
        """`fresh` tells that no checkpoint will overwrite what is chosen here."""
        problem, self.unit = rescaled(problem)
        rows, self.used = compacted(problem.rows)
        self.problem, self.settings, self.start = problem, settings, start
        self.current = SolverState(problem._replace(rows=rows), settings.seed, own_bias=True)
        self.at_zero, self.width, self.count = np.array([self.current.at_zero]), rows.d + 1, self.current.n
        self.least_unit, self.entries = problem.least_unit, len(rows.col)
        self.weights = 0.0  # the sum of the epochs' weights in the average of all
        self.evaluations, self.of_total = 0, math.inf  # and the objective at the average of all epochs
        self.evaluated, self.hoped = 0, math.inf  # the last epoch that was, and what it estimated the gap to be
        self.strongest = math.inf  # prox weight
        if fresh:
            self._begin(settings.anchor)

    def _begin(self, anchor: float | str) -> None:
        state = self.current
        if anchor == "auto":
            weight = first_weight(state.mean_square, state.n, state.mu, state.wide, state.loss.kind)
        else:
            weight = state.mu * float(anchor)
        if self.start is not None and self.start.prox_weight is not None:
            weight = self.start.prox_weight
        if state.mu == 0.0:
            weight = max(weight, 1e-3 * state.mean_square, 1e-300)
        state.prox_weight = weight
        if self.start is None:  # all columns are 0, as they are
            state.center[-1] = first_intercept(state) if state.free else 0.0
        else:
            w = (self.start.w if self.used is None else self.start.w[np.append(self.used, -1)]) / self.unit
            w[-1] /= self.bias_ratio
            if self.start.b is not None:
                state.load_dual_values(self.start.b)
            state.recenter(w, weight)

    @property
    def bias_ratio(self) -> float:
        """What takes the intercept's weight back to the problem's constant feature."""
        return self.current.rows.bias / self.problem.rows.bias if self.problem.rows.bias else 1.0

    def known_points(self) -> Evaluation | None:
        if self.start is None:
            return None
        return self._evaluation(self.current.center.copy(), self.settings.tol)

    def advance(self, running: list[int]) -> None:
        self.epoch += 1
        state, first = self.current, self.epoch == 1 and self.start is None
        state.set_apart()
        done = run_epoch(state, first)
        weight, share = state.prox_weight, average_weight(self.epoch, state.wide)
        adapts = self.settings.anchor == "auto"
        if adapts and self.epoch == 1:
            weight = self._second_weight(done.changes)
            self.strongest = 20.0 * weight
        elif adapts:
            weight = min(weight / state.rule.factor(weight, state.n * state.mu), self.strongest)
        oscillation, move = state.recenter_at_average(done, weight, share)
        if state.free and self.epoch > 1:
            state.slack = slack_after(move * math.sqrt(state.mean_square), state.unit)
        if adapts and self.epoch > 1:
            state.rule.observe(oscillation, move)
        self.weights += share

    def _second_weight(self, changes: int) -> float:
        state, known = self.current, self.current.wide or self.start is not None
        here, moved = unit(state.mean_square, state.loss.kind, state.record), changes / max(1, state.rows.d)
        return second_weight(state.prox_weight, state.mean_square, here, moved, state.n * state.mu, known)

    def evaluation_due(self, history: History, tol: float) -> bool:
        if self.epoch == 0:
            return False
        upper = history.rows[-1][2]
        hope = min(HOPE * tol * gap_unit(upper, self.least_unit * self.current.at_zero), 0.75 * self.hoped)
        if self.epoch > 1 and self.current.gap <= hope:
            return True
        return self.epoch >= self.evaluated + max(3, min(10, self.epoch // 2)) or not len(self.current.working.active)

    def evaluate(self, running: list[int], tol: float, last: bool) -> Evaluation:
        """At the average of all epochs; now and then at the last one's, or at the nearest point on the kinks."""
        state, self.evaluations = self.current, self.evaluations + 1
        self.evaluated, self.hoped = self.epoch, state.gap
        state.write_back()
        total = state.whole.columns.total
        w = total / self.weights if self.weights > 0.0 else state.center.copy()
        trial = self.evaluations % 3 if self.epoch >= 10 and not last else 0
        if trial == 1:
            w = state.center.copy()
        elif trial == 2:
            w = project_onto_kinks(state, w)
        if (
            state.l1 > 0.0
        ):  # an average has weights that an epoch has had; the dual values know which are zero at the end
            w[:-1][np.abs(state.g[:-1]) < CLEARLY * state.l1] = 0.0
        found = self._evaluation(w, tol, last)
        if trial == 0:
            self.of_total = float(found.objective[0])
        elif trial == 1 and found.objective[0] < self.of_total:  # better than the average of all: begin it anew
            self.weights = average_weight(self.epoch, state.wide)
            total[:] = self.weights * w
        return found

    def after_interrupt(self, running: list[int]) -> Evaluation:
        state = self.current
        state.write_back()
        state.sum_afresh()  # an epoch may have been cut off after its last row and before its sums
        w = state.whole.columns.total / self.weights if self.weights > 0.0 else state.point()
        return self._evaluation(w, self.settings.tol)

    def _evaluation(self, w: np.ndarray, tol: float, last: bool = True) -> Evaluation:
        w = self.current.into_ball(w)
        f, bound = self.current.evaluate(w, tol, last or tol == 0.0)
        return Evaluation(w[None], np.array([f]), np.array([bound]), np.array([len(self.current.active)]))

    def state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in COUNTED} | {"state": self.current.state()}

    def resume(self, state: dict[str, Any]) -> None:
        self.current.resume(state.pop("state"))
        require_like(state, {name: getattr(self, name) for name in COUNTED})
        vars(self).update(state)

    def fit(self, fit: Fit) -> Fit:
        """The fit in the problem's own units and columns, with what a warm start needs."""
        known = bound_on_intercept(self.current, self.problem, fit) if self.unit == 1.0 else None
        w = fit.w if self.unit == 1.0 else fit.w * self.unit
        w[-1] *= self.bias_ratio
        if self.used is not None:
            point, w = w, np.zeros(self.problem.rows.d + 1)
            w[np.append(self.used, -1)] = point
            known = None if known is None else known.at(self.used, len(w) - 1)
        start = DualWarmStart(self.current.record[:, B].copy(), w) if self.problem.layout is None else None
        return fit._replace(w=w[: self.problem.rows.width], state=start, intercept=known)


def run_epoch(state: SolverState, first: bool = False) -> Epoch:
    """One epoch over the active rows; those that are shrunk leave them."""
    state.reorder(first)
    state.dual_value = math.nan
    here, n, mu, l1 = state.working, state.n, state.mu * first, state.l1 * first
    start = float(here.columns.center[-1]) * first if state.free else 0.0
    sparse = (n * (state.l1 - l1), l1) if state.l1 > 0.0 else None
    left, *found = kernels.run_epoch(
        here.rows, here.record, here.active, here.columns.h, here.squared_norm_outside(state.prox_weight), state.loss,
        state.prox_weight + n * (state.mu - mu), mu, sparse, state.radius, state.free, state.slack, state.parts(first),
        start * here.rows.bias, here.columns.average,
    )  # fmt: skip
    here.active = here.active[:left]
    if start != 0.0:
        begin_intercept_at(start, state)
    return Epoch(here.columns.average, *found)


def average_weight(epoch: int, wide: bool) -> float:
    """The weight of an epoch's average in the average of all: the last fourth of them, or eighth of wide rows, count most."""
    power = 8 if wide else 4  # of 3 to 14, these took the fewest epochs
    return float(epoch**power - (epoch - 1) ** power)


def solve(
    problem: Problem, settings: Settings, start: DualWarmStart | None, report: Report | None, slot: CheckpointSlot
) -> Fit:
    """Minimise until the proved relative gap is at most tol: epochs, and Newton steps for a small problem's last digits.

    With L1, rows in memory are solved by coordinate descent, over columns; a loss with kinks and L2 only if epochs do not end.
    """
    if coordinate_descent.handles(problem):
        return solve_with_l1(run_epochs, problem, settings, start, report, slot)
    if polish.pays(problem, settings):
        return polish.between_epochs(run_epochs, problem, settings, start, report, slot)
    return run_epochs(problem, settings, start, report, slot)


def run_epochs(
    problem: Problem, settings: Settings, start: DualWarmStart | None, report: Report | None, slot: CheckpointSlot
) -> Fit:
    """Epochs alone; the answer is the point of lowest objective."""
    solver = AnchoredSolver(problem, settings, start, fresh=slot.saved is None)
    (fit,) = driver.run_to_end(solver, settings, report, slot)
    return solver.fit(fit)
