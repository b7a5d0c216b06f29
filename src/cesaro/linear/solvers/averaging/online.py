"""Rows that come in batches: the memoryless method continued from one batch to the next, for partial_fit.

The state of a run is a few vectors (`kernels`); a batch is one epoch of it. Output weights are in units of an epoch's
number of rows, so that the sums are rescaled where batches differ in size.
"""

import math
import time
from typing import NamedTuple

import numpy as np

from cesaro.linear.problem.problem import Fit, History, Problem
from cesaro.linear.solvers.averaging.kernels import OUT
from cesaro.linear.solvers.averaging.solver import AveragingSolver
from cesaro.linear.solvers.averaging.variants import variant_and_weights
from cesaro.linear.solvers.averaging.warm_start import run_kind
from cesaro.linear.solvers.settings import Settings


class OnlineState(NamedTuple):
    """A run that waits for its next batch: its vectors and scalars, the last batch's number of rows, its point."""

    zr: np.ndarray
    scalars: np.ndarray
    epoch: int
    size: int
    w: np.ndarray
    kind: tuple  # of `run_kind`: the recursion goes on where it is the same


def partial_fit(
    problem: Problem, settings: Settings, before: OnlineState | np.ndarray | None
) -> tuple[Fit, OnlineState]:
    """One epoch over the batch, after an earlier one, from a point w, or from nothing."""
    began, solver = time.perf_counter(), "gda" if settings.solver == "anchored" else settings.solver
    variant, weights = variant_and_weights(solver, settings.averaging)
    kind = run_kind(problem, solver)
    rng = np.random.default_rng(settings.seed)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # checked below
        run = AveragingSolver(problem, variant, weights, settings.sampling == "replacement", rng, settings.batch_size)
        if isinstance(before, OnlineState) and before.kind == kind:
            unit = (before.size / run.count) ** 3 if variant.cubic else 1.0
            run.go_on(before.zr * [1.0, unit], before.scalars, before.epoch, before.w)
            run.scalars[OUT] *= unit
        else:
            run.begin(before.w if isinstance(before, OnlineState) else before, settings.anchor)
        run.advance()
        if before is None:  # the first batch: again with smaller steps, if they were ours to choose and too large
            while not run.objectives(run.output()[None])[0] <= 2.0 * run.at_zero[0] and run.restart():
                run.advance()
        w = run.output()
        f = float(run.objectives(w[None])[0])
    if not (np.isfinite(w).all() and np.isfinite(f)):
        raise ValueError("partial_fit overflowed: scale the features, to about unit variance, or raise alpha.")
    history = History()
    history.add(1, time.perf_counter() - began, f, -math.inf, run.count)
    state = OnlineState(run.zr, run.scalars, run.epoch, run.count, w, kind)
    return Fit(w, f, -math.inf, 1, history.columns(), "max_iter"), state
