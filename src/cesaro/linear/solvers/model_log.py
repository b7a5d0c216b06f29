"""What is known of one model while its solver runs: the best point, the best bound, the history."""

import math
from typing import Any

import numpy as np

from cesaro.linear.problem.problem import Fit, History, is_solved
from cesaro.storage.states import CheckpointError, require_like

STATUSES = ("", "converged", "max_iter", "time_limit", "interrupted")  # of a model; the first while it is running


class ModelLog:
    """One model's way: the best point, the best bound, the history, and why it has stopped, if it has."""

    def __init__(self, best: np.ndarray, at_zero: float | None, count: int, least_unit: float):
        self.least_unit = least_unit
        self.best, self.objective, self.lower_bound = best, math.inf, 0.0
        self.at_zero, self.history, self.status = at_zero, History(), ""
        if at_zero is not None:
            self.objective = at_zero
            self.history.add(0, 0.0, at_zero, 0.0, count)

    def offer(self, point: np.ndarray, objective: float, lower_bound: float) -> None:
        """Keep what is better. A bound above the best objective would be rounding."""
        if self.at_zero is None:
            self.at_zero = float(objective)
        if objective < self.objective:
            self.best[:], self.objective = point, float(objective)
        if math.isfinite(lower_bound):
            self.lower_bound = max(self.lower_bound, min(float(lower_bound), self.objective))

    def solved(self, tol: float) -> bool:
        """Whether the proof that was asked for is there."""
        return bool(is_solved(self.objective, self.lower_bound, self.least_unit * (self.at_zero or 0.0), tol))

    def state(self) -> dict[str, Any]:
        """As arrays, numbers and words."""
        names = ("best", "objective", "lower_bound", "at_zero", "status")
        return {name: getattr(self, name) for name in names} | {"history": self.history.array()}

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from there."""
        require_like(state, self.state() | {"at_zero": 0.0}, lengths=("history",))
        if (
            not len(state["history"])
            or not np.isfinite(state["history"][:, 0]).all()
            or state["status"] not in STATUSES
        ):
            raise CheckpointError("the history has no epochs, or the status is none")
        self.best[:] = state.pop("best")
        vars(self).update(state | {"history": History(state["history"])})

    def fit(self, n_iter: int) -> Fit:
        """The best point with its proof."""
        status = self.status or "interrupted"
        return Fit(self.best, self.objective, self.lower_bound, n_iter, self.history.columns(), status)
