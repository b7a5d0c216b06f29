"""The anchor, chosen from the data: candidates make a first pass over a sample of the rows, downhill from the middle one.

An anchor of strength K = R / c, with R the mean of |x|^2, makes the first step at most c / R: so c is a step size in
units that do not depend on the scale of X. A step that is best after m rows is too long for n of them: (m/n)^(1/3)
corrects it.
"""

import math

import numpy as np

from cesaro.linear.problem.mean_loss import mean_loss
from cesaro.linear.solvers.anchored import kernels as passes

WIDEST = 500_000  # features up to which a point for every candidate is worth its time
SAMPLE = 50_000  # rows at most of a file, where each may be a page to be read
FACTOR, LEAST, MOST = 4.0, -4, 3  # candidates are powers of this, from this one to that one


def choose(run):
    """The best c on a sample of the rows of the run's order, which is shuffled."""
    n, order = run.n, run.order
    if run.mu * n >= 10.0 * run.R or run.rows.d > WIDEST:
        return 0.5
    m = min(n, max(n // 60, 2000), SAMPLE if run.layout is not None else n)
    if len(order) < n:  # a sample itself
        m = min(m, 2 * len(order) // 3)
    fresh = order[m : m + m // 2] if n >= 2 * m else order
    best, found = 0, dict[int, float]()
    while missing := [k for k in (best, best - 1, best + 1) if k not in found and LEAST <= k <= MOST]:
        found |= {k: objective(run, order[:m], fresh, run.R / FACTOR**k) for k in missing}
        best = min(found, key=lambda k: math.inf if math.isnan(found[k]) else found[k])
    return FACTOR**best * (m / n) ** (1 / 3)


def objective(run, order, fresh, K):
    """The objective, without L1, at the average of a first pass over `order` with the anchor K; its loss is on `fresh`."""
    record, H, loss = run.record, np.zeros_like(run.H), (run.code, run.param)
    C, A, *_ = passes.sweep(
        run.rows, record, order.copy(), H.reshape(-1), *loss, K, run.mu, None, run.radius, run.slack
    )
    record[order, passes.B] = 0.0
    w = (C * H[:, 0] + H[:, 1]) / A
    return mean_loss(run.rows, record[:, passes.Y], record[:, passes.V], fresh, *loss, w) + run.mu / 2.0 * (w @ w)
