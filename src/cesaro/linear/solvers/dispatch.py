"""Which solver solves a problem, and what makes its answer fit to be published."""

import time
from typing import Any

import numpy as np

from cesaro.linear.problem.problem import Fit, History, Problem, is_solved, value_at_zero
from cesaro.linear.solvers.driver import Report
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import NULL_SLOT, CheckpointSlot

PATIENCE = 400  # epochs, before a small problem is polished
DIGITS = 1e-8  # a tolerance from which on it is polished in any case, and sooner


def solve(
    problem: Problem,
    settings: Settings,
    start: Any = None,
    report: Report | None = None,
    slot: CheckpointSlot = NULL_SLOT,
) -> Fit:
    """One problem by the solver of that name; `slot` keeps its state, and may have one to go on from."""
    if settings.solver == "anchored":
        return _anchored(problem, settings, start, report, slot)
    from cesaro.linear.solvers.averaging import solver

    return solver.solve(problem, settings, start, report, slot)


def _anchored(problem: Problem, settings: Settings, start: Any, report: Report | None, slot: CheckpointSlot) -> Fit:
    """Epochs; a small problem with which they are not done in a while, or whose last digits count, is polished."""
    from cesaro.linear.solvers.anchored import polish, solver

    began, tol, limit = time.perf_counter(), settings.tol, settings.time_limit
    patience = PATIENCE if tol > DIGITS else PATIENCE // 40
    if not (tol > 0.0 and settings.max_iter > patience and polish.suits(problem)):
        return solver.solve(problem, settings, start, report, slot)
    fit = solver.solve(problem, settings._replace(max_iter=patience), start, report, slot)
    if fit.status in ("time_limit", "interrupted") or (fit.status == "converged" and tol > DIGITS):
        return fit
    if limit is None or began + limit > time.perf_counter() + polish.seconds(problem):
        try:
            fit = _polished(problem, fit, tol)
        except KeyboardInterrupt:
            return fit._replace(status="interrupted")
    if fit.status == "converged":
        return fit
    left = None if limit is None else max(0.0, began + limit - time.perf_counter())
    rest = settings._replace(max_iter=settings.max_iter - fit.n_iter, time_limit=left)
    return _joined(fit, solver.solve(problem, rest, fit.state, report, slot.subslot("rest")))


def _polished(problem: Problem, fit: Fit, tol: float) -> Fit:
    """The fit with the polished point and bound where they are better; it counts as one epoch."""
    from cesaro.linear.solvers.anchored import polish

    began, better = time.perf_counter(), polish.polish(problem, fit.w)
    w, objective, lower = fit.w, fit.objective, fit.lower_bound
    if better is not None:
        if better.objective <= objective:
            w, objective = better.w, better.objective
        if better.lower_bound <= objective * (1.0 + 1e-12):
            lower = max(lower, better.lower_bound)
    history = History(np.column_stack(list(fit.history.values())))
    history.add(fit.n_iter + 1, fit.history["time"][-1] + time.perf_counter() - began, objective, lower, problem.rows.n)
    solved = is_solved(objective, lower, value_at_zero(problem), tol)
    status = "converged" if solved else "max_iter"
    return Fit(w, objective, lower, fit.n_iter + 1, history.columns(), status, fit.state)


def _joined(first: Fit, second: Fit) -> Fit:
    """Two runs one after the other: the better point, the better bound."""
    clock = {"epoch": first.n_iter, "time": first.history["time"][-1]}
    history = {key: np.append(column, second.history[key] + clock.get(key, 0)) for key, column in first.history.items()}
    better = second if second.objective < first.objective else first
    return second._replace(
        w=better.w,
        objective=better.objective,
        lower_bound=max(first.lower_bound, second.lower_bound),
        n_iter=first.n_iter + second.n_iter,
        history=history,
    )


def safeguarded(at_zero: float, fit: Fit) -> Fit:
    """The fit, or w = 0 where it is not finite or worse than that. Losses are not negative: 0 is a lower bound."""
    lower = fit.lower_bound
    if np.isfinite(lower):
        lower = min(max(lower, 0.0), at_zero)
    elif np.isnan(lower):
        lower = -np.inf
    if fit.objective <= at_zero and np.isfinite(fit.w).all():
        return fit._replace(lower_bound=lower)
    return fit._replace(w=np.zeros_like(fit.w), objective=at_zero, lower_bound=max(lower, 0.0), state=None)
