"""The anchored solver: dual coordinate ascent whose prox center moves to each epoch's average, a proof at any time.

The anchored problem f(w) + K/(2n) |w - w_0|^2 is strongly convex enough for dual coordinate ascent to make much of one
epoch over the rows; moving w_0 to the epoch's own average takes the anchor out again (a proximal point method). The
first epoch is dual averaging with w_0 = 0; the output is the average of the epochs' averages with weights about e^3.
Relatives: proximal point and Catalyst methods, accelerated Prox-SDCA (Shalev-Shwartz and Zhang 2014), LIBLINEAR's dual
coordinate descent with shrinking (Hsieh et al. 2008).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from cesaro.linear.problem.csr import compacted
from cesaro.linear.problem.problem import Fit, History, Problem, gap_unit, rescaled
from cesaro.linear.solvers import driver
from cesaro.linear.solvers.anchored import kernels, polish
from cesaro.linear.solvers.anchored.dual_state import SolverState, norm
from cesaro.linear.solvers.anchored.initial_anchor import first_step
from cesaro.linear.solvers.anchored.kernels import B, V
from cesaro.linear.solvers.anchored.kinks import project_onto_kinks
from cesaro.linear.solvers.driver import Evaluation, Report
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import NULL_SLOT, CheckpointSlot

PARTS = 8  # of an epoch with L1, which has no running average: its points are averaged at their ends
SHRUNK = 0.7  # of the rows that were active at the last evaluation: with fewer, it is worth one


class DualWarmStart(NamedTuple):
    """What the next fit may begin from: the dual values, and the point to anchor at."""

    b: np.ndarray
    w: np.ndarray


class AnchoredSolver(driver.Solver):
    """One problem by the anchored solver."""

    def __init__(self, problem: Problem, settings: Settings, start: DualWarmStart | None, fresh: bool):
        """`fresh` tells that no checkpoint will overwrite what is chosen here."""
        problem, self.unit = rescaled(problem)
        rows, self.used = compacted(problem.rows)
        self.problem, self.settings, self.start = problem, settings, start
        self.current = SolverState(problem._replace(rows=rows), settings.seed)
        self.at_zero, self.width, self.count = np.array([self.current.at_zero]), rows.d + 1, self.current.n
        self.total, self.weights = np.zeros(rows.d + 1), 0.0  # sum of weights times the epochs' averages
        self.evaluations, self.of_total = 0, math.inf  # and the objective at the average of all epochs
        self.strongest = math.inf  # prox weight
        if fresh:
            self._begin(settings.anchor)

    def _begin(self, anchor: float | str) -> None:
        state, w = self.current, np.zeros(self.width)
        weight = state.mean_square / first_step(state) if anchor == "auto" else state.mu * float(anchor)
        if self.start is not None:
            w = (self.start.w if self.used is None else self.start.w[np.append(self.used, -1)]) / self.unit
            state.load_dual_values(self.start.b)
        if state.mu == 0.0:
            weight = max(weight, 1e-3 * state.mean_square, 1e-300)
        state.recenter(w, weight)

    def known_points(self) -> Evaluation | None:
        if self.start is None:
            return None
        w = self.current.center
        return self._evaluation(w, self.settings.tol)

    def advance(self, running: list[int]) -> None:
        self.epoch += 1
        state = self.current
        average, weight = run_epoch(state, first=self.epoch == 1 and self.start is None), state.prox_weight
        if self.settings.anchor == "auto":
            if self.epoch == 1:
                weight = min(weight, state.mean_square / 0.3)
                self.strongest = 20.0 * weight
            else:
                weight = min(weight / state.relaxation(average), self.strongest)
        state.recenter(average, weight)
        share = average_weight(self.epoch)
        self.total += share * average
        self.weights += share

    def evaluation_due(self, history: History, tol: float) -> bool:
        epoch, *_, active = history.rows[-1]
        if self.epoch > 2 and len(self.current.active) <= SHRUNK * active:
            return True
        return self.epoch >= epoch + epochs_to_next(history, tol, self.current.n, self.current.at_zero)

    def evaluate(self, running: list[int], tol: float, last: bool) -> Evaluation:
        """At the average of all epochs; now and then at the last one's, or at the nearest point on the kinks."""
        state, self.evaluations = self.current, self.evaluations + 1
        average = state.center
        w = self.total / self.weights if self.weights > 0.0 else average
        trial = self.evaluations % 3 if self.epoch >= 10 and not last else 0
        if trial == 1:
            w = average
        elif trial == 2:
            w = project_onto_kinks(state, w)
        found = self._evaluation(w, tol)
        if trial == 0:
            self.of_total = float(found.objective[0])
        elif trial == 1 and found.objective[0] < self.of_total:  # better than the average of all: begin it anew
            share = average_weight(self.epoch)
            self.total, self.weights = share * average, share
        return found

    def after_interrupt(self) -> Evaluation:
        state = self.current
        state.sum_afresh()  # an epoch may have been cut off after its last row and before its sums
        if self.weights > 0.0:
            return self._evaluation(self.total / self.weights, self.settings.tol)
        w = state.point(state.prox_weight + state.n * state.mu, state.n * state.l1)
        return self._evaluation(w, self.settings.tol)

    def _evaluation(self, w: np.ndarray, tol: float) -> Evaluation:
        f, bound = self.current.evaluate(w, tol)
        return Evaluation(w[None], np.array([f]), np.array([bound]), np.array([len(self.current.active)]))

    def state(self) -> dict[str, Any]:
        names = ("epoch", "evaluations", "total", "weights", "of_total", "strongest")
        return {name: getattr(self, name) for name in names} | {"state": self.current.state()}

    def resume(self, state: dict[str, Any]) -> None:
        self.current.resume(state.pop("state"))
        vars(self).update(state)

    def fit(self, fit: Fit) -> Fit:
        """The fit in the problem's own units and columns, with what a warm start needs."""
        w = fit.w * self.unit
        if self.used is not None:
            w = np.zeros(self.problem.rows.d + 1)
            w[np.append(self.used, -1)] = fit.w * self.unit
        start = DualWarmStart(self.current.record[:, B].copy(), w) if self.problem.layout is None else None
        return fit._replace(w=w[: self.problem.rows.width], state=start)


def run_epoch(state: SolverState, first: bool = False) -> np.ndarray:
    """One epoch over the active rows; those that are shrunk leave them. Returns the epoch's average of w."""
    state.reorder(first)
    n, mu, l1 = state.n, state.mu * first, state.l1 * first
    S, T = state.prox_weight + n * (state.mu - mu), n * (state.l1 - l1)
    h_and_r = state.h_and_r.reshape(-1)
    changed = 2
    if state.l1 == 0.0:
        C, weights, left, changes = kernels.run_epoch(
            state.rows, state.record, state.active, h_and_r, state.loss, S, mu, None, state.radius, state.slack
        )
        average, changed = (C * state.h_and_r[:, 0] + state.h_and_r[:, 1]) / weights, changed + changes
        state.active = state.active[:left]
    else:
        average, total, active = np.zeros_like(state.center), 0.0, []
        for k, part in enumerate(np.array_split(state.active, PARTS)):
            share = state.record[part, V].sum() if first else 0.0
            _, _, left, changes = kernels.run_epoch(
                state.rows, state.record, part, h_and_r, state.loss, S, mu, (T, l1), state.radius, state.slack
            )
            if len(part):
                S, T = S + mu * share, T + l1 * share
                weight = (k + 1.0) ** (3 * first)
                average += weight * state.point(S, T)
                total += weight
            active.append(part[:left])
            changed += changes
        state.active, average = np.concatenate(active), average / total
    state.g = (state.h_and_r[:, 0] - state.prox_weight * state.center) / n
    size = norm(state.h_and_r[:, 0]) + state.prox_weight * norm(state.center)
    state.noise += changed * float(size * size)
    return average


def average_weight(epoch: int) -> float:
    """The weight of an epoch's average in the average of all."""
    return float(epoch**4 - (epoch - 1) ** 4)


def epochs_to_next(history: History, tol: float, n: int, at_zero: float) -> int:
    """Epochs until the next evaluation: half of what the gap still needs at its present rate, within bounds."""
    epoch, _, upper, lower, active = history.rows[-1]
    e, target = int(epoch), tol * gap_unit(upper, at_zero)
    fewest = min(3, max(1, round(0.5 * n / max(1.0, active))))
    if e < 2:
        return 2 - e
    if len(history) < 3 or target <= 0.0:
        return max(fewest, min(e // 4, 10))
    before, _, upper_before, lower_before, _ = history.rows[-2]
    gap, gap_before = upper - lower, upper_before - lower_before
    rate = math.log(gap_before / gap) / (epoch - before) if gap_before > gap > 0.0 else 0.0
    needed = math.log(gap / target) / rate if rate > 0.0 else math.inf
    return int(max(fewest, min(needed / 2.0, 1 + e // 4, 10)))


def solve(
    problem: Problem,
    settings: Settings,
    start: DualWarmStart | None = None,
    report: Report | None = None,
    slot: CheckpointSlot = NULL_SLOT,
) -> Fit:
    """Minimise until the proved relative gap is at most tol: epochs, and Newton steps for a small problem's last digits."""
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
