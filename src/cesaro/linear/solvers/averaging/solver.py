"""One linear model by the paper's methods as they are: epochs of `recursion`, a cut and a proof after them.

    gda         slopes at the dual average w, output its average
    sc-rda      gda with uniform weights and output; both bear an L1 term
    pegasos     gda with uniform weights, the projection kept, output the last point
    sc-pda      slopes at the average, which is the output
    pa-psg-sc   sc-pda, the projection kept

Every row is visited once an epoch with a weight that is constant within it: so an epoch is a cut of the objective.
Numbers are kept in units of the present epoch's weight: no sequence of weights overflows.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from cesaro.linear.bounds.cutting_planes import Cuts
from cesaro.linear.problem.csr import bare
from cesaro.linear.problem.mean_loss import mean_loss, recalled_cut
from cesaro.linear.problem.problem import Fit, Problem
from cesaro.linear.problem.row_order import Orders, replace
from cesaro.linear.problem.scalar_losses import code_of
from cesaro.linear.solvers.averaging.elastic_net import visit_elastic
from cesaro.linear.solvers.averaging.initial_anchor import choose, for_step
from cesaro.linear.solvers.averaging.kernels import (
    ALPHA,
    ANCHOR,
    CUT,
    DONE,
    OUT,
    SCALE,
    SQUARE,
    How,
    Now,
    fold,
    loss_of,
    settle,
    step,
    visit,
    visit_average,
)
from cesaro.linear.solvers.averaging.minibatch import visit_batches
from cesaro.linear.solvers.driver import loop
from cesaro.storage.checkpoint import NOWHERE, Place

EPS = float(np.finfo(float).eps)


class Face(NamedTuple):
    """What distinguishes a solver; its weights are e^power in epoch e."""

    primal: bool = False  # slopes at the average
    keep: bool = False  # the projection is kept
    last: bool = False  # returns the last point
    cubic: bool = False  # output weights t^3
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

    zr: np.ndarray  # z and r side by side
    now: np.ndarray
    epoch: int
    w: np.ndarray
    kind: tuple  # solver, loss, mu, l1, radius: the recursion goes on where they are the same, else it begins at w


class _Power(NamedTuple):
    """Weights e^power, as far as they are needed here."""

    power: int  # 0 or 1

    def relative(self, t):
        """(1 + ... + t^power) / t^power."""
        return (t + self.power) / (1 + self.power)


def method(solver: str, averaging: Any) -> tuple[Face, Any]:
    """A solver's face and weights; with weights of the user's own the output has them too."""
    face = SOLVERS[solver]
    return (face, _Power(face.power)) if averaging == "auto" else (face._replace(cubic=False), averaging)


class Run:
    """A run of one model: its state, its order of rows, its cuts."""

    def __init__(self, problem: Problem, face: Face, weights, draws: bool, rng, batch_size: int = 1):
        rows, v = problem.rows, np.asarray(problem.v, dtype=float)
        self.bare = problem._replace(rows=bare(rows))
        self.problem, self.face, self.weights, self.draws, self.rng = problem, face, weights, draws, rng
        single = batch_size == 1 and problem.l1 == 0
        self.orders = Orders(np.flatnonzero(v).astype(np.uint32), rows.ptr, problem.layout, marks=single)
        self.order, self.count = self.orders.order, len(self.orders.order)
        self.share = v / (v.sum() / self.count)  # mean 1
        self.v = np.ones(1) if draws or (v == v[0]).all() else self.share
        code, param = code_of(problem.loss)
        settings = (code, param, problem.mu, problem.l1, problem.radius, face.primal, face.keep, face.cubic)
        self.how = How(*settings, float(self.count))
        apart = single and not face.primal  # `visit` reads z alone
        self.zr = np.zeros((2, rows.d + 1)).T if apart else np.zeros((rows.d + 1, 2))
        self.now, self.epoch, self.eta, self.R = np.array(Now()), 0, 0.0, 0.0
        self.targets = np.stack([problem.y, np.zeros(rows.n)], axis=1)  # beside each what the average owes to its row
        self.cuts = Cuts(problem)
        recall = draws or (face.keep and problem.radius < math.inf)  # then z is not the sum of the rows' slopes
        self.seen = np.zeros((rows.n if recall else 0, 2))
        self.slopes = np.zeros(min(batch_size, self.count))
        self.sums = np.zeros((self.count + 1 if problem.l1 > 0 else 0, 3))
        self.lag = np.zeros(rows.d + 1 if problem.l1 > 0 else 0, dtype=np.uint64)

    def start_at(self, w: np.ndarray | None, anchor: float | str) -> None:
        """Begin at w_0 = w (0 without an anchor) with the anchor gamma_0."""
        if anchor == "auto":
            self.eta, self.R = choose(self.problem, self.how, self.face.last, self.share, self.rng)
            anchor = float(for_step(self.eta, self.R, self.problem.mu))
        self.zr[:], self.now[:], self.epoch = 0.0, Now(anchor=float(anchor)), 0
        self.seen[:], self.targets[:, 1] = 0.0, 0.0
        if w is not None:
            self.zr[: len(w), 0] = -self.problem.mu * float(anchor) * w
            self.now[SQUARE] = self.zr[:, 0] @ self.zr[:, 0]

    def calmer(self) -> bool:
        """Begin again with a tenth of the step, if it was ours to choose. Cuts stay: they are true whatever follows."""
        if self.eta < 1e-9:
            return False
        self.eta /= 10.0
        self.start_at(None, float(for_step(self.eta, self.R, self.problem.mu)))
        return True

    def advance(self) -> None:
        """One epoch."""
        self.epoch += 1
        e, zr, now, p = self.epoch, self.zr, self.now, self.problem
        ratio = (self.weights.relative(e) - 1.0) / self.weights.relative(e - 1) if e > 1 else 1.0  # a_{e-1} / a_e
        if ratio != 1.0:
            zr *= ratio
            self.targets[:, 1] *= ratio
            now[[OUT, DONE, ANCHOR]] *= ratio
            now[SQUARE] *= ratio**2
        before, done, now[CUT] = zr[:, 0].copy(), now[DONE], 0.0
        if self.draws:
            self.order = replace(self.share, self.rng)
        else:
            self.order = self.orders.draw(self.rng)
        if p.l1 > 0:
            what = (self.v, self.order, 1.0, self.how, zr, now, self.seen, self.slopes)
            visit_elastic(p.rows, p.y, *what, self.sums, self.lag)
        elif len(self.slopes) > 1:
            visit_batches(p.rows, p.y, self.v, self.order, 1.0, self.how, zr, now, self.seen, self.slopes)
        else:
            v, seen = self.v if len(self.v) > 1 else None, self.seen if len(self.seen) else None
            radius = p.radius if p.radius < math.inf else None
            pass_ = visit_average if self.face.primal else visit
            loss = loss_of(self.how)
            all_of_it = (self.targets, v, self.order, 1.0, self.how, loss, radius, zr, now, seen, self.orders.alike)
            self.orders.stay = pass_(self.bare.rows, *all_of_it)
        now[SQUARE] = fold(zr, now[ALPHA], now[SCALE])
        now[ALPHA], now[SCALE] = 0.0, 1.0
        now[DONE] = done + self.count  # exact, where a running sum has rounded
        if not len(self.seen):
            size = math.sqrt(max(before @ before, now[SQUARE]))
            s = (zr[:, 0] - before)[: p.rows.width] / self.count
            self.cuts.add(s, now[CUT] / self.count, self.count / now[DONE], size * EPS / math.sqrt(self.count))

    def state(self) -> dict[str, Any]:
        """What a run needs between two epochs to go on as if it had never stopped."""
        mine = {
            "zr": self.zr,
            "now": self.now,
            "seen": self.seen,
            "later": self.targets[:, 1].copy(),
            "alike": self.orders.alike,
            "rng": self.rng.bit_generator.state,
        }
        numbers = {"epoch": self.epoch, "stay": self.orders.stay, "eta": self.eta, "R": self.R}
        return mine | numbers | {f"cuts.{name}": value for name, value in self.cuts.state().items()}

    def resume(self, state: dict[str, Any]) -> None:
        """Stand where an earlier run of the same problem stood."""
        self.now, self.seen, self.epoch = state["now"], state["seen"], state["epoch"]
        self.zr[:], self.targets[:, 1] = state["zr"], state["later"]
        self.orders.alike[:], self.orders.stay = state["alike"], state["stay"]
        self.eta, self.R, self.rng.bit_generator.state = state["eta"], state["R"], state["rng"]
        self.cuts.resume({name: state[f"cuts.{name}"] for name in self.cuts.state()})

    def output(self) -> np.ndarray:
        """The point that the method returns."""
        settle(self.bare.rows, self.targets, self.zr)
        z, r = self.zr[: self.problem.rows.width].T
        alpha, out, A, anchor, square, scale = self.now[:6]
        if self.face.last:
            w = step(self.how, self.how.radius, self.how.mu, anchor + A, scale, square)[0] * z
        else:
            w = (alpha * z + r) / out if out > 0 else np.zeros(len(z))
        norm = float(np.linalg.norm(w)) if self.problem.radius < math.inf else 0.0
        return w * (self.problem.radius / norm) if norm > self.problem.radius else w  # a mean of points inside, rounded

    def outputs(self) -> np.ndarray:
        return self.output()[None]

    def zero(self) -> np.ndarray:
        return self.objectives(np.zeros((1, self.problem.rows.width)))

    def objectives(self, points: np.ndarray) -> np.ndarray:
        return np.array([objective(self.bare, points[0], self.orders.sorted)])

    def bounds(self) -> np.ndarray:
        return np.array([self.bound()])

    def bound(self) -> float:
        """A proved lower bound of the optimum."""
        if len(self.seen):
            p, s = self.problem, np.zeros(self.problem.rows.d + 1)
            c = recalled_cut(p.rows, p.y, self.share, self.how, self.seen, s) / self.count
            self.cuts.add(
                s[: p.rows.width] / self.count, c, 1.0, float(np.linalg.norm(s)) * EPS / math.sqrt(self.count)
            )
        return self.cuts.bound()


def objective(problem: Problem, w: np.ndarray, order: np.ndarray | None = None) -> float:
    """mu/2 |w|^2 + l1 |w|_1 + weighted mean loss; `order` are the rows with weight, if they are known."""
    order = np.flatnonzero(problem.v).astype(np.uint32) if order is None else order
    full, d = np.zeros(problem.rows.d + 1), problem.rows.d
    full[: len(w)] = w
    loss = mean_loss(problem.rows, problem.y, problem.v, order, *code_of(problem.loss), full)
    return float(problem.mu / 2 * (w @ w) + problem.l1 * np.abs(w[:d]).sum() + loss)


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
    slot: Place = NOWHERE,
) -> Fit:
    """Run epochs until the proved relative gap is at most `tol` (never, if 0 or None), `max_iter` or `time_limit`.

    `anchor` is gamma_0 in units of the first weight, 0.0 the paper's; `averaging` the weights of dual and output.
    """
    if problem.l1 > 0 and (problem.radius < math.inf or SOLVERS[solver] not in (SOLVERS["gda"], SOLVERS["sc-rda"])):
        raise ValueError(
            f"an L1 term needs solver='gda', 'sc-rda' or 'anchored' and no radius: got solver={solver!r}, "
            f"radius={problem.radius}. With both, a step is no longer sparse."
        )
    face, weights = method(solver, averaging)
    run = Run(problem, face, weights, sampling == "replacement", np.random.default_rng(seed), batch_size)
    kind = (solver, problem.loss, problem.mu, problem.l1, problem.radius)
    if slot.kept is not None:
        run.resume(slot.kept)
    elif start is not None and start.kind == kind:
        run.zr[:], run.now[:], run.epoch = start.zr, start.now, start.epoch
    else:
        run.start_at(None if start is None else start.w, anchor)
    with np.errstate(over="ignore", invalid="ignore"):  # without an anchor a run may explode: then it finds nothing
        known = None if start is None else start.w[None]
        (fit,) = loop(run, problem.rows.width, tol or 0.0, max_iter, time_limit, report, slot, known)
    settle(run.bare.rows, run.targets, run.zr)
    return fit._replace(state=State(run.zr, run.now, run.epoch, fit.w, kind))
