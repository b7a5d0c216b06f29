"""From problems to fits: which solver, in which thread, until when; what makes an answer fit to be published.

Models that differ in their targets only share their epochs, others run in threads. They share a clock and a Ctrl-C. BLAS
has one thread meanwhile: vectors of many features would wake the others, for nothing.
"""

import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from importlib import import_module
from typing import Any

import numpy as np

from cesaro.compiled.blas_threads import one_blas_thread
from cesaro.linear.problem.problem import Fit, Problem, differ_in_targets_only
from cesaro.linear.solvers.anchored import one_vs_rest
from cesaro.linear.solvers.driver import Report
from cesaro.linear.solvers.finished_fits import epochs_left, load_or_solve
from cesaro.linear.solvers.hurried_fits import ENTRIES, hurried
from cesaro.linear.solvers.interrupts import heard
from cesaro.linear.solvers.settings import SOLVERS, Settings
from cesaro.storage.checkpoint import NULL_SLOT, Checkpoint, CheckpointSlot

LARGEST_STATE = 2**21  # weights at most of models in one pass
EPOCH = 1e-8  # seconds for an entry in a first epoch, and to begin and evaluate it
RESERVE, PART = 0.1, 0.25  # seconds for models in a hurry, and what part of a time limit at most


@one_blas_thread()
def solve_all(
    problems: list[Problem],
    at_zero: list[float],
    settings: Settings,
    starts: list[Any],
    report: Report,
    checkpoint: Checkpoint | None = None,
    measure: bool = True,
) -> list[Fit]:
    """Every problem, in n_jobs threads. The bits do not depend on n_jobs: what is solved together does not.

    After Ctrl-C those that had not begun get a fit to a sample of the rows; `measure` tells whether its objective matters.
    """
    stop = threading.Event()
    settings = settings._replace(stop=stop)
    with heard(stop):
        if not _covered_by_one_pass(problems, settings, starts):
            return Workers(problems, at_zero, settings, starts, report, checkpoint, measure).run()
        fits = _solve_in_one_pass(problems, settings, report, checkpoint)
        return [safeguarded(zero, fit) for zero, fit in zip(at_zero, fits, strict=True)]


def solve(
    problem: Problem,
    settings: Settings,
    start: Any = None,
    report: Report | None = None,
    slot: CheckpointSlot = NULL_SLOT,
) -> Fit:
    """One problem by the solver of that name; `slot` keeps its state, and may have one to go on from."""
    module = import_module(f"cesaro.linear.solvers.{SOLVERS[settings.solver]}")
    return module.solve(problem, settings, start, report, slot)


class TimeBudget:
    """A time limit over several models: each gets its share of what is left."""

    def __init__(self, ends: float, models: int, jobs: int):
        self.ends, self.left, self.jobs, self.lock = ends, models, jobs, threading.Lock()
        self.reserve = min(RESERVE, PART * max(0.0, ends - time.perf_counter())) if models > 1 else 0.0
        self.shortest = math.inf  # seconds that a model took

    def deadline(self) -> float:
        """Of a model that begins now."""
        with self.lock:
            now = time.perf_counter()
            return now + max(0.0, self.ends - now) * min(1.0, self.jobs / self.left)

    def done(self, seconds: float) -> None:
        """One model less, that took so long."""
        with self.lock:
            self.left, self.shortest = self.left - 1, min(self.shortest, seconds)

    @property
    def over(self) -> bool:
        """Whether there is no time left but for models in a hurry: for none that takes as long as the shortest so far."""
        model = self.shortest if math.isfinite(self.shortest) else 0.0
        return time.perf_counter() + model + self.reserve >= self.ends


class Workers:
    """What the threads share. After a Ctrl-C the running solves end with their epoch and the rest see a sample of the rows:
    a whole model is left. So it is where the time is over before all have begun.
    """

    def __init__(
        self,
        problems: list[Problem],
        at_zero: list[float],
        settings: Settings,
        starts: list[Any],
        report: Report,
        checkpoint: Checkpoint | None,
        measure: bool,
    ):
        self.problems, self.at_zero, self.settings, self.starts = problems, at_zero, settings, starts
        self.report, self.checkpoint, self.stop = report, checkpoint, settings.stop or threading.Event()
        self.begun, self.measure = settings.searched, measure
        if settings.interrupted and len(problems) * len(problems[0].rows.col) > ENTRIES:  # no time for a whole epoch
            self.stop.set()
        if checkpoint is None:
            self.groups = [part for run in runs_of(problems) for part in self.parts(run)]
        else:
            self.groups = [[k] for k in range(len(problems))]
        self.jobs = min(settings.n_jobs, len(self.groups))
        self.budget = TimeBudget(settings.ends, len(self.groups), self.jobs)
        if settings.searched:
            self.budget.reserve = max(self.budget.reserve, EPOCH * len(problems[0].rows.col))

    def parts(self, run: list[int]) -> list[list[int]]:
        """Neighbours as groups that share their epochs, where they can and gain by it; else one by one."""
        if not one_vs_rest.applies([self.problems[k] for k in run], self.settings, [self.starts[k] for k in run]):
            return [[k] for k in run]
        return [part.tolist() for part in np.array_split(run, -(-len(run) // one_vs_rest.TOGETHER))]

    def run(self) -> list[Fit]:
        """All problems."""
        if self.jobs == 1:
            return self.completed([self.solve(group) for group in self.groups])
        with ThreadPoolExecutor(self.jobs) as pool:
            futures = [pool.submit(self.solve, group) for group in self.groups]
            try:
                wait(futures)
            except KeyboardInterrupt:
                self.stop.set()
            return self.completed([future.result() for future in futures])

    def solve(self, group: list[int]) -> list[Fit] | None:
        """The problems of these numbers; None if there is no time for them."""
        began = time.perf_counter()
        if self.stop.is_set() or (self.begun and self.budget.over):
            return None
        try:
            fits = self.solved(group)
        except KeyboardInterrupt:  # before its first epoch
            self.stop.set()
            return None
        self.begun = True
        fits = self.safe(group, fits)
        if any(fit.status == "interrupted" for fit in fits):
            self.stop.set()
        self.budget.done(time.perf_counter() - began)
        return fits

    def solved(self, group: list[int]) -> list[Fit]:
        """By their solver."""

        def report(model: int, epoch: int, objective: float, lower_bound: float) -> None:
            self.begun = True
            self.report(group[model], epoch, objective, lower_bound)

        settings = self.settings._replace(time_limit=None, deadline=self.budget.deadline())
        if len(group) > 1:
            return one_vs_rest.solve([self.problems[k] for k in group], settings, report, self.measure)
        (k,) = group
        problem, slot = self.problems[k], NULL_SLOT if self.checkpoint is None else self.checkpoint.slot(f"model-{k}")

        def solve_one(before: list[Fit]) -> list[Fit]:
            start = before[0].state if before else self.starts[k]
            return [solve(problem, epochs_left(settings, before), start, report, slot)]

        return load_or_solve(slot, [problem], solve_one)

    def completed(self, found: list[list[Fit] | None]) -> list[Fit]:
        """All fits; by a few epochs over some of the rows where there is none yet."""
        late = [group for group, fits in zip(self.groups, found, strict=True) if fits is None]
        if late and not self.begun:
            raise KeyboardInterrupt
        status = "interrupted" if self.stop.is_set() else "time_limit"
        problems, zero = (
            [[self.problems[k] for k in group] for group in late],
            [[self.at_zero[k] for k in group] for group in late],
        )
        how = self.settings if status == "interrupted" else self.settings._replace(deadline=self.budget.ends)
        quick = iter(hurried(problems, zero, how, self.solve_quickly, status, self.measure))
        pairs = zip(self.groups, found, strict=True)
        return [fit for _, fits in pairs for fit in (next(quick) if fits is None else fits)]

    def safe(self, group: list[int], fits: list[Fit]) -> list[Fit]:
        """What may be published of them."""
        return [safeguarded(self.at_zero[k], fit) for k, fit in zip(group, fits, strict=True)]

    def solve_quickly(self, problems: list[Problem], settings: Settings) -> list[Fit]:
        """A group of problems that are small."""
        return one_vs_rest.solve(problems, settings) if len(problems) > 1 else [solve(problems[0], settings)]


def runs_of(problems: list[Problem]) -> list[list[int]]:
    """The numbers of problems one after the other that have the same rows, weights of rows, and penalty."""
    runs: list[list[int]] = []
    for k, problem in enumerate(problems):
        last = problems[k - 1]
        same = problem.rows is last.rows and problem.v is last.v and (problem.mu, problem.l1) == (last.mu, last.l1)
        if k and same:
            runs[-1].append(k)
        else:
            runs.append([k])
    return runs


def safeguarded(at_zero: float, fit: Fit) -> Fit:
    """The fit, or w = 0 where it is not finite or worse than that. Losses are not negative: 0 is a lower bound."""
    lower = fit.lower_bound
    if np.isfinite(lower):
        lower = min(max(lower, 0.0), at_zero)
    elif np.isnan(lower):
        lower = -np.inf
    if fit.objective <= at_zero and np.isfinite(fit.w).all():
        return fit._replace(lower_bound=lower)
    return fit._replace(
        w=np.zeros_like(fit.w), objective=at_zero, lower_bound=max(lower, 0.0), state=None, intercept=None
    )


def _covered_by_one_pass(problems: list[Problem], settings: Settings, starts: list[Any]) -> bool:
    """Whether `multi_target` covers it: the paper's solvers on problems that differ in their targets only."""
    several, rows = len(problems) > 1 and problems[0].layout is None, problems[0].rows
    plain = settings.batch_size == 1 and settings.sampling == "reshuffle" and all(start is None for start in starts)
    ours = SOLVERS[settings.solver] == "averaging.solver" and len(problems) * rows.d <= LARGEST_STATE
    return several and plain and ours and differ_in_targets_only(problems)


def _solve_in_one_pass(
    problems: list[Problem], settings: Settings, report: Report, checkpoint: Checkpoint | None
) -> list[Fit]:
    from cesaro.linear.solvers.averaging import multi_target

    slot: CheckpointSlot = NULL_SLOT if checkpoint is None else checkpoint.slot("models")

    def solve_models(before: list[Fit]) -> list[Fit]:
        return multi_target.solve(problems, epochs_left(settings, before), report, slot)

    return load_or_solve(slot, problems, solve_models)
