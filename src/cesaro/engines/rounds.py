"""The local mode: rounds of anchored sweeps. Every partition's dual values stay on its worker, in a state held there.

A round is one task per partition: judge the last round's point, then sweep. What a worker holds is not data that Dask
knows: if it dies, the next one to be asked builds the state anew, with the dual values that the present point suggests.
That costs progress, never a proof: every answer says what is really held, and the bound is made of the answers.
"""

import math
import time
import uuid
from typing import NamedTuple

import numpy as np

from cesaro.engines.problems import Ready, Whole
from cesaro.linear.rows import Fit, Problem
from cesaro.linear.runs import Settings
from cesaro.linear.shards import Answer, Merged, Shard, Turn, choose_anchor


class Order(NamedTuple):
    """What a round asks of every partition; models that are done are not asked."""

    key: str  # of the run
    number: int  # of the round
    seed: int
    turns: dict[int, Turn]


class Held:
    """A partition's state on its worker: a shard for each model, the number of the last round and its answers."""

    def __init__(self, ready: Ready, order: Order, place: int):
        self.number = order.number - 1
        self.answers: dict[int, Answer] = {}
        self.shards = {}
        for model, turn in order.turns.items():
            self.shards[model] = Shard(ready.problems[model], (order.seed, place, order.number))
            if order.number > 0:
                self.shards[model].adopt(turn.w)


_HELD: dict[tuple[str, int], Held] = {}


def take_turn(ready: Ready, order: Order, place: int) -> dict[int, Answer]:
    """One partition's round. Asked twice, it answers the same; a state that missed a round is built anew."""
    held = _HELD.pop((order.key, place), None)
    if held is None or held.number not in (order.number, order.number - 1):
        held = Held(ready, order, place)
    if held.number == order.number - 1:
        answers = {model: held.shards[model].take(turn) for model, turn in order.turns.items()}
        held.number, held.answers = order.number, answers
    _HELD[order.key, place] = held
    return held.answers


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
        self.upper, self.lower, self.zero, self.averaged = math.inf, 0.0, 0.0, math.inf
        self.history: list[tuple] = []
        self.status = ""

    def turn(self, passes: int) -> Turn:
        """What to ask next: in the end only what the last point is worth."""
        last = self.merged.e >= self.settings.max_iter
        return self.merged.turn(self.w, 0 if last else passes, self.settings.tol)

    def take(self, answers: list[Answer], seconds: float) -> None:
        """The round's answers: judge, stop or go on."""
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
        elif self.settings.time_limit is not None and seconds >= self.settings.time_limit:
            self.status = "time_limit"
        else:
            merged.swept(answers, self.settings.anchor == "auto")
            self.w = merged.total / merged.weights if merged.e % 3 else merged.center

    def fit(self) -> Fit:
        """The best point so far, with its proof."""
        names = ("epoch", "time", "objective", "lower_bound", "active")
        history = dict(zip(names, np.array(self.history, dtype=float).reshape(-1, 5).T, strict=True))
        status = self.status or "interrupted"
        return Fit(self.best[: self.width], self.upper, self.lower, self.merged.e, history, status)


def solve(engine, parts: list, whole: Whole, samples: list[Problem], settings: Settings, passes: int, report):
    """Fits of all models: rounds until each has its proof, `max_iter` rounds or the time is over."""
    began, key, number = time.perf_counter(), uuid.uuid4().hex, 0
    models = [Model(whole, sample, settings) for sample in samples]
    try:
        while left := {k: model for k, model in enumerate(models) if not model.status}:
            turns = {k: model.turn(passes) for k, model in left.items()}
            answers = engine.each_at_home(take_turn, parts, Order(key, number, settings.seed, turns))
            for k, model in left.items():
                model.take([answer[k] for answer in answers], time.perf_counter() - began)
                report(k, *model.history[-1][0:1], *model.history[-1][2:4])
            number += 1
    except KeyboardInterrupt:
        if any(not model.history for model in models):
            raise
    finally:
        engine.forget(forget, key)
    return [model.fit() for model in models]
