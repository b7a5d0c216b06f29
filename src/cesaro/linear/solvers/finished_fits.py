"""Fits that are done, in a checkpoint: loaded instead of solved again, or gone on from where more is asked."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cesaro.linear.problem.problem import Fit, History, Problem
from cesaro.linear.solvers.dual_warm_start import DualWarmStart
from cesaro.linear.solvers.joined_fits import joined
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import ANEW, CheckpointSlot
from cesaro.storage.states import CheckpointError, require_like


def load_or_solve(slot: CheckpointSlot, problems: list[Problem], solve: Callable[[list[Fit]], list[Fit]]) -> list[Fit]:
    """The fits that the slot has, or those of `solve`, which it then keeps if nothing cut them short.

    `solve` is given the fits of an earlier run that asked less, if there are any: it goes on from them.
    """
    before: list[Fit] = []
    if slot.saved is not None and "fits" in slot.saved:
        try:
            before, slot.saved = _loaded(slot.saved, problems), None
        except CheckpointError as error:
            raise CheckpointError(f"the checkpoint {slot.where} has no fits like these: {error}. {ANEW}") from error
        if not slot.asks_more:
            return before
    fits = solve(before)
    if before:
        fits = [joined(*pair) for pair in zip(before, fits, strict=True)]
    if all(fit.status in ("converged", "max_iter") for fit in fits):
        state = {f"{k}.{name}": value for k, fit in enumerate(fits) for name, value in _saved(fit).items()}
        slot.finish({"fits": len(fits)} | state)
    return fits


def epochs_left(settings: Settings, before: list[Fit]) -> Settings:
    """The settings of a run that goes on: epochs that are done count."""
    done = max((fit.n_iter for fit in before), default=0)
    return settings._replace(max_iter=max(1, settings.max_iter - done))


def _saved(fit: Fit) -> dict[str, Any]:
    """A fit as arrays, numbers and words, with the dual values that a later run may go on from."""
    names = ("w", "objective", "lower_bound", "n_iter", "status")
    start = {"start.b": fit.state.b, "start.w": fit.state.w} if isinstance(fit.state, DualWarmStart) else {}
    history = {f"history.{name}": fit.history[name] for name in History.COLUMNS}
    return {name: getattr(fit, name) for name in names} | start | history


def _loaded(saved: dict[str, Any], problems: list[Problem]) -> list[Fit]:
    """The fits of what `_saved` made."""
    column, fits = np.empty(0), []
    names = [f"history.{name}" for name in History.COLUMNS]
    for k, problem in enumerate(problems):
        mine = {name.removeprefix(f"{k}."): value for name, value in saved.items() if name.startswith(f"{k}.")}
        dual = column if isinstance(mine.get("start.b"), np.ndarray) else None  # coordinate descent has none
        start = DualWarmStart(dual, column) if "start.b" in mine else None
        none = Fit(np.empty(problem.rows.width), 0.0, 0.0, 0, dict.fromkeys(History.COLUMNS, column), "", start)
        require_like(mine, _saved(none), lengths=[*names, "start.b", "start.w"])
        if len({len(mine[name]) for name in names}) > 1 or not len(mine[names[0]]) or not np.isfinite(mine["w"]).all():
            raise CheckpointError("the history has no rows, or columns of different length, or w is not finite")
        if start is not None:
            start = DualWarmStart(mine.pop("start.b"), mine.pop("start.w"))
            if (start.b is not None and len(start.b) != problem.rows.n) or len(start.w) not in (
                problem.rows.d,
                problem.rows.d + 1,
            ):
                raise CheckpointError("the dual values are of other rows")
        history = {name.removeprefix("history."): mine.pop(name) for name in names}
        fits.append(Fit(**mine, history=history, state=start))
    return fits
