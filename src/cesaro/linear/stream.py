"""Rows that come in batches: the memoryless method continued from one batch to the next, for partial_fit.

The state of a run is a few vectors (recursion.py); a batch is one epoch of it. Output weights are in units of an epoch's
number of rows, so that the sums are rescaled where batches differ in size.
"""

from typing import Any, NamedTuple

import numpy as np

from cesaro.linear import kernel
from cesaro.linear.recursion import OUT, Now
from cesaro.linear.rows import Fit, Problem
from cesaro.linear.runs import Settings, solve


class Stream(NamedTuple):
    """A run that waits for its next batch, and the number of rows in its last one."""

    state: Any
    size: int


def at(w: np.ndarray, problem: Problem, count: int) -> Stream:
    """A run anchored at w as if `count` rows had led there."""
    anchor = max(float(count), kernel.largest_step(problem, 0.3))
    zr = np.zeros((problem.rows.d + 1, 2))
    zr[: len(w), 0] = -problem.mu * anchor * w
    now = Now(anchor=anchor, zz=float(zr[:, 0] @ zr[:, 0]))
    return Stream(kernel.State(zr, np.array(now), 0, w), rows_of(problem))


def rows_of(problem: Problem) -> int:
    return int(np.count_nonzero(problem.v))


def advance(problem: Problem, settings: Settings, stream: Stream | None) -> tuple[Fit, Stream]:
    """One pass over the batch."""
    count, start = rows_of(problem), None
    if stream is not None:
        state, unit = stream.state, (stream.size / count) ** 3
        zr, now = state.zr.copy(), state.now.copy()
        zr[:, 1] *= unit
        now[OUT] *= unit
        start = state._replace(zr=zr, now=now)
    fit = solve(problem, settings._replace(tol=0.0, max_iter=1, time_limit=None), start)
    return fit, Stream(fit.state, count)
