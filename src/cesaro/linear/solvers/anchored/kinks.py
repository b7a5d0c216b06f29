"""A point on the kinks: where the losses are piecewise linear, the optimum is held by the rows inside their box.

A row whose dual value is strictly inside its box predicts exactly its kink at the optimum. So the point nearest to w
with

    <x_i, w> = kink_i   for those rows

loses w's error in all the directions in which the objective is sharp; what is left counts only squared. The rows are
guessed from the dual values of an epoch: a wrong guess costs an evaluation, never a proof.
"""

import numpy as np

from cesaro.compiled.blas_threads import one_blas_thread
from cesaro.linear.solvers.anchored import records

MANY = 1 << 20  # active rows
MOST = 500  # rows: beyond that the system costs more than epochs do


def rows_at_a_kink(state):
    """The rows among the active ones that are inside their box, and their kinks."""
    b, y = state.record[state.active, records.B], state.record[state.active, records.Y]
    low, high = state.loss.bounds(y)
    inside = (b > low) & (b < high)
    if state.loss.eps > 0.0:
        inside &= b != 0.0
    return state.active[inside], (y - np.sign(b) * state.loss.eps)[inside]


def project_onto_kinks(state, w):
    """The nearest point to w on the kinks; w itself where there are none, too many, or an L1 term or a ball."""
    if not state.loss.linear or state.l1 > 0.0 or state.radius < np.inf:
        return w
    if len(state.active) > MANY:
        return w
    rows, kink = rows_at_a_kink(state)
    if not 0 < len(rows) <= min(MOST, 2 * len(w)) or len(rows) * len(w) > 10**6:
        return w
    X = np.zeros((len(rows), len(w)))
    low, high = state.rows.ptr[rows].astype(np.intp), state.rows.ptr[rows + 1].astype(np.intp)
    entry = np.concatenate([np.arange(a, b) for a, b in zip(low, high, strict=True)])
    values = 1.0 if state.rows.data is None else state.rows.data[entry]
    X[np.repeat(np.arange(len(rows)), high - low), state.rows.col[entry]] = values
    X[:, -1] = state.rows.bias
    with one_blas_thread():
        gram = X @ X.T
        gram[np.diag_indices_from(gram)] += 1e-10 * np.trace(gram) / len(rows) + 1e-300
        return w + X.T @ np.linalg.solve(gram, kink - X @ w)
