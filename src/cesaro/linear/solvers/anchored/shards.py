"""Anchored sweeps over rows that lie in several places. Every shard sweeps as if its rows were all the rows.

Shard k holds the share p_k of the weight (sum_k p_k = 1), its rows' dual values b and g_k = mean b_i x_i over its own
rows; the whole has g = sum_k p_k g_k and D = sum_k p_k D_k. With h = kappa w_0 + g (kappa = K/n, everything a mean) the
anchored dual is D - F(h), where F(h) = max_w <h, w> - (mu + kappa)/2 |w|^2 - l1 |w|_1 over the ball is convex. So if the
shards change their g_k by delta_k, all at once,

    sum_k p_k D_k - F(h + sum_k p_k delta_k)  >=  sum_k p_k [ D_k - F(h + delta_k) ]          (Jensen)

and the bracket is the anchored dual of the shard's rows alone, from the common h: what an ordinary sweep over them
raises. So the sum of the changes, weighted by p_k, never lowers the anchored dual (CoCoA+ of Ma et al. 2015 with
gamma = 1, sigma' = 1/p_k). One shard is one machine's sweep, to the bit. The dual values are feasible whatever happened
before, so the bound of `anchored` holds at every round.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro.linear.bounds.dual_bound import lower_bound
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.anchored import initial_anchor
from cesaro.linear.solvers.anchored import kernels as passes
from cesaro.linear.solvers.anchored.state import EPS, Run


class Turn(NamedTuple):
    """What a shard is asked: judge the point w, then sweep from the common g and the anchor."""

    w: np.ndarray
    g: np.ndarray
    center: np.ndarray
    kappa: float
    sweeps: int  # 0: judge only
    first: bool
    tol: float


class Answer(NamedTuple):
    """What a shard says: about w and its dual values as they were, then what the sweeps changed."""

    share: float  # sum of its rows' weights
    loss: float  # mean loss at w
    dual: float  # D_k
    size: float  # mean |conjugate|
    active: int  # rows that are not settled at w
    drift: float  # bound on |w| times the rounding error of g_k
    held: np.ndarray  # g_k before the sweeps
    changed: np.ndarray  # g_k after them, less g_k before
    average: np.ndarray  # of w over the last sweep


class Shard:
    """Some of a problem's rows with their dual values, zero at first."""

    def __init__(self, problem: Problem, seed):
        self.problem, self.run, self.weight = problem, Run(problem, seed), float(problem.v.sum())
        self.held = np.zeros_like(self.run.g)

    def adopt(self, w: np.ndarray) -> None:
        """Dual values -phi'(<x_i, w>), feasible and near the optimum's if w is: for rows whose values were lost."""
        rows, y, run = self.problem.rows, self.problem.y, self.run
        X = sp.csr_array((rows.data, rows.col.view(np.int32), rows.ptr.astype(np.int64)), shape=(rows.n, rows.d))
        p = X @ w[: rows.d] + rows.bias * w[rows.d]
        passes.recall(-self.problem.loss.slope(p, y), run.code, run.param, run.record)
        self.gather()

    def state(self) -> dict[str, Any]:
        """What the shard needs between two turns to go on as if nothing had happened."""
        run = self.run
        return {"b": run.record[:, passes.B].copy(), "held": self.held, "noise": run.noise, "seed": run.seed}

    def resume(self, state: dict[str, Any]) -> None:
        """Stand where an earlier shard of the same rows stood."""
        self.run.record[:, passes.B], self.held = state["b"], state["held"]
        self.run.noise, self.run.seed = state["noise"], state["seed"]

    def gather(self) -> None:
        """g_k afresh from the dual values."""
        self.run.gather()
        self.held = self.run.g.copy()

    def drift(self, length: float) -> float:
        """What rounding in g_k may do to a bound at a point of that length."""
        return EPS * math.sqrt(self.run.noise) / self.run.n * length

    def take(self, turn: Turn) -> Answer:
        """Judge w and the dual values; then sweep the rows that are not settled at w from the common state."""
        run, length = self.run, float(np.linalg.norm(turn.w))
        loss, D, size, active = passes.evaluate(
            run.rows, run.record, run.looks, turn.w, run.code, run.param, run.slack, run.rest
        )
        run.order = run.rest[:active].copy() if active else np.flatnonzero(run.record[:, passes.V]).astype(np.uint32)
        if self.drift(length) > 0.01 * max(turn.tol, 1e-9) * loss:
            self.gather()
        held, drift, average = self.held, self.drift(length), np.zeros_like(turn.w)
        run.g = turn.g
        run.anchor_at(turn.center, turn.kappa * run.n)
        for k in range(turn.sweeps):
            if len(run.order):
                run.H[:, 1] = 0.0
                average = run.sweep(first=turn.first and k == 0)
        self.held = held + (run.g - turn.g)
        return Answer(self.weight, loss, D, size, active, drift, held, run.g - turn.g, average)


class Merged:
    """What the shards have in common: g, the anchor, the average of the rounds; the loop is in `engines.rounds`."""

    point: Any = Run.point  # w of h, and when to lengthen the steps: as on one machine
    loosen: Any = Run.loosen

    def __init__(self, problem: Problem, n: int, R: float, K: float):
        """`problem` has the whole's width, mu, l1 and radius, its rows do not matter; n counts the rows with weight."""
        self.mu, self.l1, self.radius, self.n, self.R = problem.mu, problem.l1, problem.radius, n, R
        self.center, self.g, self.K = np.zeros(problem.rows.d + 1), np.zeros(problem.rows.d + 1), K
        self.H = np.zeros((len(self.g), 1))
        self.swing, self.rate, self.least = math.log(0.6), math.log(1.25), math.log(0.15)
        self.total, self.weights, self.e, self.most = np.zeros_like(self.g), 0.0, 0, math.inf

    def state(self) -> dict[str, Any]:
        """All that changes from round to round."""
        names = ("center", "g", "K", "swing", "rate", "least", "total", "weights", "e", "most")
        return {name: getattr(self, name) for name in names}

    def resume(self, state: dict[str, Any]) -> None:
        """Stand where an earlier run stood."""
        vars(self).update(state)

    def turn(self, w: np.ndarray, sweeps: int, tol: float) -> Turn:
        """What to ask the shards next."""
        return Turn(w, self.g, self.center, self.K / self.n, sweeps, self.e == 0, tol)

    def judged(self, w: np.ndarray, answers: list[Answer]) -> tuple[float, float]:
        """Objective at w and a lower bound, from all shards' answers. g becomes that of the dual values they hold."""
        p = shares(answers)
        loss, D, size, drift = p @ [(answer.loss, answer.dual, answer.size, answer.drift) for answer in answers]
        self.g = p @ [answer.held for answer in answers]
        f = loss + self.mu / 2.0 * (w @ w) + self.l1 * np.abs(w[:-1]).sum()
        bound = lower_bound(D, self.g, self.mu, self.l1, self.radius)
        return float(f), float(bound - 4.0 * (EPS * math.sqrt(self.n) * size + drift))

    def swept(self, answers: list[Answer], adapt: bool) -> None:
        """Add the changes and move the anchor to the average; `adapt` its strength for the next round."""
        p, averages = shares(answers), np.array([answer.average for answer in answers])
        self.g = self.g + p @ [answer.changed for answer in answers]
        average = p @ averages
        self.H[:, 0] = self.K * self.center + self.n * self.g
        self.e += 1
        if adapt and self.e == 1:
            self.K = min(self.K, self.R / 0.3)
            self.most = 20.0 * self.K
        elif adapt and len(answers) == 1:
            self.K = min(self.K / self.loosen(average), self.most)
        elif adapt:
            self.K *= self.tighten(p, averages, average)
        self.center = average
        weight = self.e**4 - (self.e - 1) ** 4
        self.total, self.weights = self.total + weight * average, self.weights + weight

    def tighten(self, p, averages, average) -> float:
        """The factor by which to strengthen the anchor.

        Where the shards' averages differ from each other by far more than the anchor moves, a round is spent on their
        disagreement: a stronger anchor keeps them together. Three times as much is where that begins to pay: on a9a,
        ijcnn1, w8a (8 shards) and covtype (32), 1 and 6 took longer to prove 1e-3 on two of the four.
        """
        apart = math.sqrt(p @ np.square(averages - average).sum(axis=1))
        moved = float(np.linalg.norm(average - self.center))
        if apart > 3.0 * moved and self.K < 1e4 * self.R:
            return 2.0
        return 0.8 if apart < moved else 1.0


def shares(answers: list[Answer]) -> np.ndarray:
    """p_k."""
    p = np.array([answer.share for answer in answers])
    return p / p.sum()


def choose_anchor(sample: Problem, n: int, seed) -> tuple[float, float]:
    """R, the mean of |x|^2, and the anchor's first strength, by `tune` on a sample of n rows."""
    run = Run(sample, seed)
    if run.mu * n >= 10.0 * run.R:
        return run.R, run.R / 0.5
    run.n = min(n, 60 * run.n)
    return run.R, run.R / (initial_anchor.choose(run) * (run.n / n) ** (1 / 3))
