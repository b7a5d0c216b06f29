"""The local mode: rounds of the anchored solver. Every partition's dual values stay on its worker, in a state held there.

A round is one task per partition: evaluate the last round's point, then run epochs. What a worker holds is not data that
Dask knows: if it dies, the next one to be asked builds the state anew, with the dual values that the present point
suggests. That costs progress, never a proof: every reply says what is really held, and the bound is made of the replies.
"""

import uuid
from typing import Any, NamedTuple

import numpy as np

from cesaro.engines.problems import DistributedProblem, PartitionProblems
from cesaro.linear.problem.problem import Fit, History, Problem
from cesaro.linear.solvers import driver
from cesaro.linear.solvers.anchored.shards import MergedState, Reply, Request, Shard, first_anchor
from cesaro.linear.solvers.driver import Evaluation, Report
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import CheckpointSlot
from cesaro.storage.states import require_like


class RoundRequest(NamedTuple):
    """What a round asks of every partition; models that are done are not asked."""

    key: str  # of the run
    number: int  # of the round
    seed: int
    requests: dict[int, Request]


class HeldShards:
    """A partition's state on its worker: a shard for each model, the number of the last round and its replies."""

    def __init__(self, shards: dict[int, Shard], number: int):
        self.shards, self.number = shards, number
        self.replies: dict[int, Reply] = {}


class SavedShards(NamedTuple):
    """A partition and the states that its shards had."""

    part: PartitionProblems
    shards: dict[str, dict]


_HELD: dict[tuple[str, int], HeldShards] = {}


def build_shards(part: PartitionProblems, order: RoundRequest, place: int) -> HeldShards:
    """A state where there is none."""
    shards = {}
    for model, request in order.requests.items():
        shards[model] = Shard(part.problems[model], (order.seed, place, order.number))
        if order.number > 0:
            shards[model].adopt(request.w)
    return HeldShards(shards, order.number - 1)


def take_request(part: PartitionProblems, order: RoundRequest, place: int) -> dict[int, Reply]:
    """One partition's round. Asked twice, it replies the same; a state that missed a round is built anew."""
    held = _HELD.pop((order.key, place), None)
    if (
        held is None
        or held.number not in (order.number, order.number - 1)
        or order.requests.keys() - held.shards.keys()
    ):
        held = build_shards(part, order, place)
    if held.number == order.number - 1:
        replies = {model: held.shards[model].take(request) for model, request in order.requests.items()}
        held.number, held.replies = order.number, replies
    _HELD[order.key, place] = held
    return held.replies


def shard_states(part: PartitionProblems, order: tuple[str, int, list[int]], place: int) -> dict[int, dict] | None:
    """The states of the shards after a round; None where they are not held any more."""
    key, number, models = order
    held = _HELD.get((key, place))
    if held is None or held.number != number or not set(models) <= set(held.shards):
        return None
    return {model: held.shards[model].state() for model in models}


def restore(saved: SavedShards, order: tuple[str, int], place: int) -> None:
    """Hold again what was held after a round of an earlier run."""
    key, number = order
    shards = {int(model): Shard(saved.part.problems[int(model)], 0) for model in saved.shards}
    for model, state in saved.shards.items():
        shards[int(model)].resume(state)
    _HELD[key, place] = HeldShards(shards, number)


def forget(key: str) -> None:
    """Drop the states of a run."""
    for name in list(_HELD):  # a copy: other runs on this worker come and go
        if name[0] == key:
            _HELD.pop(name, None)


class LocalModeSolver(driver.Solver):
    """All models in rounds. To save a trip, `evaluate` asks for the next epochs too, in one task; `advance` merges them."""

    at_zero = None

    def __init__(self, problem: DistributedProblem, settings: Settings, passes: int):
        self.executor, self.parts, whole, samples = problem
        self.settings, self.passes = settings, passes
        self.key, self.models, self.count = uuid.uuid4().hex, len(samples), whole.n
        self.width, self.columns = samples[0].rows.d + 1, samples[0].rows.width
        self.least_unit = samples[0].least_unit
        self.merged = [self._merged(sample, whole.n) for sample in samples]
        self.replies: dict[int, list[Reply]] = {}
        self.running = list(range(self.models))

    def _merged(self, sample: Problem, n: int) -> MergedState:
        mean_square, prox_weight = first_anchor(sample, n, self.settings.seed)
        if self.settings.anchor != "auto":
            prox_weight = sample.mu * float(self.settings.anchor)
        return MergedState(sample, n, mean_square, prox_weight)

    def evaluation_due(self, history: History, tol: float) -> bool:
        return True

    def evaluate(self, running: list[int], tol: float, last: bool) -> Evaluation:
        requests = {k: self.merged[k].request(0 if last else self.passes, tol) for k in running}
        order = RoundRequest(self.key, self.epoch, self.settings.seed, requests)
        found = self.executor.each_at_home(take_request, self.parts, order)
        self.replies = {k: [replies[k] for replies in found] for k in running}
        values = [self.merged[k].evaluate(requests[k].w, self.replies[k]) for k in running]
        active = [sum(reply.active for reply in self.replies[k]) for k in running]
        objective, bound = np.array(values).T
        return Evaluation(np.stack([requests[k].w for k in running]), objective, bound, np.array(active))

    def advance(self, running: list[int]) -> None:
        self.epoch, self.running = self.epoch + 1, running
        for k in running:
            self.merged[k].merge(self.replies[k], self.settings.anchor == "auto")

    def state(self) -> dict[str, Any] | None:
        order = (self.key, self.epoch - 1, self.running)
        shards = self.executor.each_at_home(shard_states, self.parts, order)
        if None in shards:  # a worker has died: the next round builds what it held anew
            return None
        merged = {k: merged.state() for k, merged in enumerate(self.merged)}
        return {"epoch": self.epoch, "merged": merged, "shards": dict(enumerate(shards))}

    def resume(self, state: dict[str, Any]) -> None:
        require_like({"epoch": state["epoch"]}, {"epoch": 0})
        self.epoch = state["epoch"]
        for k, merged in enumerate(self.merged):
            merged.resume(state["merged"][str(k)])
        make = self.executor.make
        saved = [make(SavedShards, part, state["shards"][str(k)], place=k) for k, part in enumerate(self.parts)]
        self.executor.each_at_home(restore, saved, (self.key, self.epoch - 1))

    def close(self) -> None:
        self.executor.forget(forget, self.key)


def solve(
    problem: DistributedProblem, settings: Settings, passes: int, report: Report, slot: CheckpointSlot
) -> list[Fit]:
    """Fits of all models: rounds until each has its proof, `max_iter` rounds or the time is over."""
    solver = LocalModeSolver(problem, settings, passes)
    fits = driver.run_to_end(solver, settings, report, slot)
    return [fit._replace(w=fit.w[: solver.columns]) for fit in fits]
