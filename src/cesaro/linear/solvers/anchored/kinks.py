"""A point on the kinks: where the losses are piecewise linear, the optimum is pinned by the rows inside their box.

A row whose dual value is strictly inside its box predicts exactly its kink at the optimum. So the point nearest to w
with

    <x_i, w> = kink_i   for those rows

loses w's error in all the directions in which the objective is sharp; what is left counts only squared. The rows are
guessed from the dual values of a sweep: a wrong guess costs an evaluation, never a proof.
"""

import numpy as np

from cesaro.compiled.blas_threads import one_blas_thread
from cesaro.linear.problem.scalar_losses import EPSILON_INSENSITIVE, HINGE, QUANTILE
from cesaro.linear.solvers.anchored import kernels as passes

MANY = 1 << 20  # rows to look at
MOST = 500  # rows: beyond that the system costs more than sweeps do


def pinned(run):
    """The rows of the run's order that are inside their box, and their kinks."""
    b, y = run.record[run.order, passes.B], run.record[run.order, passes.Y]
    if run.code == QUANTILE:
        inside, kink = (b > run.param - 1.0) & (b < run.param), y
    else:
        inside = (b != 0.0) & (np.abs(b) < 1.0)
        kink = y - np.sign(b) * run.param if run.code == EPSILON_INSENSITIVE else y
    return run.order[inside], kink[inside]


def straighten(run, w):
    """The nearest point to w on the kinks; w itself where there are none, too many, or an L1 term or a ball."""
    if run.code not in (HINGE, EPSILON_INSENSITIVE, QUANTILE) or run.l1 > 0.0 or run.radius < np.inf:
        return w
    if len(run.order) > MANY:
        return w
    rows, kink = pinned(run)
    if not 0 < len(rows) <= min(MOST, 2 * len(w)) or len(rows) * len(w) > 10**6:
        return w
    X = np.zeros((len(rows), len(w)))
    low, high = run.rows.ptr[rows].astype(np.intp), run.rows.ptr[rows + 1].astype(np.intp)
    entry = np.concatenate([np.arange(a, b) for a, b in zip(low, high, strict=True)])
    values = 1.0 if run.rows.data is None else run.rows.data[entry]
    X[np.repeat(np.arange(len(rows)), high - low), run.rows.col[entry]] = values
    X[:, -1] = run.rows.bias
    with one_blas_thread():
        gram = X @ X.T
        gram[np.diag_indices_from(gram)] += 1e-10 * np.trace(gram) / len(rows) + 1e-300
        return w + X.T @ np.linalg.solve(gram, kink - X @ w)
