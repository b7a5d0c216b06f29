"""The anchor's first weight: candidates make a first epoch over a sample of the rows.

A prox weight K = mean|x|^2 / c makes the first step at most c / mean|x|^2: so c is a step in the units of `initial_step`.
"""

import numpy as np

from cesaro.linear.problem.mean_loss import mean_loss
from cesaro.linear.problem.problem import objective
from cesaro.linear.solvers.anchored import kernels
from cesaro.linear.solvers.anchored.dual_state import SolverState
from cesaro.linear.solvers.anchored.kernels import B, V, Y
from cesaro.linear.solvers.initial_step import best_step

WIDEST = 500_000  # features up to which a point for every candidate is worth its time
SAMPLE = 50_000  # rows at most of a file, where each may be a page to be read


def first_step(state: SolverState) -> float:
    """The best c on a sample of the state's active rows, which are shuffled."""
    n, order = state.n, state.active
    if state.mu * n >= 10.0 * state.mean_square or state.rows.d > WIDEST:
        return 0.5
    m = min(n, max(n // 60, 2000), SAMPLE if state.layout is not None else n)
    if len(order) < n:  # a sample itself
        m = min(m, 2 * len(order) // 3)
    fresh = order[m : m + m // 2] if n >= 2 * m else order
    return best_step(lambda c: trial(state, order[:m], fresh, state.mean_square / c)) * (m / n) ** (1 / 3)


def trial(state: SolverState, order: np.ndarray, fresh: np.ndarray, prox_weight: float) -> float:
    """The objective, without L1, at the average of a first epoch over `order`; its loss is that of the rows `fresh`."""
    rows, record, h_and_r = state.rows, state.record, np.zeros_like(state.h_and_r)
    C, weights, *_ = kernels.run_epoch(
        rows,
        record,
        order.copy(),
        h_and_r.reshape(-1),
        state.loss,
        prox_weight,
        state.mu,
        None,
        state.radius,
        state.slack,
    )
    record[order, B] = 0.0
    w = (C * h_and_r[:, 0] + h_and_r[:, 1]) / weights
    return objective(mean_loss(rows, record[:, Y], record[:, V], fresh, state.loss, w), w, state.mu)
