"""The one loop under every solver: start, epoch, evaluate, stop; checkpoint, interrupt, time limit.

A solver runs epochs of one or several models and can say what their points are worth. When to evaluate is its own affair;
whether to stop, what is best so far, what is recorded and saved is decided here. A run that goes on from a checkpoint gives
the bits of one that never stopped: what is saved is the state before an evaluation that only the clock has caused.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cesaro.linear.problem.problem import TWO_CLASSES, Fit, History
from cesaro.linear.solvers.expected_time import ExpectedTime
from cesaro.linear.solvers.model_log import ModelLog
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import ANEW, NULL_SLOT, CheckpointSlot
from cesaro.storage.states import CheckpointError, flatten, require_like, unflatten

PATIENCE = 0.1  # seconds that an evaluation may take after Ctrl-C; if it takes longer the one before has to do
Report = Callable[[int, int, float, float], None]  # model, epoch, objective, lower bound


class Evaluation(NamedTuple):
    """Points of the models that were asked for, and what is known of them."""

    points: np.ndarray  # (k, width)
    objective: np.ndarray  # (k,)
    lower_bound: np.ndarray  # (k,) of the optimum, proved
    active: np.ndarray  # (k,) rows


class Solver(ABC):
    """Epochs of one or several models; `running` lists those that are not done."""

    epoch: int = 0
    width: int  # of a point
    models: int = 1
    together: bool = False  # whether the models end together
    at_zero: np.ndarray | None  # (models,) objectives at w = 0; None: the first evaluation, at epoch 0, finds them
    count: int  # rows with weight
    least_unit: float = TWO_CLASSES  # `Problem.least_unit`
    entries: int = 0  # of the rows that an epoch visits, times models; 0 if it cannot be said
    preparation: float = 0.0  # seconds that it took to begin, if they were of the kind that an evaluation takes
    must_end: Callable[[], bool] = staticmethod(lambda: False)  # whether to leave an epoch of several steps between two

    @abstractmethod
    def advance(self, running: list[int]) -> None:
        """One epoch."""

    @abstractmethod
    def evaluate(self, running: list[int], tol: float, last: bool) -> Evaluation:
        """What the models' points are worth; `last` tells that no epoch will follow."""

    @abstractmethod
    def evaluation_due(self, history: History, tol: float) -> bool:
        """Whether to evaluate before the next epoch, given what a running model has found."""

    @abstractmethod
    def state(self) -> dict[str, Any] | None:
        """What it takes to go on as if nothing had happened; None if that cannot be said now."""

    @abstractmethod
    def resume(self, state: dict[str, Any]) -> None:
        """Go on from the state of an earlier run of the same problem; CheckpointError if it can be none."""

    def place(self, k: int) -> np.ndarray:
        """Zeros: where the best point of model k will be."""
        return np.zeros(self.width)

    def known_points(self) -> Evaluation | None:
        """Points from before, to be returned unless better ones are found."""
        return None

    def restart(self) -> bool:
        """After a first epoch that exploded: begin again with smaller steps, if that can be done."""
        return False

    def hands_over(self, running: list[int]) -> bool:
        """Whether the models that are left are to be solved in another way: their status is then "max_iter"."""
        return False

    def after_interrupt(self, running: list[int]) -> Evaluation | None:
        """What a Ctrl-C in the middle of an epoch leaves to be evaluated of the models that were running."""
        return None

    def close(self) -> None:  # noqa: B027  most have nothing to do
        """The loop has ended."""


class Loop:
    """Epochs of a solver until every model is done."""

    def __init__(self, solver: Solver, settings: Settings, report: Report | None, slot: CheckpointSlot):
        self.solver, self.settings, self.report, self.slot = solver, settings, report, slot
        self.began = self.epoch_began = time.perf_counter()
        self.limit = settings.ends
        zero = [None] * solver.models if solver.at_zero is None else solver.at_zero.tolist()
        self.logs = [ModelLog(solver.place(k), each, solver.count, solver.least_unit) for k, each in enumerate(zero)]
        self.first = solver.epoch
        self._heed_interrupt()
        if slot.saved is not None:
            self._resume(slot.saved)
        elif (known := solver.known_points()) is not None:
            self._offer(range(solver.models), known)
        self.resumed, self.slow = solver.epoch, False
        self.epoch_time, self.evaluation_time = ExpectedTime(solver.entries), ExpectedTime(solver.entries)
        solver.must_end = self._must_end

    @property
    def _interrupted(self) -> bool:
        return self.settings.stop is not None and self.settings.stop.is_set()

    def _heed_interrupt(self) -> None:
        """Ctrl-C reaches the main thread alone, and may be lost there."""
        if self._interrupted:
            raise KeyboardInterrupt

    def _must_end(self) -> bool:
        """Whether Ctrl-C has come, or the time is over; a run that can be gone on with has whole epochs only.

        The first evaluation is expected to take as long as the steps before it, and what prepared them.
        """
        now = time.perf_counter()
        evaluation = self.evaluation_time.seconds or now - self.epoch_began + self.solver.preparation
        return self._interrupted or (self.slot is NULL_SLOT and now + evaluation >= self.limit)

    def _resume(self, saved: dict[str, Any]) -> None:
        """Go on from what the slot has. Its checksum is right, but who wrote it is not known: nothing is believed unseen."""
        try:
            state = unflatten(saved)
            clock = {name: state[name] for name in ("first", "seconds")}
            require_like(clock, {"first": 0, "seconds": 0.0})
            self.solver.resume(state["solver"])
            if clock["first"] > self.solver.epoch:
                raise CheckpointError("it ends before it begins")
            for k, log in enumerate(self.logs):
                log.resume(state["models"][str(k)])
                if log.status == "converged" and not log.solved(
                    self.settings.tol
                ):  # it asks for more than the one before
                    log.status = ""
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            words = str(error) if isinstance(error, CheckpointError) else f"{type(error).__name__} {error}"
            raise CheckpointError(
                f"the checkpoint {self.slot.where} is no state of this fit: {words}. {ANEW}"
            ) from error
        self.first, self.began = clock["first"], self.began - clock["seconds"]

    @property
    def running(self) -> list[int]:
        """The models that are not done."""
        return [k for k, log in enumerate(self.logs) if not log.status]

    def _late(self) -> bool:
        """Whether another epoch, and the evaluation that must follow, would end after the time limit."""
        epoch = self.epoch_time.seconds
        return time.perf_counter() + epoch + (self.evaluation_time.seconds or epoch) >= self.limit

    def run(self) -> list[Fit]:
        """The fits of all models."""
        solver, settings = self.solver, self.settings
        try:
            while running := self.running:
                self._heed_interrupt()
                late = solver.epoch > self.resumed and self._late()
                last = late or solver.epoch - self.first >= settings.max_iter or solver.hands_over(running)
                if last or solver.evaluation_due(self.logs[running[0]].history, settings.tol):
                    if late:
                        self.slot.save(self._state())  # not evaluated, as it would be if time had not run out
                    self._evaluate(running, late, last)
                if running := self.running:
                    self.epoch_began = time.perf_counter()
                    self.epoch_time.of(partial(solver.advance, running))
                    self._heed_interrupt()  # the epoch may have been cut short
                    self.slot.offer(self._state)
        except KeyboardInterrupt:
            if solver.epoch == 0 or not all(len(log.history) for log in self.logs):
                raise
            new = any(log.history.rows[-1][0] < solver.epoch for log in self.logs)
            known = any(len(log.history) > 1 for log in self.logs)
            left = solver.after_interrupt(running) if new and not (known and self.slow) else None
            if left is not None:
                self._offer(running, left, record=True)
            for log in self.logs:
                log.status = log.status if log.status == "converged" else "interrupted"
        return [log.fit(self._epochs(log)) for log in self.logs]

    def _evaluate(self, running: list[int], late: bool, last: bool) -> None:
        """Evaluate, keep what is better, and decide which models are done."""
        solver, tol = self.solver, self.settings.tol
        found = self.evaluation_time.of(partial(solver.evaluate, running, tol, last))
        self.slow = self.evaluation_time.last > PATIENCE
        if solver.epoch - self.first == 1 and not late and self._exploded(found) and solver.restart():
            return
        self._offer(running, found, record=True)
        solved = {k: not late and self.logs[k].solved(tol) for k in running}
        for k in running:
            log = self.logs[k]
            if all(solved.values()) if solver.together else solved[k]:
                log.status = "converged"
            elif last:  # with time over, proved or not: it can go on as if there were no limit
                log.status = "time_limit" if late else "max_iter"
            if self.report is not None:
                self.report(k, solver.epoch, log.objective, log.lower_bound)

    def _exploded(self, found: Evaluation) -> bool:
        return self.solver.at_zero is not None and not (found.objective <= 2.0 * self.solver.at_zero).all()

    def _offer(self, running: Any, found: Evaluation, record: bool = False) -> None:
        seconds = time.perf_counter() - self.began
        for k, point, value, bound, active in zip(running, *found, strict=True):
            log = self.logs[k]
            log.offer(point, value, bound)
            if record:
                log.history.add(self.solver.epoch, seconds, log.objective, log.lower_bound, active)

    def _state(self) -> dict[str, Any] | None:
        """What a checkpoint contains, with paths for names: `solver/` what its state() says, `models/k/` each model's log
        (`ModelLog.state`), the first epoch, the seconds so far; `storage` adds the seed."""
        mine = self.solver.state()
        if mine is None:
            return None
        models = {k: log.state() for k, log in enumerate(self.logs)}
        seconds = time.perf_counter() - self.began
        return flatten({"solver": mine, "models": models, "first": self.first, "seconds": seconds})

    def _epochs(self, log: ModelLog) -> int:
        """How many a model took: those until it was done."""
        done = log.status in ("converged", "max_iter", "time_limit") and len(log.history) > 0
        return int(log.history.rows[-1][0] if done else self.solver.epoch) - self.first


def run_to_end(
    solver: Solver, settings: Settings, report: Report | None = None, slot: CheckpointSlot = NULL_SLOT
) -> list[Fit]:
    """Run a solver until each of its models has its proof, `max_iter` epochs, or the time is over."""
    try:
        return Loop(solver, settings, report, slot).run()
    except (ArithmeticError, ValueError) as error:
        if slot.saved is None or isinstance(error, CheckpointError):
            raise
        words = f"its numbers lead to {type(error).__name__} {error}"
        raise CheckpointError(f"the checkpoint {slot.where} is no state of this fit: {words}. {ANEW}") from error
    finally:
        solver.close()
        vars(solver).pop("must_end", None)  # loop and solver would hold each other, and what they have, until collected
