"""The anchor's first weight: candidates make a first epoch over a sample of the rows.

A prox weight K = mean|x|^2 / c makes the first step at most c / mean|x|^2: so c is a step in the units of `initial_step`.
"""

import math

import numpy as np

from cesaro.linear.problem.mean_loss import mean_loss
from cesaro.linear.problem.problem import objective
from cesaro.linear.solvers.anchored import kernels
from cesaro.linear.solvers.anchored.dual_state import SolverState
from cesaro.linear.solvers.anchored.records import B, V, Y
from cesaro.linear.solvers.initial_step import best_step

SAMPLE = 50_000  # rows at most of a file, where each may be a page to be read


def first_step(state: SolverState) -> float:
    """The best c on a sample of the state's active rows, which are shuffled."""
    n, order = state.n, state.active
    if state.wide:  # no sample need tell; half of K suffices where the center is an average of a few points
        return 2.0 * step_for_wide_rows(state.mean_square, n, state.mu)
    if state.mu * n >= 10.0 * state.mean_square:
        return 0.5
    m = min(n, max(n // 60, 2000), SAMPLE if state.layout is not None else n)
    if len(order) < n:  # a sample itself
        m = min(m, 2 * len(order) // 3)
    fresh = order[m : m + m // 2] if n >= 2 * m else order
    return best_step(lambda c: trial(state, order[:m], fresh, state.mean_square / c)) * (m / n) ** (1 / 3)


def step_for_wide_rows(mean_square: float, n: int, mu: float) -> float:
    """c for rows that hardly meet: K is the lesser of mean |x|^2 and its geometric mean with n mu."""
    return max(1.0, math.sqrt(mean_square / (n * mu))) if mu > 0.0 else 1.0


def trial(state: SolverState, order: np.ndarray, fresh: np.ndarray, prox_weight: float) -> float:
    """The objective, without L1, at the average of a first epoch over `order`; its loss is that of the rows `fresh`."""
    rows, record, h, w = state.rows, state.record, np.zeros(state.rows.d + 1), np.empty(state.rows.d + 1)
    kernels.run_epoch(
        rows, record, order.copy(), h, 0.0, state.loss, prox_weight, state.mu, None, state.radius, state.free, state.slack,
        state.parts(first=True), w,
    )  # fmt: skip
    record[order, B] = 0.0
    return objective(mean_loss(rows, record[:, Y], record[:, V], fresh, state.loss, w), w, state.mu)
