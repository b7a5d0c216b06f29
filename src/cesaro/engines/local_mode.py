"""The local mode: rounds of anchored sweeps. Every partition's dual values stay on its worker, in a state held there.

A round is one task per partition: judge the last round's point, then sweep. What a worker holds is not data that Dask
knows: if it dies, the next one to be asked builds the state anew, with the dual values that the present point suggests.
That costs progress, never a proof: every answer says what is really held, and the bound is made of the answers.
"""

import math
import time
import uuid
from typing import Any, NamedTuple

import numpy as np

from cesaro.engines.checkpoints import flat, nested
from cesaro.engines.problems import Ready, Whole
from cesaro.linear.problem.problem import Fit, Problem
from cesaro.linear.solvers.anchored.shards import Answer, Merged, Shard, Turn, choose_anchor
from cesaro.linear.solvers.dispatch import Settings
from cesaro.storage.checkpoint import Place


class Order(NamedTuple):
    """What a round asks of every partition; models that are done are not asked."""

    key: str  # of the run
    number: int  # of the round
    seed: int
    turns: dict[int, Turn]


class Held:
    """A partition's state on its worker: a shard for each model, the number of the last round and its answers."""

    def __init__(self, shards: dict[int, Shard], number: int):
        self.shards, self.number = shards, number
        self.answers: dict[int, Answer] = {}


class Kept(NamedTuple):
    """A partition and the states that its shards had."""

    ready: Ready
    shards: dict[str, dict]


_HELD: dict[tuple[str, int], Held] = {}


def build(ready: Ready, order: Order, place: int) -> Held:
    """A state where there is none."""
    shards = {}
    for model, turn in order.turns.items():
        shards[model] = Shard(ready.problems[model], (order.seed, place, order.number))
        if order.number > 0:
            shards[model].adopt(turn.w)
    return Held(shards, order.number - 1)


def take_turn(ready: Ready, order: Order, place: int) -> dict[int, Answer]:
    """One partition's round. Asked twice, it answers the same; a state that missed a round is built anew."""
    held = _HELD.pop((order.key, place), None)
    if held is None or held.number not in (order.number, order.number - 1):
        held = build(ready, order, place)
    if held.number == order.number - 1:
        answers = {model: held.shards[model].take(turn) for model, turn in order.turns.items()}
        held.number, held.answers = order.number, answers
    _HELD[order.key, place] = held
    return held.answers


def recount(ready: Ready, order: tuple[str, int, list[int]], place: int) -> dict[int, dict] | None:
    """The states of some models' shards after a round; None if this worker does not hold them."""
    key, number, models = order
    held = _HELD.get((key, place))
    if held is None or held.number != number:
        return None
    return {model: held.shards[model].state() for model in models}


def restore(kept: Kept, order: tuple[str, int], place: int) -> None:
    """Hold what was held after a round of an earlier run."""
    key, number = order
    shards = {int(model): Shard(kept.ready.problems[int(model)], 0) for model in kept.shards}
    for model, state in kept.shards.items():
        shards[int(model)].resume(state)
    _HELD[key, place] = Held(shards, number)


def forget(key: str) -> None:
    """Drop the states of a run."""
    for name in [name for name in _HELD if name[0] == key]:
        del _HELD[name]


class Model:
    """One model's way through the rounds: what is common, the best point, the history."""

    def __init__(self, whole: Whole, sample: Problem, settings: Settings):
        self.settings, seed = settings, settings.seed
        R, K = choose_anchor(sample, whole.n, seed)
        if settings.anchor != "auto":
            K = sample.mu * float(settings.anchor)
        self.merged = Merged(sample, whole.n, R, K)
        self.w = self.best = np.zeros(sample.rows.d + 1)
        self.width = sample.rows.width
        self.upper, self.lower, self.zero = math.inf, 0.0, 0.0
        self.history: list[tuple] = []
        self.status = ""

    def state(self) -> dict[str, Any]:
        """Where the model stands between two rounds; time that has run out is not a part of it."""
        mine = {name: getattr(self, name) for name in ("w", "best", "upper", "lower", "zero")}
        status = "" if self.status == "time_limit" else self.status
        return mine | {"status": status, "history": np.array(self.history), "merged": self.merged.state()}

    def resume(self, state: dict[str, Any]) -> None:
        """Stand where an earlier run stood."""
        self.merged.resume(state.pop("merged"))
        vars(self).update(state | {"history": [tuple(row) for row in state["history"].tolist()]})

    def turn(self, passes: int) -> Turn:
        """What to ask next: in the end only what the last point is worth."""
        last = self.merged.e >= self.settings.max_iter
        return self.merged.turn(self.w, 0 if last else passes, self.settings.tol)

    def take(self, answers: list[Answer], seconds: float, late: bool) -> None:
        """The round's answers: judge, stop or go on. What is late stands where it would go on."""
        merged, tol = self.merged, self.settings.tol
        f, bound = merged.judged(self.w, answers)
        if not self.history:
            self.zero = f
        if f < self.upper:
            self.upper, self.best = f, self.w
        self.lower = max(self.lower, min(bound, self.upper))
        active = sum(answer.active for answer in answers)
        self.history.append((merged.e, seconds, self.upper, self.lower, active))
        if tol > 0.0 and self.upper - self.lower <= tol * max(self.upper, 1e-3 * self.zero):
            self.status = "converged"
        elif merged.e >= self.settings.max_iter:
            self.status = "max_iter"
        else:
            merged.swept(answers, self.settings.anchor == "auto")
            self.w = merged.total / merged.weights if merged.e % 3 else merged.center
            self.status = "time_limit" if late else ""

    def fit(self) -> Fit:
        """The best point so far, with its proof."""
        names = ("epoch", "time", "objective", "lower_bound", "active")
        history = dict(zip(names, np.array(self.history, dtype=float).reshape(-1, 5).T, strict=True))
        status = self.status or "interrupted"
        return Fit(self.best[: self.width], self.upper, self.lower, int(self.history[-1][0]), history, status)


def solve(
    engine, parts: list, whole: Whole, samples: list[Problem], settings: Settings, passes: int, report, slot: Place
) -> list[Fit]:
    """Fits of all models: rounds until each has its proof, `max_iter` rounds or the time is over.

    `slot` keeps the state between rounds, the workers' dual values included, and has that of a run to go on with.
    """
    began, key, number = time.perf_counter(), uuid.uuid4().hex, 0
    limit = math.inf if settings.time_limit is None else began + settings.time_limit
    models = [Model(whole, sample, settings) for sample in samples]

    def state():
        going = [k for k, model in enumerate(models) if model.status in ("", "time_limit")]
        shards = engine.each_at_home(recount, parts, (key, number - 1, going))
        if None in shards:  # a worker has died: the next round builds what it held anew
            return None
        here = {"number": number, "seconds": time.perf_counter() - began, "shards": dict(enumerate(shards))}
        return flat(here | {"models": {k: model.state() for k, model in enumerate(models)}})

    try:
        if slot.kept is not None:
            kept = nested(slot.kept)
            number, began = kept["number"], began - kept["seconds"]
            for k, model in enumerate(models):
                model.resume(kept["models"][str(k)])
            held = [engine.make(Kept, part, kept["shards"][str(k)], place=k) for k, part in enumerate(parts)]
            engine.each_at_home(restore, held, (key, number - 1))
        while left := {k: model for k, model in enumerate(models) if not model.status}:
            turns = {k: model.turn(passes) for k, model in left.items()}
            answers = engine.each_at_home(take_turn, parts, Order(key, number, settings.seed, turns))
            late = time.perf_counter() >= limit
            for k, model in left.items():
                model.take([answer[k] for answer in answers], time.perf_counter() - began, late)
                report(k, *model.history[-1][0:1], *model.history[-1][2:4])
            number += 1
            if any(model.status in ("", "time_limit") for model in models):
                slot.offer(state, now=late)
    except KeyboardInterrupt:
        if any(not model.history for model in models):
            raise
    finally:
        engine.forget(forget, key)
    return [model.fit() for model in models]
