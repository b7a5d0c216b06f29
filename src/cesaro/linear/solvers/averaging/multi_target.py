"""Many models that differ in their targets only (one-vs-rest classes, columns of y): one schedule, one pass.

Weights and anchor, so Gamma, s and alpha of `recursion`, are the same for all of them: a row costs one such step of
numbers and, for every model, margin, slope and update, which are vector instructions. State (d + 1, 2 P): z, then r; and
what r owes to the rows (n, P), unless slopes are at the average.
"""

import math
from typing import Any

import numpy as np
from numba import njit

from cesaro.compiled.flags import LOOP
from cesaro.compiled.llvm_vectors import where_less
from cesaro.compiled.vector_ops import add_rows, add_to_row, dot_rows, map_lanes, padded, zeros
from cesaro.linear.bounds.cutting_planes import Cuts
from cesaro.linear.problem.csr import ahead, ahead_wide, bare, span
from cesaro.linear.problem.problem import Fit, Problem
from cesaro.linear.problem.row_order import Orders
from cesaro.linear.problem.scalar_losses import HINGE, MODIFIED_HUBER, code_of, conjugate, slope, value
from cesaro.linear.solvers.averaging import solver as kernel
from cesaro.linear.solvers.averaging.initial_anchor import choose, for_step
from cesaro.linear.solvers.averaging.kernels import ANCHOR, DONE, How, Now, output_weight, step
from cesaro.linear.solvers.driver import loop
from cesaro.storage.checkpoint import NOWHERE, Place


def hinge(a, s, one, zero, y, m, cut, g):
    """The hinge's slope at s m, times a; the cut grows by a where the row is active."""
    g = where_less(y * s * m, one, -(a * y), zero)
    return cut - g * y, g


hinge_lanes = map_lanes(hinge)


@njit(**LOOP)
def fold_many(W, alpha):
    """r += alpha z."""
    P = W.shape[1] // 2
    for j in range(W.shape[0]):
        for k in range(P):
            W[j, P + k] += alpha * W[j, k]


@njit(**LOOP)
def visit_many(rows, Y, later, v, order, how, W, now, cut, m, g):
    """`recursion.visit` for every column of Y (n, P), or `visit_average`, by `how`.

    What r owes to row i waits in later[i] for `settle_many`; with `visit_average` nothing waits, and `later` has no rows.
    cut (P,) grows by the cuts; m and g, (2 P,), are for work.
    """
    P, data, col = cut.shape[0], rows.data, rows.col
    alpha, out, A, anchor, t = now[0], now[1], now[2], now[3], np.int64(now[7])
    weighted, all_of_it, z, gz = v.shape[0] > 1, (0, 0), m[:P], g[:P]
    gap = all_of_it if how.primal else (P, P)  # r is not touched
    for k in range(order.shape[0]):
        ahead(rows, Y, v, order, k)
        ahead_wide(Y, order, k)
        if not how.primal:
            ahead_wide(later, order, k)
        i = order[k]
        a = v[i] if weighted else 1.0
        s, _ = step(how, None, how.mu, anchor + A, 1.0, 0.0)
        A += a
        t += 1
        o = output_weight(how, a, A)
        alpha += o * s
        out += o
        for lane in range(m.shape[0]):
            m[lane] = rows.bias * W[rows.d, lane]
        start, stop = span(rows, i)
        dot_rows(m, data, col, start, stop, W, gap)
        scale = s
        if how.primal:
            scale = 1.0
            for lane in range(P):
                z[lane] = (alpha * m[lane] + m[P + lane]) / out
        if how.code == HINGE:
            moved = hinge_lanes((a, scale, 1.0, 0.0), (Y[i], z, cut, gz), all_of_it)
        else:
            moved = True
            for lane in range(P):
                u = slope(how.code, how.param, scale * z[lane], Y[i, lane])
                gz[lane] = a * u
                cut[lane] -= a * conjugate(how.code, how.param, u, Y[i, lane])
        if moved:
            if how.primal:
                for lane in range(P):
                    g[P + lane] = -alpha * g[lane]
            else:
                add_to_row(later, i, alpha, gz, all_of_it)
            add_rows(W, data, col, start, stop, g, gap)
            add_to_row(W, rows.d, rows.bias, g, gap)
        if t & (t - 1) == 0:
            fold_many(W, alpha)
            alpha = 0.0
    now[0], now[1], now[2], now[7] = alpha, out, A, t


@njit(**LOOP)
def settle_many(rows, later, W, g):
    """`recursion.settle` for every model."""
    P = later.shape[1]
    gap = (0, P)  # z is not touched
    for i in range(later.shape[0]):
        owed = False
        for lane in range(P):
            h = later[i, lane]
            owed |= h != 0.0
            g[P + lane] = -h
            later[i, lane] = 0.0
        if owed:
            start, stop = span(rows, i)
            add_rows(W, rows.data, rows.col, start, stop, g, gap)
            add_to_row(W, rows.d, rows.bias, g, gap)


@njit(**LOOP)
def losses_many(rows, Y, v, how, W, m, total):
    """total += the losses of every model, row i with weight v_i, at the points W (d + 1, P); m (P,) is for work."""
    for i in range(Y.shape[0]):
        if v[i] > 0.0:
            for lane in range(m.shape[0]):
                m[lane] = rows.bias * W[rows.d, lane]
            start, stop = span(rows, i)
            dot_rows(m, rows.data, rows.col, start, stop, W, (0, 0))
            for lane in range(m.shape[0]):
                total[lane] += v[i] * value(how.code, how.param, m[lane], Y[i, lane])


class Many:
    """A run of many models: what `kernel.Run` is for one."""

    def __init__(self, problems: list[Problem], face: kernel.Face, weights, rng):
        first = problems[0]
        rows, v, P = first.rows, np.asarray(first.v, dtype=float), padded(len(problems), float)
        self.problems, self.face, self.weights, self.rng, self.epoch = problems, face, weights, rng, 0
        self.bare = bare(rows)
        self.orders = Orders(np.flatnonzero(v).astype(np.uint32), rows.ptr)
        self.order, self.count = self.orders.order, len(self.orders.order)
        self.share = v / (v.sum() / self.count)
        self.v = np.ones(1) if (v == v[0]).all() else self.share
        code, param = code_of(first.loss)
        self.Y = zeros((rows.n, P), np.int8 if code <= MODIFIED_HUBER else float)
        for k, problem in enumerate(problems):
            self.Y[:, k] = problem.y
        self.later = zeros((0 if face.primal else rows.n, P))
        self.how = How(code, param, first.mu, 0.0, math.inf, face.primal, False, face.cubic, float(self.count))
        self.W, self.now, self.cut = zeros((rows.d + 1, 2 * P)), np.array(Now()), zeros(P)
        self.work = zeros((2, 2 * P))
        self.cuts = [Cuts(p, 8) for p in problems]

    def start_at(self, anchor: float | str) -> None:
        """Begin at 0; the step is the middle one of what a few of the models would choose."""
        if anchor == "auto":
            some = self.problems[:: max(1, len(self.problems) // 3)][:3]
            found = [choose(p, self.how, self.face.last, self.share, self.rng) for p in some]
            anchor = float(for_step(np.median([eta for eta, _ in found]), found[0][1], self.how.mu))
        self.now[ANCHOR] = anchor

    def advance(self) -> None:
        """One epoch."""
        self.epoch += 1
        e, W, now, P, rows = self.epoch, self.W, self.now, len(self.cut), self.problems[0].rows
        ratio = (self.weights.relative(e) - 1.0) / self.weights.relative(e - 1) if e > 1 else 1.0
        if ratio != 1.0:
            W *= ratio
            self.later *= ratio
            now[1:4] *= ratio
        before, done, self.cut[:] = W[:, :P].copy(), now[DONE], 0.0
        self.orders.draw(self.rng)
        visit_many(self.bare, self.Y, self.later, self.v, self.order, self.how, W, now, self.cut, *self.work)
        fold_many(W, now[0])
        now[0], now[DONE] = 0.0, done + self.count
        size = np.sqrt(np.maximum(np.square(before).sum(axis=0), np.square(W[:, :P]).sum(axis=0)))
        lost = size * kernel.EPS / math.sqrt(self.count)
        for k, cuts in enumerate(self.cuts):
            s = (W[: rows.width, k] - before[: rows.width, k]) / self.count
            cuts.add(s, self.cut[k] / self.count, self.count / now[DONE], lost[k])

    def state(self) -> dict[str, Any]:
        """What a run needs between two epochs to go on as if it had never stopped."""
        mine = {"W": self.W, "later": self.later, "now": self.now, "epoch": self.epoch}
        mine["rng"] = self.rng.bit_generator.state
        return mine | {f"cuts.{k}.{name}": a for k, cuts in enumerate(self.cuts) for name, a in cuts.state().items()}

    def resume(self, state: dict[str, Any]) -> None:
        """Stand where an earlier run of the same problems stood."""
        self.W[:], self.later[:], self.now, self.epoch = state["W"], state["later"], state["now"], state["epoch"]
        self.rng.bit_generator.state = state["rng"]
        for k, cuts in enumerate(self.cuts):
            cuts.resume({name: state[f"cuts.{k}.{name}"] for name in cuts.state()})

    def outputs(self) -> np.ndarray:
        """The points that the method returns, (models, width)."""
        settle_many(self.bare, self.later, self.W, self.work[0])
        now, P, width = self.now, len(self.cut), self.problems[0].rows.width
        s, _ = step(self.how, None, self.how.mu, now[ANCHOR] + now[DONE], 1.0, 0.0)
        points = s * self.W[:, :P] if self.face.last else self.W[:, P:] / max(now[1], 1e-300)
        return np.ascontiguousarray(points[:width, : len(self.problems)].T)

    def zero(self) -> np.ndarray:
        return self.objectives(np.zeros((len(self.problems), self.problems[0].rows.width)))

    def bounds(self) -> np.ndarray:
        return np.array([cuts.bound() for cuts in self.cuts])

    def calmer(self) -> bool:
        return False

    def objectives(self, points: np.ndarray) -> np.ndarray:
        """`kernel.objective` of every model at its point, in one pass."""
        first, k = self.problems[0], len(points)
        W, total = zeros((first.rows.d + 1, len(self.cut))), np.zeros(len(self.cut))
        W[: points.shape[1], :k] = points.T
        losses_many(self.bare, self.Y, np.asarray(first.v, dtype=float), self.how, W, np.zeros(len(self.cut)), total)
        return first.mu / 2 * np.square(points).sum(axis=1) + total[:k] / first.v.sum()


def alike(problems: list[Problem]) -> bool:
    """Whether they differ in their targets only, and the shared schedule covers them."""
    first = problems[0]
    same = all(p.rows is first.rows and p.loss == first.loss and p.mu == first.mu for p in problems)
    return same and all(p.radius == math.inf and p.l1 == 0.0 and np.array_equal(p.v, first.v) for p in problems)


def solve(
    problems: list[Problem],
    *,
    solver: str = "gda",
    tol: float | None = 1e-3,
    max_iter: int = 1000,
    time_limit: float | None = None,
    seed: int | np.random.Generator = 0,
    anchor: str | float = "auto",
    averaging: Any = "auto",
    report=None,
    slot: Place = NOWHERE,
) -> list[Fit]:
    """`kernel.solve` for problems that are `alike`, in one pass; it ends when every gap is proved.

    `report` is called with the epoch and the largest objective and least lower bound.
    """
    run = Many(problems, *kernel.method(solver, averaging), np.random.default_rng(seed))
    if slot.kept is not None:
        run.resume(slot.kept)
    else:
        run.start_at(anchor)
    with np.errstate(over="ignore", invalid="ignore"):
        return loop(run, problems[0].rows.width, tol or 0.0, max_iter, time_limit, report, slot)
