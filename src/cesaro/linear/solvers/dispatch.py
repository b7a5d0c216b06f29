"""From problems to fits: which solver, which thread, until when. An estimator's models share a clock and a Ctrl-C."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np

from cesaro.linear.problem.problem import Fit, Problem
from cesaro.storage.checkpoint import NOWHERE, Checkpoint, Place

PAPER = ("gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda")
SOLVERS = ("anchored", *PAPER)
STATE = 2**21  # weights at most of models in one pass
PATIENCE = 400  # sweeps, before a small problem is polished
DIGITS = 1e-8  # a tolerance from which on it is polished in any case, and sooner


class Settings(NamedTuple):
    """How to solve, as opposed to what."""

    solver: str = "anchored"
    tol: float = 1e-3
    max_iter: int = 1000
    time_limit: float | None = None
    seed: int = 0
    anchor: float | str = "auto"
    averaging: Any = "auto"
    batch_size: int = 1
    sampling: str = "reshuffle"
    n_jobs: int = 1
    interrupted: bool = False  # what came before was cut short


def solve(problem: Problem, settings: Settings, start=None, report=None, slot: Place = NOWHERE) -> Fit:
    """One problem by the solver of that name; `slot` keeps its state, and may have one to go on from."""
    common = {
        "tol": settings.tol,
        "max_iter": settings.max_iter,
        "time_limit": settings.time_limit,
        "seed": settings.seed,
        "anchor": settings.anchor,
        "start": start,
        "report": report,
        "slot": slot,
    }
    if settings.solver == "anchored":
        return _anchored(problem, common)
    from cesaro.linear.solvers.averaging import solver as kernel

    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # `honest` looks at what comes out
        return kernel.solve(
            problem,
            solver=settings.solver,
            averaging=settings.averaging,
            batch_size=settings.batch_size,
            sampling=settings.sampling,
            **common,
        )


def _anchored(problem: Problem, settings: dict) -> Fit:
    """Sweeps; a small problem with which they are not done in a while, or whose last digits count, is polished."""
    from cesaro.linear.solvers.anchored import polish
    from cesaro.linear.solvers.anchored import solver as sweeps

    begun = time.perf_counter()
    tol, max_iter, limit = settings["tol"], settings["max_iter"], settings["time_limit"]
    patience = PATIENCE if tol > DIGITS else PATIENCE // 40
    if not (tol > 0.0 and max_iter > patience and polish.suits(problem)):
        return sweeps.solve(problem, **settings)
    fit = sweeps.solve(problem, **settings | {"max_iter": patience})
    if fit.status in ("time_limit", "interrupted") or (fit.status == "converged" and tol > DIGITS):
        return fit
    if limit is None or begun + limit > time.perf_counter() + polish.seconds(problem):
        try:
            fit = _polished(problem, fit, tol)
        except KeyboardInterrupt:
            return fit._replace(status="interrupted")
    if fit.status == "converged":
        return fit
    left = None if limit is None else max(0.0, begun + limit - time.perf_counter())
    rest = {
        "max_iter": max_iter - fit.n_iter,
        "time_limit": left,
        "start": fit.state,
        "slot": settings["slot"].beside("rest"),
    }
    return _joined(fit, sweeps.solve(problem, **settings | rest))


def _polished(problem: Problem, fit: Fit, tol: float) -> Fit:
    """The fit with the polished point and bound where they are better; it counts as one epoch."""
    from cesaro.linear.solvers.anchored import polish

    begun, better = time.perf_counter(), polish.polish(problem, fit.w)
    w, objective, lower = fit.w, fit.objective, fit.lower_bound
    if better is not None:
        if better.objective <= objective:
            w, objective = better.w, better.objective
        if better.lower_bound <= objective * (1.0 + 1e-12):
            lower = max(lower, better.lower_bound)
    seconds = fit.history["time"][-1] + time.perf_counter() - begun
    row = {
        "epoch": fit.n_iter + 1,
        "time": seconds,
        "objective": objective,
        "lower_bound": lower,
        "active": problem.rows.n,
    }
    history = {key: np.append(column, row[key]) for key, column in fit.history.items()}
    done = objective - lower <= tol * max(objective, 1e-3 * fit.history["objective"][0])
    return Fit(w, objective, lower, fit.n_iter + 1, history, "converged" if done else "max_iter", fit.state)


def _joined(first: Fit, second: Fit) -> Fit:
    """Two runs one after the other: the better point, the better bound."""
    clock = {"epoch": first.n_iter, "time": first.history["time"][-1]}
    history = {key: np.append(column, second.history[key] + clock.get(key, 0)) for key, column in first.history.items()}
    better = second if second.objective < first.objective else first
    lower = max(first.lower_bound, second.lower_bound)
    return second._replace(
        w=better.w,
        objective=better.objective,
        lower_bound=lower,
        n_iter=first.n_iter + second.n_iter,
        history=history,
    )


def solve_all(
    problems: list[Problem],
    at_zero: list[float],
    settings: Settings,
    starts: list,
    progress,
    checkpoint: Checkpoint | None = None,
) -> list[Fit]:
    """Every problem, in n_jobs threads. The bits do not depend on n_jobs: each is solved alone, with the same seed.

    After a Ctrl-C the running solves end at their next report and the rest get one epoch each: a whole model is left.
    """
    if _in_one_pass(problems, settings, starts):
        slot = NOWHERE if checkpoint is None else checkpoint.slot("models")
        fits = once(slot, lambda: _together(problems, settings, progress, slot))
        return [honest(zero, fit) for zero, fit in zip(at_zero, fits, strict=True)]
    begun, left, stop = time.perf_counter(), len(problems), threading.Event()
    jobs = min(settings.n_jobs, len(problems))

    def one(k: int) -> Fit:
        nonlocal left
        limit = settings.time_limit
        if limit is not None:
            limit = max(0.0, limit - (time.perf_counter() - begun)) * min(1.0, jobs / left)
        hurry = stop.is_set()

        def report(epoch, objective, lower_bound, *more):
            if stop.is_set() and not hurry:
                raise KeyboardInterrupt
            progress(k, epoch, objective, lower_bound)

        mine = settings._replace(time_limit=limit, max_iter=1 if hurry else settings.max_iter)
        slot = NOWHERE if checkpoint is None or hurry else checkpoint.slot(f"model-{k}")
        (fit,) = once(slot, lambda: [solve(problems[k], mine, starts[k], report, slot)])
        fit = honest(at_zero[k], fit)
        if fit.status == "interrupted":
            stop.set()
        left -= 1
        return fit._replace(status="interrupted") if hurry else fit

    if jobs == 1:
        return [one(k) for k in range(len(problems))]
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, k) for k in range(len(problems))]
        try:
            wait(futures)
        except KeyboardInterrupt:
            stop.set()
        return [future.result() for future in futures]


def once(slot: Place, solve: Callable[[], list[Fit]]) -> list[Fit]:
    """The fits that the slot has, or those of `solve`, which it then keeps if nothing cut them short."""
    if slot.kept is not None and "fits" in slot.kept:
        return [_recalled(slot.kept, k) for k in range(slot.kept["fits"])]
    fits = solve()
    if all(fit.status in ("converged", "max_iter") for fit in fits):
        state = {f"{k}.{name}": value for k, fit in enumerate(fits) for name, value in _remembered(fit).items()}
        slot.finish({"fits": len(fits)} | state)
    return fits


def _remembered(fit: Fit) -> dict[str, Any]:
    """A fit as arrays, numbers and words; without the state that only a warm start needs."""
    kept = {name: getattr(fit, name) for name in ("w", "objective", "lower_bound", "n_iter", "status")}
    return kept | {f"history.{name}": column for name, column in fit.history.items()}


def _recalled(kept: dict[str, Any], k: int) -> Fit:
    """The k-th fit of what `_remembered` made."""
    fit = {name.removeprefix(f"{k}."): value for name, value in kept.items() if name.startswith(f"{k}.")}
    history = {name.removeprefix("history."): fit.pop(name) for name in list(fit) if name.startswith("history.")}
    return Fit(**fit, history=history)


def _in_one_pass(problems: list[Problem], settings: Settings, starts: list) -> bool:
    """Whether many.py covers it: the paper's solvers on problems that differ in their targets only."""
    several, rows = len(problems) > 1 and problems[0].layout is None, problems[0].rows
    plain = settings.batch_size == 1 and settings.sampling == "reshuffle" and all(start is None for start in starts)
    if not (several and plain and settings.solver in PAPER and len(problems) * rows.d <= STATE):
        return False
    from cesaro.linear.solvers.averaging import multi_target

    return multi_target.alike(problems)


def _together(problems: list[Problem], settings: Settings, progress, slot: Place) -> list[Fit]:
    """All problems in one pass over the rows: the same whatever n_jobs."""
    from cesaro.linear.solvers.averaging import multi_target

    return multi_target.solve(
        problems,
        solver=settings.solver,
        tol=settings.tol,
        max_iter=settings.max_iter,
        time_limit=settings.time_limit,
        seed=settings.seed,
        anchor=settings.anchor,
        averaging=settings.averaging,
        report=lambda epoch, objective, lower_bound: progress(0, epoch, objective, lower_bound),
        slot=slot,
    )


def honest(at_zero: float, fit: Fit) -> Fit:
    """The fit, or w = 0 where it is not finite or worse than that. Losses are not negative: 0 is a lower bound."""
    lower = fit.lower_bound
    if np.isfinite(lower):
        lower = min(max(lower, 0.0), at_zero)
    elif np.isnan(lower):
        lower = -np.inf
    if fit.objective <= at_zero and np.isfinite(fit.w).all():
        return fit._replace(lower_bound=lower)
    return fit._replace(w=np.zeros_like(fit.w), objective=at_zero, lower_bound=max(lower, 0.0), state=None)
