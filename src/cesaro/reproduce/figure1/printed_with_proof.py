"""The paper's five methods on a support vector machine exactly as printed: a_t = gamma_t = t at every single sample, samples
drawn independently, no anchor, so that mu alone fixes every step.

The linear models' kernel is used, which takes a weight per row. A row that is drawn twice has two weights: the samples are
therefore taken in segments without a repeated row, and the weights are set before each.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.averaging.kernels import (
    ALPHA,
    ANCHOR,
    CUT,
    DONE,
    SCALE,
    SQUARE,
    fold,
    run_epoch,
    specialised,
)
from cesaro.linear.solvers.averaging.solver import AveragingSolver
from cesaro.linear.solvers.averaging.variants import Variant
from cesaro.weights import Uniform


class PrintedMethod(NamedTuple):
    """A method: its recursion, and its weights a_t = gamma_t = slope t + offset, gamma_0 = anchor."""

    variant: Variant
    slope: float
    offset: float = 0.0
    anchor: float = 0.0


PRINTED = {
    "GDA": PrintedMethod(Variant(), 1.0),  # output: the a-weighted average
    "SC-PDA": PrintedMethod(Variant(primal=True), 1.0),
    "Pegasos": PrintedMethod(Variant(last=True), 0.0, 1.0),
    # w_t = (w_{t-1} - eta_t l_t) / (1 + mu eta_t) with eta_t = 2/(mu t): a_t = t + 1 in units of Gamma_t = (t+1)(t+2)/2
    "PA-PSG": PrintedMethod(Variant(primal=True), 1.0, 1.0, anchor=1.0),
    "SC-RDA": PrintedMethod(Variant(), 0.0, 1.0),
}


class PrintedRun:
    """A run of one method; `advance` is an epoch, as many independent samples as there are rows."""

    def __init__(self, problem: Problem, method: str, seed: int) -> None:
        self.method = PRINTED[method]
        self.rng, self.t = np.random.default_rng(seed), 0
        self.solver = AveragingSolver(problem, self.method.variant, Uniform(), True, self.rng)
        self.solver.scalars[ANCHOR] = self.method.anchor
        self.weights, self.last = np.zeros(problem.rows.n), np.full(problem.rows.n, -1)

    def advance(self) -> None:
        """One epoch."""
        n = self.solver.problem.rows.n
        self.take_samples(self.rng.integers(n, size=n, dtype=np.uint32))

    def take_samples(self, samples: np.ndarray) -> None:
        """Take these rows, one after the other."""
        run, (_, slope, offset, _) = self.solver, self.method
        scalars, weights = run.scalars, self.weights
        a = slope * np.arange(self.t + 1.0, self.t + len(samples) + 1) + offset
        ends = np.empty(len(samples), dtype=np.int64)
        start = 0
        for end in ends[: segments_without_repeats(samples, self.t, self.last, ends)]:
            segment = samples[start:end]
            weights[segment] = a[start:end]
            what = (run.config, *specialised(run.config), run.zr, scalars, run.slope_sums, run.orders.grouped)
            run_epoch(run.problem.rows, run.targets, weights, segment, 1.0, *what)
            start = end
        self.t += len(samples)
        scalars[SQUARE] = fold(run.zr, scalars[ALPHA], scalars[SCALE])
        scalars[ALPHA], scalars[SCALE], scalars[CUT] = 0.0, 1.0, 0.0
        scalars[DONE] = slope * self.t * (self.t + 1) / 2 + offset * self.t  # exact, where a running sum has rounded

    def output(self) -> np.ndarray:
        """The point that the method's theorem is about."""
        return self.solver.output()

    def bound(self) -> float:
        """A proved lower bound of the optimum, from the mean slope of every row."""
        return self.solver.bound()


@njit(cache=True, nogil=True)
def segments_without_repeats(samples: np.ndarray, before: int, last: np.ndarray, ends: np.ndarray) -> int:
    """Where segments without a repeated row end, into `ends`; how many. last[i] is the step that took row i last."""
    start, count = 0, 0
    for k in range(len(samples)):
        i = samples[k]
        if last[i] > before + start:
            ends[count] = k
            count += 1
            start = k
        last[i] = before + k + 1
    ends[count] = len(samples)
    return count + 1
