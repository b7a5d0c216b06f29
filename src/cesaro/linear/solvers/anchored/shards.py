"""The anchored solver over rows that lie in several places. Every shard runs epochs as if its rows were all the rows.

Shard k holds the share p_k of the weight (sum_k p_k = 1), its rows' dual values b and g_k = mean b_i x_i over its own
rows; the whole has g = sum_k p_k g_k and D = sum_k p_k D_k. With h = kappa w_0 + g (kappa = K/n, everything a mean) the
anchored dual is D - F(h), where F(h) = max_w <h, w> - (mu + kappa)/2 |w|^2 - l1 |w|_1 over the ball is convex. So if the
shards change their g_k by delta_k, all at once,

    sum_k p_k D_k - F(h + sum_k p_k delta_k)  >=  sum_k p_k [ D_k - F(h + delta_k) ]          (Jensen)

and the bracket is the anchored dual of the shard's rows alone, from the common h: what an ordinary epoch over them
raises. So the sum of the changes, weighted by p_k, never lowers the anchored dual (CoCoA+ of Ma et al. 2015 with
gamma = 1, sigma' = 1/p_k). One shard is one machine's epoch, to the bit. The bound of `dual_state` holds at every round.
"""

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from cesaro.linear.bounds.dual_bound import dual_bound
from cesaro.linear.bounds.free_intercept import SIDES, ConstantPlanes, Plane, free_bound, merged_plane
from cesaro.linear.bounds.rounding import U, norm, sum_error
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.anchored import kernels, records
from cesaro.linear.solvers.anchored.dual_state import SolverState, point_of
from cesaro.linear.solvers.anchored.initial_prox_weight import first_weight, second_weight, unit
from cesaro.linear.solvers.anchored.intercept import is_free, objective_of
from cesaro.linear.solvers.anchored.prox_weight import ProxWeightRule, are_wide
from cesaro.linear.solvers.anchored.records import B, V, Y
from cesaro.linear.solvers.anchored.shard_messages import Reply, Request, Sums, shares
from cesaro.linear.solvers.anchored.solver import average_weight, run_epoch
from cesaro.storage.states import CheckpointError, require_like


class Shard:
    """Some of a problem's rows with their dual values, zero at first."""

    def __init__(self, problem: Problem, seed: Any):
        self.problem, self.current, self.weight = problem, SolverState(problem, seed), float(problem.v.sum())
        self.held = np.zeros_like(self.current.center)

    def adopt(self, w: np.ndarray) -> None:
        """Dual values -phi'(<x_i, w>), feasible and near the optimum's if w is: for rows whose values were lost."""
        rows, y, current = self.problem.rows, self.problem.y, self.current
        X = sp.csr_array((rows.data, rows.col.view(np.int32), rows.ptr.astype(np.int64)), shape=(rows.n, rows.d))
        p = X @ w[: rows.d] + rows.bias * w[rows.d]
        current.dual_floor = -records.load_dual_values(-self.problem.loss.slope(p, y), current.loss, current.record)
        self.sum_afresh()

    def state(self) -> dict[str, Any]:
        """What the shard needs between two requests to go on as if nothing had happened."""
        current = self.current
        numbers = {name: getattr(current, name) for name in ("noise", "length", "dual_floor", "seed")}
        return {"b": current.record[:, B].copy(), "held": self.held} | numbers

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from the state of an earlier shard of the same rows."""
        require_like(state, self.state())
        self.current.record[:, B], self.held = state["b"], state["held"]
        for name in ("noise", "length", "dual_floor", "seed"):
            setattr(self.current, name, state[name])

    def sum_afresh(self) -> None:
        """g_k afresh from the dual values; no anchor is in the sums, so that they do not depend on the last request."""
        self.current.center[:], self.current.prox_weight = 0.0, 0.0
        self.current.sum_afresh()
        self.held = self.current.g

    def constant_planes(self) -> dict[float, Plane]:
        """Of the shard's rows."""
        rows, record = self.current.rows, self.current.record
        planes = ConstantPlanes(rows, record[:, Y], record[:, V], self.current.loss, self.current.unit)
        return {side: planes.of(side) for side in SIDES}

    def take(self, request: Request) -> Reply:
        """Evaluate w and the dual values; then run epochs over the active rows from the common state."""
        current = self.current
        loss, D, size, _, active = kernels.evaluate(
            current.rows, current.record, current.evaluation_order, request.w, None, current.loss, current.slack,
            current.found_active,
        )  # fmt: skip
        current.activate(active)
        if current.lost * norm(request.w) > 0.01 * max(request.tol, 1e-9) * loss:
            self.sum_afresh()
        D -= sum_error(current.n, size)
        current.dual_floor = current.n * D
        held, lost = self.held, current.lost + 8.0 * U * norm(self.held)
        current.recenter(request.center, request.kappa * current.n, request.g)
        average, changed, moved = np.zeros_like(held), np.zeros_like(held), 0
        for k in range(request.epochs):
            if len(current.active):
                average, changes, *_ = run_epoch(current, first=request.first and k == 0)
                current.count_rounding(changes)
                moved = changes if k == 0 else moved
                changed = current.g - request.g  # where no row is visited it would be rounding alone
        self.held = held + changed
        current.noise += 2.0 * U * current.n * (norm(self.held) + norm(changed))
        planes = self.constant_planes() if current.free and request.first else None
        here = unit(current.mean_square, current.loss.kind, current.record)
        return Reply(self.weight, loss, D, active, lost, held, changed, average.copy(), moved, here, planes)


class MergedState:
    """What the shards have in common: g, the anchor, the average of the rounds. The driver counts rounds as epochs."""

    def __init__(self, problem: Problem, n: int, mean_square: float, prox_weight: float):
        """`problem` has the whole's width, mu, l1 and radius, its rows do not matter; n counts the rows with weight."""
        self.mu, self.l1, self.radius, self.n = problem.mu, problem.l1, problem.radius, n
        self.free, self.constants = is_free(problem), {side: Plane(0.0, np.zeros(0), 0.0) for side in SIDES}
        self.mean_square, self.prox_weight, self.rule = (
            mean_square,
            prox_weight,
            ProxWeightRule(are_wide(n, problem.rows.d)),
        )
        self.center, self.g = np.zeros(problem.rows.d + 1), np.zeros(problem.rows.d + 1)
        self.total, self.weights, self.rounds, self.strongest = np.zeros_like(self.g), 0.0, 0, math.inf

    def state(self) -> dict[str, Any]:
        """All that changes from round to round."""
        names = ("center", "g", "prox_weight", "total", "weights", "rounds", "strongest")
        low, high = (self.constants[side]._asdict() for side in SIDES)
        kept = {"rule": self.rule.state(), "low": low, "high": high}
        return {name: getattr(self, name) for name in names} | kept

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from there."""
        require_like(state, self.state(), lengths=("low/g", "high/g"))
        if any(len(state[name]["g"]) not in (0, len(self.g)) for name in ("low", "high")):
            raise CheckpointError("the planes of constant models have another width")
        self.rule.resume(state.pop("rule"))
        self.constants = dict(zip(SIDES, (Plane(**state.pop(name)) for name in ("low", "high")), strict=True))
        vars(self).update(state)

    def point(self) -> np.ndarray:
        """What to evaluate next: the average of all rounds, now and then the last one's."""
        if self.rounds == 0:
            return np.zeros_like(self.g)
        return self.total / self.weights if self.rounds % 3 else self.center

    def request(self, epochs: int, tol: float) -> Request:
        """What to ask the shards next."""
        return Request(self.point(), self.g, self.center, self.prox_weight / self.n, epochs, self.rounds == 0, tol)

    def evaluate(self, w: np.ndarray, replies: list[Reply]) -> tuple[float, float]:
        """Objective at w and a lower bound, from all shards' replies. g becomes that of the dual values they hold."""
        p = shares(replies)
        plane = merged_plane(p, [Plane(reply.dual, reply.held, reply.lost) for reply in replies])
        f = objective_of(float(p @ [reply.loss for reply in replies]), w, self.mu, self.l1, self.free)
        self.g = plane.g
        if not self.free:
            return f, dual_bound(plane.D, plane.g, self.mu, self.l1, self.radius, plane.lost)
        if replies[0].constants is not None:  # each shard has its own
            for side in SIDES:
                self.constants[side] = merged_plane(p, [reply.constants[side] for reply in replies if reply.constants])
        return f, free_bound(plane, self.constants.__getitem__, self.mu, self.l1, self.radius)

    def merge(self, found: Sums, adapt: bool) -> None:
        """Add the changes and move the prox center to the average; `adapt` the prox weight for the next round."""
        self.g, average = self.g + found.changed, found.average
        self.rounds += 1
        if adapt and self.rounds == 1:
            d, penalty = len(average) - 1, self.n * self.mu
            moved, wide = found.moved / max(1, d), are_wide(self.n, d)
            self.prox_weight = second_weight(self.prox_weight, self.mean_square, found.unit, moved, penalty, wide)
            self.strongest = 20.0 * self.prox_weight
        elif adapt and found.shards == 1:
            self.prox_weight = min(self.prox_weight / self.relaxation(average), self.strongest)
        elif adapt:
            self.prox_weight *= self.tightening(found.apart, average)
        self.center = average
        weight = average_weight(self.rounds, are_wide(self.n, len(average) - 1))
        self.total, self.weights = self.total + weight * average, self.weights + weight

    def relaxation(self, average: np.ndarray) -> float:
        """The factor by which to weaken the anchor, as on one machine."""
        h = self.prox_weight * self.center + self.n * self.g
        h[-1] += self.n * self.mu * self.center[-1] if self.free else 0.0
        end = point_of(h, self.prox_weight + self.n * self.mu, self.n * self.l1, self.radius)
        self.rule.observe(norm(end - average), norm(average - self.center))
        return self.rule.factor(self.prox_weight, self.n * self.mu)

    def tightening(self, apart: float, average: np.ndarray) -> float:
        """The factor by which to strengthen the anchor.

        Where the shards' averages differ from each other by far more than the anchor moves, a round is spent on their
        disagreement: a stronger anchor keeps them together. Three times as much is where that begins to pay
        (`benchmarks/engines/rounds_to_accuracy.py`).
        """
        moved = float(np.linalg.norm(average - self.center))
        if apart > 3.0 * moved and self.prox_weight < 1e4 * self.mean_square:
            return 2.0
        return 0.8 if apart < moved else 1.0


def first_anchor(sample: Problem, n: int, seed: Any) -> tuple[float, float]:
    """The mean of |x|^2 in a sample of n rows, and the anchor's first weight."""
    state = SolverState(sample, seed)
    square = state.mean_square
    return square, first_weight(square, n, state.mu, are_wide(n, sample.rows.d), state.loss.kind)
