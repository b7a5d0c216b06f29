"""Classes against the rest, many at once: the anchored solver's epochs and evaluations, shared by up to sixteen of them.

On wide data an epoch of one class waits for memory, of which it uses one number in eight; together they use all of it.
All rows are visited, for some class or other needs each of them. A class that is proved is done; when few are left, or
after many epochs, each goes on by itself, over its own active rows, from its dual values and its prox center.
"""

import math
import time
from functools import partial
from typing import Any

import numpy as np

from cesaro.compiled.vector_ops import padded, zeros
from cesaro.linear.bounds.dual_bound import dual_bound
from cesaro.linear.bounds.rounding import TERM, U
from cesaro.linear.problem.csr import without_redundant_arrays
from cesaro.linear.problem.problem import Fit, History, Problem, differ_in_targets_only, gap_unit
from cesaro.linear.problem.row_order import neighbours_to_keep, shuffled_in_place
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.problem.scales import suits_single_precision
from cesaro.linear.solvers import driver
from cesaro.linear.solvers.anchored import class_evaluation, class_kernels, polish, records
from cesaro.linear.solvers.anchored.dual_state import SAMPLE
from cesaro.linear.solvers.anchored.initial_prox_weight import weight_for_wide_rows
from cesaro.linear.solvers.anchored.intercept import is_free, renewals, with_suitable_bias
from cesaro.linear.solvers.anchored.known_predictions import KnownPredictions
from cesaro.linear.solvers.anchored.prox_weight import ProxWeightRule, are_wide
from cesaro.linear.solvers.anchored.solver import solve as solve_one
from cesaro.linear.solvers.driver import Evaluation, Report
from cesaro.linear.solvers.dual_warm_start import DualWarmStart
from cesaro.linear.solvers.joined_fits import continued
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import NULL_SLOT

TOGETHER = 16  # classes: a cache line of single numbers
HOPE = 1.2  # an evaluation, dearer than an epoch, is tried when gaps are estimated to be that near to proof,
MOST = 0.75  # of so many of the classes
ENTRIES = 8  # for each column, from which on an epoch is not mostly one over the columns
FEWEST = 4  # classes up to which each is solved by itself
EARLY = 0.7  # where in the first epoch the point is that its average has besides the last,
MIDDLE = 0.4  # and in later ones
LONGEST = 80  # epochs together: what is not proved by then needs active rows of its own, or more than single precision
LEAST = 1e-150  # whose square is a number
PATIENCE = 0.03  # seconds that objectives may take after Ctrl-C, if there is to be a bound as well


class OneVsRestSolver(driver.Solver):
    """Epochs of some classes against the rest."""

    def __init__(self, problems: list[Problem], settings: Settings, bounds: bool = False):
        """`bounds` tells that somebody will ask for those of the intercepts."""
        one = problems[0]
        self.rows, self.loss = without_redundant_arrays(one.rows), dual_form(one.loss)
        self.mu, self.tol, self.free = one.mu, settings.tol, is_free(one)
        self.single = self.loss.in_single_precision()
        n, d, L = one.rows.n, one.rows.d, padded(len(problems), np.float32)
        self.models, self.width, self.least_unit = len(problems), d + 1, one.least_unit
        self.entries = len(one.rows.col) * self.models
        self.seed = int(np.random.default_rng(settings.seed).integers(1, 2**32))
        record, order = np.empty((n, 4)), np.empty(n, np.uint32)
        self.count, zero = records.prepare(
            one.y, one.v, np.count_nonzero(one.v) / one.v.sum(), self.loss, record, order
        )
        self.order, self.at_zero, self.zero = order[: self.count], np.full(self.models, zero), zero
        self.block = min(neighbours_to_keep(problem.y) for problem in problems)
        self._shuffle()
        if self.free:
            often = renewals(self.loss, wide=True, classes=True)
            self.rows = with_suitable_bias(self.rows, record, self.order[:SAMPLE], self.count * self.mu, often)
        self.bias_ratio = self.rows.bias / one.rows.bias if one.rows.bias else 1.0
        self.known = KnownPredictions(self.rows, record, self.order, L, bounds and self.free)
        mean_square = records.mean_square(self.rows, record, self.order)
        self.record = np.ascontiguousarray(record[:, [records.V, records.Q]])
        self.mean_length = float(self.record[:, 0] @ np.sqrt(np.maximum(self.record[:, 1], 0.0))) / self.count
        self.Y, self.b = np.full((n, L), -1.0, np.float32), zeros((n, L), np.float32)
        for c, problem in enumerate(problems):
            self.Y[:, c] = problem.y
        self.H, self.C = (zeros((d, L), np.float32) for _ in range(2))
        self.best = zeros((self.models, d + 1))  # pages of its own: small ones cost a thread much
        self.room = zeros((d + 1, L))  # for an epoch's average; at evaluations for sum b_i x_i, and then for the points
        self.A = self.room.view(np.float32).reshape(-1)[: d * L].reshape(d, L)
        self.h_intercept, self.intercept = np.zeros(L), np.zeros(L)
        self.K = np.full(L, weight_for_wide_rows(mean_square, self.count, self.mu))
        self.strongest = 20.0 * np.minimum(self.K, mean_square / 0.3)
        self.rules, self.gaps, self.upper = (
            [ProxWeightRule(wide=False) for _ in range(L)],
            np.full(L, np.inf),
            np.full(L, zero),
        )
        self.evaluated, self.running, self.patience = 0, list(range(self.models)), math.inf

    def _shuffle(self) -> None:
        self.seed = shuffled_in_place(self.order, self.seed, self.block)

    def place(self, k: int) -> np.ndarray:
        return self.best[k]

    def advance(self, running: list[int]) -> None:
        self.epoch += 1
        self.running = running
        first, n, mu, L = self.epoch == 1, self.count, self.mu, len(self.K)
        if not first:
            self._shuffle()
        gaps, work, sums = np.zeros(L), zeros((6, L), np.float32), zeros((3, L), np.float32)
        class_kernels.run_epoch_classes(
            self.rows, self.record, self.Y, self.order, self.H, self.h_intercept, self.b, self.single, self.K,
            0.0 if first else n * mu, mu if first else 0.0, int((EARLY if first else MIDDLE) * n), self.A, gaps, work,
        )  # fmt: skip
        factors = [1.0 if first else rule.factor(K, n * mu) for rule, K in zip(self.rules, self.K, strict=True)]
        K, new, s = self.K, np.minimum(self.K / factors, self.strongest), 1.0 / (self.K + n * mu)
        if first:
            new = self.strongest / 20.0
        single = [x.astype(np.float32) for x in (K, new, s)]
        class_kernels.recenter_classes(self.H, self.A, self.C, n, mu, *single, sums)
        more, end = n * mu if self.free else 0.0, s * self.h_intercept
        u, average = self.h_intercept - (K + more) * self.intercept, end if self.free else 0.5 * (work[5] + end)
        oscillation, move = sums[0] + (end - average) ** 2, sums[1] + (average - self.intercept) ** 2
        penalty = -u / n * average if self.free else 0.5 / mu * (mu * average - u / n) ** 2
        self.gaps = gaps / n + sums[2] + penalty
        self.h_intercept, self.intercept, self.K = u + (new + more) * average, average, new
        if not first:
            for rule, out, far in zip(self.rules, oscillation, move, strict=True):
                rule.observe(math.sqrt(out), math.sqrt(far))

    def evaluation_due(self, history: History, tol: float) -> bool:
        if self.epoch < 2:
            return False
        hopeful = self.gaps <= HOPE * tol * gap_unit(self.upper, self.least_unit * self.zero)
        most = np.count_nonzero(hopeful[self.running]) >= MOST * len(self.running)
        return (most and self.epoch > self.evaluated + 1) or self.epoch >= 2 * self.evaluated + 6

    def hands_over(self, running: list[int]) -> bool:
        return self.epoch > 0 and (len(running) <= FEWEST or self.epoch >= LONGEST)

    def evaluate(self, running: list[int], tol: float, last: bool) -> Evaluation:
        """At the prox centers. If the objectives alone take longer than the patience, nothing is proved."""
        began = time.perf_counter()
        self.evaluated, n, L, G = self.epoch, self.count, len(self.K), self.room
        primal, dual, size, squares, lengths = np.zeros((5, L))
        factors, sums, work = np.ones((2, L)), np.zeros((2, L)), np.empty((3, L))
        if self.free:
            class_evaluation.balancing_factors(self.record, self.b, factors, sums)
        class_evaluation.evaluate_classes(
            self.rows, self.record, self.Y, self.b, factors, self.loss, self.C, self.intercept, primal, dual, size, work,
            *self.known.of(running),
        )  # fmt: skip
        class_evaluation.squared_lengths(self.C, work[0], squares)
        objective = primal / n + self.mu / 2.0 * (squares + (not self.free) * self.intercept**2)
        lower, off = np.full(L, -np.inf), (n + TERM) * U  # sums go from row to row
        if time.perf_counter() - began < self.patience:
            G[:] = 0.0
            class_evaluation.sum_dual_values_classes(self.rows, self.record, self.b, factors, G, work[0])
            class_evaluation.squared_lengths(G[:-1], work[0], lengths)
            largest = np.maximum(self.b.max(axis=0), -self.b.min(axis=0)).astype(np.float64)
            lengths, mass, one_sided = self._lengths(lengths), largest * self.mean_length, sums.min(axis=0) / n
            for c in running:
                D, g = (dual[c] - off * size[c]) / n, np.array([lengths[c], G[-1, c]]) / n
                lower[c] = self._bound(D, g, off * mass[c], size[c] / n, mass[c], float(one_sided[c]))
        self.known.are_of_best[running] = (objective < self.upper)[running]
        self.upper = np.minimum(self.upper, objective)
        return Evaluation(self._points(running), objective[running], lower[running], np.full(len(running), n))

    def _lengths(self, squares: np.ndarray) -> np.ndarray:
        """|sum_i b_i x_i|, from above."""
        return np.sqrt(squares) * (1.0 + class_evaluation.squares_error(self.rows.d) * U) + LEAST

    def _points(self, running: list[int]) -> np.ndarray:
        """The prox centers, where the sums of dual values are no more needed."""
        points = self.room.reshape(-1, self.rows.d + 1)[: len(running)]
        class_evaluation.write_points(self.C, np.array(running), points)
        points[:, -1] = self.intercept[running]
        return points

    def _bound(self, D: float, g: np.ndarray, lost: float, size: float, mass: float, one_sided: float) -> float:
        """Of a class, whose g is given by its length and, last, the intercept's part. The dual values of a free intercept sum
        to zero but for rounding: with those of one sign, whose sum is `one_sided`, made smaller by a tiny part, their sum
        has the sign that an intercept of either sign needs.
        """
        if self.free:
            off = abs(float(g[-1])) + lost
            if off > 0.0:
                part = 2.0 * off / max(one_sided * abs(self.rows.bias), 1e-300) * (1.0 + 4.0 * (self.count + TERM) * U)
                D, lost = D - part * size, lost + part * mass
            g[-1] = 0.0
        return dual_bound(D, g, self.mu, lost=lost)

    def after_interrupt(self, running: list[int]) -> Evaluation:
        self.patience = PATIENCE
        return self.evaluate(running, self.tol, last=True)

    def state(self) -> None:
        return None

    def resume(self, state: dict[str, Any]) -> None:
        raise NotImplementedError("classes that share their epochs have no checkpoint.")

    def start(self, c: int) -> DualWarmStart:
        """From where class c can go on by itself."""
        w = np.append(self.C[:, c].astype(np.float64), self.bias_ratio * self.intercept[c])
        return DualWarmStart(self.b[:, c].astype(np.float64), w, float(self.K[c]))


def applies(problems: list[Problem], settings: Settings, starts: list[Any]) -> bool:
    """Whether these are classes against the rest that gain by it, on wide rows in memory, plainly regularised."""
    one = problems[0]
    return (
        settings.solver == "anchored"
        and settings.anchor == "auto"
        and len(problems) > FEWEST
        and all(start is None for start in starts)
        and one.layout is None
        and one.l1 == 0.0
        and one.mu > 0.0
        and one.radius == np.inf
        and dual_form(one.loss).cap > 0.0
        and are_wide(one.rows.n, one.rows.d)
        and len(one.rows.col) >= ENTRIES * one.rows.d
        and suits_single_precision(one)
        and not polish.pays(one, settings)
        and differ_in_targets_only(problems)
    )


def solve(problems: list[Problem], settings: Settings, report: Report | None = None, bounds: bool = False) -> list[Fit]:
    """All: together, and those that are not proved then one by one; with `bounds` on intercepts, if there is time."""
    ends, width = settings.ends, problems[0].rows.width
    solver = OneVsRestSolver(problems, settings, bounds and math.isinf(ends))
    fits = driver.run_to_end(solver, settings, report)
    left = [c for c, fit in enumerate(fits) if fit.status == "max_iter" and fit.n_iter < settings.max_iter]
    starts, ratio = {c: solver.start(c) for c in left}, solver.bias_ratio
    for fit in fits:
        fit.w[-1] *= ratio
    fits = [fit if c in left else solver.known.with_bound(problems[c], fit, c) for c, fit in enumerate(fits)]
    del solver
    for c in left:
        if any(fit.status == "interrupted" for fit in fits):  # what the others have is what they keep
            fits[c] = fits[c]._replace(status="interrupted")
            continue

        def mine(_: int, epoch: int, objective: float, lower: float, c: int = c) -> None:
            if report is not None:
                report(c, fits[c].n_iter + epoch, objective, lower)

        rest = settings._replace(max_iter=settings.max_iter - fits[c].n_iter, time_limit=None, deadline=ends)
        fits[c] = continued(fits[c], partial(solve_one, problems[c], rest, starts.pop(c), mine, NULL_SLOT))
    return [fit._replace(w=fit.w[:width], state=None) for fit in fits]
