"""The local mode: rounds of the anchored solver. Every partition's dual values stay on its worker, in a state held there.

A round is one task per partition: evaluate the last round's point, then run epochs. What a worker holds is not data that
Dask knows: if it dies, the next one to be asked builds the state anew, with the dual values that the present point
suggests. That costs progress, never a proof: every reply says what is really held, and the bound is made of the replies.

Many wide models are asked in groups, one after the other, and of their replies only sums are kept: the driver holds about ten
vectors a model, whatever the number of partitions.
"""

import uuid
from typing import Any, NamedTuple

import numpy as np

from cesaro.engines.partition_tasks import DistributedProblem, PartitionProblems
from cesaro.linear.problem.problem import Fit, History, Problem
from cesaro.linear.solvers import driver
from cesaro.linear.solvers.anchored.shard_messages import Reply, Request, Sums, sums
from cesaro.linear.solvers.anchored.shards import MergedState, Shard, first_anchor
from cesaro.linear.solvers.driver import Evaluation, Report
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import CheckpointSlot
from cesaro.storage.states import require_like

IN_FLIGHT = 2**23  # numbers at most in the requests and replies of a group, unless one model has more


class RoundRequest(NamedTuple):
    """What a round asks of every partition; models that are done are not asked."""

    key: str  # of the run and the group
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
    """Drop the states of a run, of all its groups."""
    for name in list(_HELD):  # a copy: other runs on this worker come and go
        if name[0].startswith(key):
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
        self.sums: dict[int, Sums] = {}
        self.group_size = max(1, IN_FLIGHT // (3 * self.width * (1 + len(self.parts))))  # models in a group
        self.running = list(range(self.models))

    def _merged(self, sample: Problem, n: int) -> MergedState:
        mean_square, prox_weight = first_anchor(sample, n, self.settings.seed)
        if self.settings.anchor != "auto":
            prox_weight = sample.mu * float(self.settings.anchor)
        return MergedState(sample, n, mean_square, prox_weight)

    def evaluation_due(self, history: History, tol: float) -> bool:
        return True

    def groups(self, models: list[int]) -> dict[str, list[int]]:
        """Models that are asked together, by the key of what workers hold of them: the same whoever else is done."""
        found: dict[str, list[int]] = {}
        for k in models:
            found.setdefault(f"{self.key}-{k // self.group_size}", []).append(k)
        return found

    def evaluate(self, running: list[int], tol: float, last: bool) -> Evaluation:
        found: list[tuple[np.ndarray, float, float, int]] = []
        for key, group in self.groups(running).items():
            requests = {k: self.merged[k].request(0 if last else self.passes, tol) for k in group}
            order = RoundRequest(key, self.epoch, self.settings.seed, requests)
            every = self.executor.each_at_home(take_request, self.parts, order)
            for k in group:
                replies = [some[k] for some in every]
                value, bound = self.merged[k].evaluate(requests[k].w, replies)
                found.append((requests[k].w, value, bound, sum(reply.active for reply in replies)))
                self.sums[k] = sums(replies)
        points, values, bounds, active = zip(*found, strict=True)
        return Evaluation(np.stack(points), np.array(values), np.array(bounds), np.array(active))

    def advance(self, running: list[int]) -> None:
        self.epoch, self.running = self.epoch + 1, running
        for k in running:
            self.merged[k].merge(self.sums.pop(k), self.settings.anchor == "auto")

    def state(self) -> dict[str, Any] | None:
        held: list[dict[int, dict]] = [{} for _ in self.parts]
        for key, group in self.groups(self.running).items():
            shards = self.executor.each_at_home(shard_states, self.parts, (key, self.epoch - 1, group))
            if None in shards:  # a worker has died: the next round builds what it held anew
                return None
            for states, some in zip(held, shards, strict=True):
                states |= some
        merged = {k: merged.state() for k, merged in enumerate(self.merged)}
        return {"epoch": self.epoch, "merged": merged, "shards": dict(enumerate(held))}

    def resume(self, state: dict[str, Any]) -> None:
        require_like({"epoch": state["epoch"]}, {"epoch": 0})
        self.epoch = state["epoch"]
        for k, merged in enumerate(self.merged):
            merged.resume(state["merged"][str(k)])
        running = sorted(map(int, state["shards"]["0"]))
        for key, group in self.groups(running).items():
            saved = [self._saved_shards(state["shards"][str(k)], group, k) for k in range(len(self.parts))]
            self.executor.each_at_home(restore, saved, (key, self.epoch - 1))

    def _saved_shards(self, states: dict[str, dict], group: list[int], place: int) -> Any:
        some = {str(k): states[str(k)] for k in group}
        return self.executor.make(SavedShards, self.parts[place], some, place=place)

    def close(self) -> None:
        self.executor.forget(forget, self.key)


def solve(
    problem: DistributedProblem, settings: Settings, passes: int, report: Report, slot: CheckpointSlot
) -> list[Fit]:
    """Fits of all models: rounds until each has its proof, `max_iter` rounds or the time is over."""
    solver = LocalModeSolver(problem, settings, passes)
    fits = driver.run_to_end(solver, settings, report, slot)
    return [fit._replace(w=fit.w[: solver.columns]) for fit in fits]
