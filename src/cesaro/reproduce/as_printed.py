"""The paper's five methods on a support vector machine exactly as printed: a_t = gamma_t = t at every single sample, samples
drawn independently, no anchor, so that mu alone fixes every step.

The linear models' kernel is used, which takes a weight per row. A row that is drawn twice has two weights: the samples are
therefore visited in stretches without a repeated row, and the weights are set before each.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ..linear import kernel
from ..linear.kernel import Face
from ..linear.recursion import ALPHA, ANCHOR, CUT, DONE, SCALE, SQUARE, fold, visit
from ..linear.rows import Problem
from ..weights import Uniform


class Printed(NamedTuple):
    """A method: its recursion, and its weights a_t = gamma_t = slope t + offset, gamma_0 = anchor."""

    face: Face
    slope: float
    offset: float = 0.0
    anchor: float = 0.0


PRINTED = {
    "GDA": Printed(Face(), 1.0),  # output: the a-weighted average
    "SC-PDA": Printed(Face(primal=True), 1.0),
    "Pegasos": Printed(Face(last=True), 0.0, 1.0),
    # w_t = (w_{t-1} - eta_t l_t) / (1 + mu eta_t) with eta_t = 2/(mu t): a_t = t + 1 in units of Gamma_t = (t+1)(t+2)/2
    "PA-PSG": Printed(Face(primal=True), 1.0, 1.0, anchor=1.0),
    "SC-RDA": Printed(Face(), 0.0, 1.0),
}


class Run:
    """A run of one method; `advance` is an epoch, as many independent samples as there are rows."""

    def __init__(self, problem: Problem, method: str, seed: int):
        self.how = PRINTED[method]
        self.rng, self.t = np.random.default_rng(seed), 0
        self.run = kernel.Run(problem, self.how.face, Uniform(), True, self.rng)
        self.run.now[ANCHOR] = self.how.anchor
        self.weights, self.last = np.zeros(problem.rows.n), np.full(problem.rows.n, -1)

    def advance(self) -> None:
        n = self.run.problem.rows.n
        self.visit(self.rng.integers(n, size=n, dtype=np.uint32))

    def visit(self, samples: np.ndarray) -> None:
        """Take these rows, one after the other."""
        run, (_, slope, offset, _) = self.run, self.how
        p, now = run.problem, run.now
        visit_drawn(
            p.rows, p.y, self.weights, self.last, samples, self.t, slope, offset, run.how, run.zr, now, run.seen
        )
        self.t += len(samples)
        now[SQUARE] = fold(run.zr, now[ALPHA], now[SCALE])
        now[ALPHA], now[SCALE], now[CUT] = 0.0, 1.0, 0.0
        now[DONE] = slope * self.t * (self.t + 1) / 2 + offset * self.t  # exact, where a running sum has rounded

    def output(self) -> np.ndarray:
        """The point that the method's theorem is about."""
        return self.run.output()

    def bound(self) -> float:
        """A proved lower bound of the optimum, from the mean slope of every row."""
        return self.run.bound()


@njit(cache=True, nogil=True)
def visit_drawn(rows, y, weights, last, samples, before, slope, offset, how, zr, now, seen):
    """samples[k] is step t = before + k + 1, with weight slope t + offset; last[i] is the step that took row i last."""
    start = 0
    for k in range(len(samples)):
        i, t = samples[k], before + k + 1
        if last[i] > before + start:
            visit(rows, y, weights, samples[start:k], 1.0, how, zr, now, seen)
            start = k
        weights[i] = slope * t + offset
        last[i] = t
    visit(rows, y, weights, samples[start:], 1.0, how, zr, now, seen)
