"""The mean loss near a point as a quadratic model, and its minimum over the working set: one prox-Newton step.

Epochs of coordinate descent minimise the model and the penalty; every few of them Anderson's extrapolation of the iterates
is tried (Bertrand and Massias 2021). Of the squared error the model is exact. Of other losses a line search finds how far
to go, and the curvatures are between Newton's and those of a parabola above the loss: nearer to the former while steps
are accepted whole.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cesaro.dual_form import LOGISTIC, NO_LIMIT, DualForm
from cesaro.linear.problem.problem import objective
from cesaro.linear.solvers.coordinate_descent import kernels
from cesaro.linear.solvers.coordinate_descent.kernels import SLOPE
from cesaro.linear.solvers.coordinate_descent.working_set import Entries

EPOCHS = 10  # of coordinate descent in one model
MEMORY = 5  # iterates that are extrapolated
ENOUGH = 0.03  # an epoch that lowers the model by that much of what the first has is the last
EXACT = 0.1  # where the model is exact, as much less
SUFFICIENT = 0.01  # decrease, as a part of what the model promises
DAMPING = (0.1, 1e-4)  # of Newton's curvature: at first, at least
CALMER, BOLDER = 8.0, 0.25  # what damping is multiplied with after a step that was too long, and after one that was not
EPS = float(np.finfo(float).eps)
CENTRED = 1e-9  # what the slopes may sum to beside their sizes, where the intercept is best


class Penalty(NamedTuple):
    """mu/2 |w|^2 + l1 |w|_1 + M/2 c^2, c the intercept."""

    mu: float
    l1: float
    M: float

    def at(self, w: np.ndarray, c: float) -> float:
        """Its value."""
        return float(objective(self.M / 2.0 * c * c, w, self.mu, self.l1))


def is_quadratic(loss: DualForm) -> bool:
    """Whether the loss is a parabola, so that the model is exact."""
    unbounded = min(-loss.low, loss.high) >= NO_LIMIT
    return loss.kind != LOGISTIC and loss.eps == 0.0 and unbounded


class LocalModel:
    """Predictions p of the rows, the intercept c that is in them, and the model of the mean loss around them."""

    def __init__(self, y: np.ndarray, s: np.ndarray, loss: Any, penalty: Penalty, has_intercept: bool):
        self.y, self.s, self.loss, self.penalty, self.has_intercept = y, s, loss, penalty, has_intercept
        self.exact, self.damping = is_quadratic(loss), DAMPING[0]
        self.p, self.r, self.h = np.zeros((3, len(y)))
        self.mean = self.slopes = self.bends = self.c = 0.0

    def linearise(self) -> None:
        """The model at the present predictions."""
        found = kernels.linearise(self.y, self.s, self.loss, self.p, self.damping, self.r, self.h)
        self.mean, self.slopes, self.bends = found

    def best_shift(self) -> float:
        """By how much the intercept is to change, by the model, where nothing else does."""
        curvature = self.bends + self.penalty.M
        return self.excess / curvature if curvature > 0.0 else 0.0

    def centre(self) -> None:
        """Linearise at the best intercept for the weights as they are: Newton steps, kept inside a bracket."""
        if not self.has_intercept:
            self.linearise()
            return
        damping, self.damping = self.damping, DAMPING[1]
        self.linearise()
        low, high, before = -math.inf, math.inf, math.inf
        for _ in range(100):
            size = abs(self.excess)
            if size <= CENTRED * float(np.abs(self.r).sum()):
                break
            low, high = (self.c, high) if self.excess > 0.0 else (low, self.c)
            there = self.c + self.best_shift()
            if math.isfinite(high - low) and (size > 0.5 * before or not low < there < high):
                there = (low + high) / 2.0
            if there in (low, high, self.c):
                break
            self.p += there - self.c
            self.c, before = there, size
            self.linearise()
        self.damping = damping
        self.linearise()

    @property
    def excess(self) -> float:
        """Minus the objective's derivative in the intercept: it falls as the intercept grows."""
        return self.slopes - self.penalty.M * self.c if self.has_intercept else 0.0

    def minimise(
        self, entries: Entries, chosen: np.ndarray, columns: np.ndarray, old: np.ndarray, must_end: Callable[[], bool]
    ) -> np.ndarray:
        """Weights of the chosen columns that lower the objective, from `old`; the predictions follow.

        `must_end` tells that there is no time for another epoch on the model.
        """
        slopes = self.r.copy()
        w, shift = self._descend(entries, chosen, columns, old.copy(), -self.best_shift(), must_end)
        step = np.full(len(self.p), -shift)
        kernels.add_columns(*entries, chosen, w - old, step)
        t = 1.0 if self.exact else self._line_search(slopes, step, old, w, -shift)
        self.damping = max(DAMPING[1], self.damping * BOLDER) if t == 1.0 else min(1.0, self.damping * CALMER)
        self.p += t * step
        self.c -= t * shift
        return w if t == 1.0 else old + t * (w - old)

    def _descend(self, entries, chosen, columns, w, shift, must_end):
        """Epochs on the model, from w and the intercept's shift."""
        pull = 1.0 / (self.bends + self.penalty.M) if self.has_intercept and self.bends > 0.0 else 0.0
        enough, past, first = ENOUGH * (EXACT if self.exact else 1.0), [w.copy()], 0.0
        for k in range(EPOCHS):
            fell, shift = kernels.descend(
                *entries, chosen, columns, w, self.r, self.h, shift, pull, self.penalty.mu, self.penalty.l1
            )
            first = fell if k == 0 else first
            if fell <= enough * first or must_end():
                break
            past.append(w.copy())
            if len(past) > MEMORY:
                w, shift = self._extrapolated(entries, chosen, columns, np.array(past), shift, pull)
                past = [w.copy()]
        return w, shift

    def _extrapolated(self, entries, chosen, columns, past, shift, pull):
        """The best affine combination of the iterates by Anderson's rule, if it is better than the last one."""
        w, moves = past[-1].copy(), np.diff(past, axis=0)
        gram = moves @ moves.T
        gram.flat[:: len(gram) + 1] += 1e-10 * np.trace(gram)
        try:
            share = np.linalg.solve(gram, np.ones(len(gram)))
        except np.linalg.LinAlgError:
            return w, shift
        trial = np.where(w == 0.0, 0.0, share @ past[1:] / share.sum())
        if not np.isfinite(trial).all():
            return w, shift
        r, moved = self.r.copy(), shift + pull * float(columns[:, kernels.MEAN] @ (trial - w))
        kernels.subtract_columns(*entries, chosen, trial - w, r, self.h)
        here = kernels.model_value(self.r, self.h, shift) + self.penalty.at(w, self.c - shift)
        there = kernels.model_value(r, self.h, moved) + self.penalty.at(trial, self.c - moved)
        if there < here:
            self.r[:] = r
            return trial, moved
        return w, shift

    def _line_search(self, slopes, step, old, w, shift) -> float:
        """The first of 1, 1/2, 1/4, ... that lowers the objective by enough; 0 if none does."""
        before = self.penalty.at(old, self.c)
        promised = self.penalty.at(w, self.c + shift) - before - float(slopes @ step)
        value, t = self.mean + before, 1.0
        while t > 1e-9:
            there = kernels.mean_loss_along(self.y, self.s, self.loss, self.p, step, t)
            there += self.penalty.at(old + t * (w - old), self.c + t * shift)
            if there <= value + SUFFICIENT * t * promised + 4.0 * EPS * abs(value):
                return t
            t /= 2.0
        return 0.0

    def measure(self, entries: Entries, chosen: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """What epochs need to know of the chosen columns, into `columns`; returns their <x, r>."""
        kernels.measure_set(*entries, chosen, self.r, self.h, columns)
        return columns[:, SLOPE]
