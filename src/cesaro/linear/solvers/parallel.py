"""From problems to fits: which solver, in which thread, until when; what makes an answer fit to be published.

Models that differ in their targets only share their epochs, others run in threads. They share a clock and a Ctrl-C. BLAS
has one thread meanwhile: vectors of many features would wake the others, for nothing.
"""

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
from cesaro.linear.solvers.interrupts import EPOCHS, heard, published, sampled
from cesaro.linear.solvers.settings import SOLVERS, Settings
from cesaro.storage.checkpoint import NULL_SLOT, Checkpoint, CheckpointSlot

LARGEST_STATE = 2**21  # weights at most of models in one pass


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
        return _solve_all(problems, at_zero, settings, starts, report, checkpoint, measure)


def _solve_all(
    problems: list[Problem],
    at_zero: list[float],
    settings: Settings,
    starts: list[Any],
    report: Report,
    checkpoint: Checkpoint | None,
    measure: bool,
) -> list[Fit]:
    if _in_one_pass(problems, settings, starts):
        from cesaro.linear.solvers.averaging import multi_target

        slot: CheckpointSlot = NULL_SLOT if checkpoint is None else checkpoint.slot("models")

        def solve_models(before: list[Fit]) -> list[Fit]:
            return multi_target.solve(problems, epochs_left(settings, before), report, slot)

        fits = load_or_solve(slot, problems, solve_models)
        return [safeguarded(zero, fit) for zero, fit in zip(at_zero, fits, strict=True)]
    workers = Workers(problems, at_zero, settings, starts, report, checkpoint)
    workers.measure = measure
    if workers.jobs == 1:
        return [fit for group in workers.groups for fit in workers.solve(group)]
    with ThreadPoolExecutor(workers.jobs) as pool:
        futures = [pool.submit(workers.solve, group) for group in workers.groups]
        try:
            wait(futures)
        except KeyboardInterrupt:
            workers.stop.set()
        return [fit for future in futures for fit in future.result()]


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

    def __init__(self, limit: float | None, models: int, jobs: int):
        self.limit, self.left, self.jobs = limit, models, jobs
        self.began, self.lock = time.perf_counter(), threading.Lock()

    def share(self) -> float | None:
        """Seconds for a model that begins now."""
        if self.limit is None:
            return None
        with self.lock:
            rest = max(0.0, self.limit - (time.perf_counter() - self.began))
            return rest * min(1.0, self.jobs / self.left)

    def done(self) -> None:
        """One model less."""
        with self.lock:
            self.left -= 1

    @property
    def over(self) -> bool:
        """Whether there is no time left."""
        return self.limit is not None and time.perf_counter() - self.began >= self.limit


class Workers:
    """What the threads share. After a Ctrl-C the running solves end with their epoch and the rest see a sample of the rows:
    a whole model is left. So it is where the time is over before all have begun.
    """

    measure = True

    def __init__(
        self,
        problems: list[Problem],
        at_zero: list[float],
        settings: Settings,
        starts: list[Any],
        report: Report,
        checkpoint: Checkpoint | None,
    ):
        self.problems, self.at_zero, self.settings, self.starts = problems, at_zero, settings, starts
        self.report, self.checkpoint, self.stop = report, checkpoint, settings.stop or threading.Event()
        self.begun = False
        self.together = checkpoint is None and one_vs_rest.applies(problems, settings, starts)
        self.groups = [[k] for k in range(len(problems))]
        if self.together:
            parts = -(-len(problems) // one_vs_rest.TOGETHER)
            self.groups = [part.tolist() for part in np.array_split(np.arange(len(problems)), parts)]
        self.jobs = min(settings.n_jobs, len(self.groups))
        self.budget = TimeBudget(settings.time_limit, len(self.groups), self.jobs)

    def solve(self, group: list[int]) -> list[Fit]:
        """The problems of these numbers."""
        if self.stop.is_set() or (self.begun and self.budget.over):
            fits = self.hurried(group)
        else:
            try:
                fits = self.solved(group)
            except KeyboardInterrupt:  # before its first epoch
                self.stop.set()
                if not self.begun:
                    raise
                fits = self.hurried(group)
        self.begun = True
        fits = [safeguarded(self.at_zero[k], fit) for k, fit in zip(group, fits, strict=True)]
        if any(fit.status == "interrupted" for fit in fits):
            self.stop.set()
        self.budget.done()
        return fits

    def solved(self, group: list[int]) -> list[Fit]:
        """By their solver."""

        def report(model: int, epoch: int, objective: float, lower_bound: float) -> None:
            self.begun = True
            self.report(group[model], epoch, objective, lower_bound)

        settings = self.settings._replace(time_limit=self.budget.share())
        if self.together:
            return one_vs_rest.solve([self.problems[k] for k in group], settings, report)
        (k,) = group
        problem, slot = self.problems[k], NULL_SLOT if self.checkpoint is None else self.checkpoint.slot(f"model-{k}")

        def solve_one(before: list[Fit]) -> list[Fit]:
            start = before[0].state if before else self.starts[k]
            return [solve(problem, epochs_left(settings, before), start, report, slot)]

        return load_or_solve(slot, [problem], solve_one)

    def hurried(self, group: list[int]) -> list[Fit]:
        """By a few epochs over some of the rows."""
        status = "interrupted" if self.stop.is_set() else "time_limit"
        problems = [self.problems[k] for k in group]
        few = sampled(problems, len(group) * self.budget.left, self.settings.seed)
        settings = self.settings._replace(max_iter=EPOCHS, time_limit=None, stop=None)
        fits = one_vs_rest.solve(few, settings) if self.together else [solve(problem, settings) for problem in few]
        every = zip(problems, fits, (self.at_zero[k] for k in group), strict=True)
        return [published(problem, fit, zero, status, self.measure) for problem, fit, zero in every]


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


def _in_one_pass(problems: list[Problem], settings: Settings, starts: list[Any]) -> bool:
    """Whether `multi_target` covers it: the paper's solvers on problems that differ in their targets only."""
    several, rows = len(problems) > 1 and problems[0].layout is None, problems[0].rows
    plain = settings.batch_size == 1 and settings.sampling == "reshuffle" and all(start is None for start in starts)
    ours = SOLVERS[settings.solver] == "averaging.solver" and len(problems) * rows.d <= LARGEST_STATE
    return several and plain and ours and differ_in_targets_only(problems)
