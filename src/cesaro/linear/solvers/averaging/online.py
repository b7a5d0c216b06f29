"""Rows that come in batches: the memoryless method continued from one batch to the next, for partial_fit.

The state of a run is a few vectors (recursion.py); a batch is one epoch of it. Output weights are in units of an
epoch's number of rows, so that the sums are rescaled where batches differ in size.
"""

import math
import time
from typing import NamedTuple

import numpy as np

from cesaro.linear.problem.problem import Fit, Problem
from cesaro.linear.solvers.averaging import solver as kernel
from cesaro.linear.solvers.averaging.kernels import OUT
from cesaro.linear.solvers.dispatch import Settings


class Stream(NamedTuple):
    """A run that waits for its next batch: its vectors and scalars, the last batch's number of rows, its point."""

    zr: np.ndarray
    now: np.ndarray
    epoch: int
    size: int
    w: np.ndarray
    mu: float


def advance(problem: Problem, settings: Settings, before: Stream | np.ndarray | None) -> tuple[Fit, Stream]:
    """One pass over the batch, after an earlier one, from a point w, or from nothing."""
    begun, solver = time.perf_counter(), "gda" if settings.solver == "anchored" else settings.solver
    face, weights = kernel.method(solver, settings.averaging)
    rng = np.random.default_rng(settings.seed)
    run = kernel.Run(problem, face, weights, settings.sampling == "replacement", rng, settings.batch_size)
    if isinstance(before, Stream) and before.mu == problem.mu:
        unit = (before.size / run.count) ** 3 if face.cubic else 1.0
        run.zr[:], run.now[:], run.epoch = before.zr * [1.0, unit], before.now, before.epoch
        run.now[OUT] *= unit
    else:
        with np.errstate(over="ignore"):
            run.start_at(before.w if isinstance(before, Stream) else before, settings.anchor)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # looked at below
        return _advanced(run, problem, begun, fresh=before is None)


def _advanced(run: kernel.Run, problem: Problem, begun: float, fresh: bool) -> tuple[Fit, Stream]:
    """The pass itself; the first one again with smaller steps, if they were ours to choose and too large."""
    run.advance()
    while fresh and not run.objectives(run.outputs())[0] <= 2.0 * run.zero()[0] and run.calmer():
        run.advance()
    w = run.output()
    f = float(run.objectives(w[None])[0])
    if not (np.isfinite(w).all() and np.isfinite(f)):
        raise ValueError("partial_fit overflowed: scale the features, to about unit variance, or raise alpha.")
    row = {
        "epoch": 1,
        "time": time.perf_counter() - begun,
        "objective": f,
        "lower_bound": -math.inf,
        "active": run.count,
    }
    history = {name: np.array([value]) for name, value in row.items()}
    return Fit(w, f, -math.inf, 1, history, "max_iter"), Stream(run.zr, run.now, run.epoch, run.count, w, problem.mu)
