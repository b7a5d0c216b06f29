"""The loop over epochs, for one model or many that share their passes: a look at objective and proof at growing intervals.

Ctrl-C and the clock leave the best points so far. With a checkpoint a run goes on as if it had never stopped.
"""

import math
import time
from typing import Any, Protocol

import numpy as np

from cesaro.linear.problem.problem import Fit
from cesaro.storage.checkpoint import Place

OFTEN = 1.25  # a look when the epochs have grown by this, where a proof ends the run
SELDOM = 3.0  # where none does: a look costs about an epoch


class Run(Protocol):
    """A run of k models."""

    epoch: int
    count: int  # rows that exist

    def zero(self) -> np.ndarray:
        """The objectives at 0, (k,)."""

    def advance(self) -> None:
        """One epoch."""

    def outputs(self) -> np.ndarray:
        """The points that the method returns, (k, width)."""

    def objectives(self, points: np.ndarray) -> np.ndarray:
        """(k,)."""

    def bounds(self) -> np.ndarray:
        """Proved lower bounds of the optima, (k,)."""

    def calmer(self) -> bool:
        """Begin again with smaller steps, if that can be done."""

    def state(self) -> dict[str, Any]:
        """What a run needs to go on."""


def loop(
    run: Run, width: int, tol: float, max_iter: int, time_limit: float | None, report, slot: Place, known=None
) -> list[Fit]:
    """Epochs until every model's proved relative gap is at most `tol` (never, if 0), `max_iter` or `time_limit`.

    `report` is called with the epoch, the largest objective and the least lower bound. `known` points, (k, width), are
    returned unless better ones are found.
    """
    begin, first, looked, status = time.perf_counter(), run.epoch, 0, "max_iter"
    limit = math.inf if time_limit is None else begin + time_limit
    zero = run.zero()
    best, f, lower, history = np.zeros((len(zero), width)), zero.copy(), np.full(len(zero), -np.inf), []
    if slot.kept is not None:
        best, f, lower, (looked, seconds) = (slot.kept[name] for name in ("best", "f", "lower", "numbers"))
        past = (slot.kept[name] for name in ("history", "history.f", "history.lower"))
        first, begin, history = 0, begin - seconds, [(*row, *both) for row, *both in zip(*past, strict=True)]
    before = run.epoch

    def state():
        columns = {
            "history": np.array([row[:2] for row in history], dtype=float).reshape(-1, 2),
            "history.f": np.array([row[2] for row in history]).reshape(-1, len(f)),
            "history.lower": np.array([row[3] for row in history]).reshape(-1, len(f)),
        }
        numbers = [looked, time.perf_counter() - begin]
        return run.state() | columns | {"best": best, "f": f, "lower": lower, "numbers": numbers}

    def keep(points, reached):
        better = reached < f
        best[better], f[better] = points[better], reached[better]

    if known is not None:
        keep(known, run.objectives(known))
    try:
        while status == "max_iter":
            epoch, late = run.epoch - first, run.epoch > before and time.perf_counter() >= limit
            if late or epoch == max_iter or epoch >= max(1, (OFTEN if tol else SELDOM) * looked):
                if late:
                    slot.save(state())  # not looked at, as it would be if time had not run out
                looked, points = epoch, run.outputs()
                reached = run.objectives(points)
                exploded = epoch == 1 and not late and not (reached <= 2.0 * zero).all()
                if exploded and run.calmer():
                    looked = 0
                else:
                    keep(points, reached)
                    lower = np.maximum(lower, run.bounds())
                    history.append((run.epoch, time.perf_counter() - begin, f.copy(), lower))
                    if not late and tol and (f - lower <= tol * np.maximum(f, 1e-3 * zero)).all():
                        status = "converged"
                    elif late:  # proved or not: it can go on as if there were no limit
                        status = "time_limit"
                    if report is not None:
                        report(run.epoch, float(f.max()), float(lower.min()))
                    if status != "max_iter" or epoch == max_iter:
                        break
            run.advance()
            slot.offer(state)
    except KeyboardInterrupt:
        status, points = "interrupted", run.outputs()
        keep(points, run.objectives(points))
    fits = []
    for k in range(len(f)):
        table = np.array([(e, t, value[k], low[k]) for e, t, value, low in history], dtype=float).reshape(-1, 4).T
        record = dict(zip(("epoch", "time", "objective", "lower_bound"), table, strict=True))
        record["active"] = np.full(len(history), run.count)
        fits.append(Fit(best[k], float(f[k]), float(lower[k]), run.epoch - first, record, status))
    return fits
