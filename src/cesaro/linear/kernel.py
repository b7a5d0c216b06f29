"""One linear model by the paper's methods as they are: epochs of `recursion`, a cut and a proof after them.

    gda         slopes at the dual average w, output its average        sc-pda      slopes at the average, output the same
    sc-rda      gda, uniform weights and output, soft threshold         pa-psg-sc   sc-pda, the projection kept
    pegasos     gda, uniform weights, the projection kept, output last

Every row is visited once an epoch with a weight that is constant within it, so that the epoch is a cut of the objective.
Numbers are kept in units of the present epoch's weight: no sequence of weights overflows.
"""

import math
import time
from typing import Any, NamedTuple

import numpy as np

from cesaro.linear import order as orders
from cesaro.linear.batches import visit_batches
from cesaro.linear.cuts import Cuts
from cesaro.linear.elastic import visit_elastic
from cesaro.linear.evaluate import mean_loss, recalled_cut
from cesaro.linear.loss_codes import code_of
from cesaro.linear.recursion import ALPHA, ANCHOR, CUT, DONE, OUT, SCALE, SQUARE, How, Now, fold, step, visit
from cesaro.linear.rows import Fit, Problem


class Face(NamedTuple):
    """What distinguishes a solver: where its slopes are taken, what it projects, what it returns, its weights t^power."""

    primal: bool = False
    keep: bool = False
    last: bool = False
    cubic: bool = False
    power: int = 0


SOLVERS = {
    "gda": Face(cubic=True),
    "sc-pda": Face(primal=True, power=1),
    "pegasos": Face(keep=True, last=True),
    "pa-psg-sc": Face(primal=True, keep=True, power=1),
    "sc-rda": Face(),
}


class State(NamedTuple):
    """Where a run stands: what `start` takes."""

    zr: np.ndarray  # z and r side by side, folded
    now: np.ndarray
    epoch: int
    w: np.ndarray


class _Power(NamedTuple):
    """Weights e^power: cesaro.weights in the little that is needed here."""

    power: float

    def first(self, t):
        return float(t) ** -self.power


class Run:
    """A run of one model: its state, its order of rows, its cuts."""

    def __init__(self, problem: Problem, face: Face, weights, replace: bool, rng, batch_size: int = 1):
        self.problem, self.face, self.weights, self.replace, self.rng = problem, face, weights, replace, rng
        self.cuts, self.epoch = Cuts(problem), 0
        rows, v = problem.rows, np.asarray(problem.v, dtype=float)
        self.count = int(np.count_nonzero(v))
        self.share = v / (v.sum() / self.count)  # weights with mean 1
        uniform = replace or bool((v == v[0]).all())
        self.v = np.ones(1) if uniform else self.share
        self.order = np.flatnonzero(v).astype(np.uint32)
        recall = replace or (face.keep and problem.radius < math.inf)
        self.seen = np.zeros((rows.n if recall else 0, 2))
        code, param = code_of(problem.loss)
        how = (code, param, problem.mu, problem.l1, problem.radius)
        self.how = How(*how, face.primal, face.keep, face.cubic, float(self.count))
        self.slopes = np.zeros(min(batch_size, max(1, self.count)))
        self.sums = np.zeros((self.count + 1 if problem.l1 > 0 else 0, 3))
        self.lag = np.zeros(rows.d + 1 if problem.l1 > 0 else 0, dtype=np.uint64)
        self.zr, self.now = np.zeros((rows.d + 1, 2)), np.array(Now())

    def start_at(self, w, anchor: float) -> None:
        """w_0 = w with the anchor gamma_0 (w_0 = 0 without one)."""
        self.zr[:], self.now[:], self.epoch = 0.0, Now(anchor=anchor), 0
        self.seen[:] = 0.0
        if w is not None:
            self.zr[: len(w), 0] = -self.problem.mu * anchor * w
            self.now[SQUARE] = self.zr[:, 0] @ self.zr[:, 0]

    def advance(self) -> None:
        """One epoch."""
        self.epoch += 1
        e, zr, now = self.epoch, self.zr, self.now
        ratio = self.weights.first(e) / self.weights.first(e - 1) if e > 1 else 1.0
        if ratio != 1.0:
            zr *= ratio
            now[[OUT, DONE, ANCHOR]] *= ratio
            now[SQUARE] *= ratio**2
        now[CUT] = 0.0
        before, done = zr[:, 0].copy(), now[DONE]
        order = orders.replace(self.share, self.rng) if self.replace else orders.reshuffle(self.order, self.rng)
        p = self.problem
        what = (p.rows, p.y, self.v, order, 1.0, self.how, zr, now, self.seen)
        if p.l1 > 0:
            visit_elastic(*what, self.slopes, self.sums, self.lag)
        elif len(self.slopes) > 1:
            visit_batches(*what, self.slopes)
        else:
            visit(*what)
        now[SQUARE] = fold(zr, now[ALPHA], now[SCALE])
        now[ALPHA], now[SCALE] = 0.0, 1.0
        now[DONE] = done + self.count  # exact, where the running sum has rounded
        if not len(self.seen):
            width = p.rows.width
            size = math.sqrt(max(before @ before, now[SQUARE]))
            lost = math.sqrt(self.count) * np.finfo(float).eps * size / self.count
            cut = (zr[:width, 0] - before[:width]) / self.count
            self.cuts.add(cut, now[CUT] / self.count, self.count / now[DONE], lost)

    def output(self) -> np.ndarray:
        """The point that the method returns."""
        width, now = self.problem.rows.width, self.now
        if self.face.last:
            s, _ = step(self.how, self.how.mu, now[ANCHOR] + now[DONE], now[SCALE], now[SQUARE])
            return s * self.zr[:width, 0]
        return self.zr[:width, 1] / now[OUT] if now[OUT] > 0 else np.zeros(width)

    def bound(self) -> float:
        """A proved lower bound of the optimum."""
        if len(self.seen):
            p = self.problem
            s = np.zeros(p.rows.d + 1)
            c = recalled_cut(p.rows, p.y, self.share, self.how, self.seen, s) / self.count
            size = float(np.abs(s).max())
            s = s[: p.rows.width] / self.count
            self.cuts.add(s, c, 1.0, math.sqrt(self.count) * np.finfo(float).eps * size)
        return self.cuts.bound()

    def objective(self, w: np.ndarray) -> float:
        """The objective at w."""
        return objective(self.problem, w)


def objective(problem: Problem, w: np.ndarray) -> float:
    """mu/2 |w|^2 + l1 |w|_1 + weighted mean loss."""
    full = np.zeros(problem.rows.d + 1)
    full[: len(w)] = w
    code, param = code_of(problem.loss)
    loss = mean_loss(problem.rows, problem.y, problem.v, code, param, full)
    return float(problem.mu / 2 * (w @ w) + problem.l1 * np.abs(w[: problem.rows.d]).sum() + loss)


def largest_step(problem: Problem, eta: float) -> float:
    """The anchor with which the first and largest step is eta / mean |x|^2."""
    rows = problem.rows
    total = np.square(rows.data, dtype=float).sum() / max(1, rows.n) + rows.bias**2
    return max(0.0, float(total / (eta * problem.mu)) - 1.0)


def solve(
    problem: Problem,
    *,
    solver: str = "gda",
    tol: float | None = 1e-3,
    max_iter: int = 1000,
    time_limit: float | None = None,
    seed: int | np.random.Generator = 0,
    anchor: str | float = "auto",
    averaging: Any = "auto",
    batch_size: int = 1,
    sampling: str = "reshuffle",
    start: State | None = None,
    report=None,
) -> Fit:
    """Run epochs until the proved relative gap is at most `tol` (never, if 0 or None), `max_iter` or `time_limit`."""
    face = SOLVERS[solver]
    weights = _Power(face.power) if averaging == "auto" else averaging
    if averaging != "auto":
        face = face._replace(cubic=False)
    rng = np.random.default_rng(seed)
    run = Run(problem, face, weights, sampling == "replacement", rng, batch_size)
    gamma_0 = largest_step(problem, 0.3) if anchor == "auto" else float(anchor)
    if start is None:
        run.start_at(None, gamma_0)
    else:
        run.zr, run.now, run.epoch = start.zr.copy(), start.now.copy(), start.epoch
    zero = objective(problem, np.zeros(problem.rows.width))
    return loop(run, zero, tol or 0.0, max_iter, time_limit, report)


def loop(run: Run, zero: float, tol: float, max_iter: int, time_limit, report) -> Fit:
    """Epochs, with a look at objective and proof at growing intervals; Ctrl-C and the clock leave the best point so far."""
    begin, first, looked = time.perf_counter(), run.epoch, run.epoch
    best, f, lower, status = np.zeros(run.problem.rows.width), zero, -math.inf, "max_iter"
    history: list[tuple] = []
    try:
        while run.epoch < first + max_iter:
            run.advance()
            late = time_limit is not None and time.perf_counter() - begin >= time_limit
            done = run.epoch - first
            if not (late or done == max_iter or done >= (1.25 if tol else 2.0) * (looked - first)):
                continue
            looked = run.epoch
            w = run.output()
            value = run.objective(w)
            if value < f:
                best, f = w, value
            lower = max(lower, run.bound())
            history.append((run.epoch, time.perf_counter() - begin, f, lower))
            if report is not None:
                report(run.epoch, f, lower)
            if tol and f - lower <= tol * max(f, 1e-3 * zero):
                status = "converged"
                break
            if late:
                status = "time_limit"
                break
    except KeyboardInterrupt:
        status = "interrupted"
    columns = np.array(history, dtype=float).reshape(-1, 4).T
    names = ("epoch", "time", "objective", "lower_bound")
    record = dict(zip(names, columns, strict=True)) | {"active": np.full(len(history), run.count)}
    return Fit(best, f, lower, run.epoch - first, record, status, State(run.zr, run.now, run.epoch, best))
