"""Anchored dual sweeps: one dual value per row, the anchor re-centred at each sweep's average, a proof at any time.

The anchored problem f(w) + kappa/2 |w - w_0|^2 is (mu + kappa)-strongly convex, so dual coordinate ascent makes much of one
sweep over the rows; moving w_0 to the sweep's own average takes kappa out again (a proximal point method). The first pass
is dual averaging with anchor w_0 = 0. The dual values are feasible whatever the anchor, so at any time

    f* >= theta D + min_{|w| <= R} mu/2 |w|^2 + l1 |w|_1 - theta <g, w> ,    g = mean b_i x_i,  D = -mean phi*(-b_i)

for theta = 1, and since no loss is negative for every theta in [0, 1]. Relatives: proximal point and Catalyst methods,
accelerated Prox-SDCA (Shalev-Shwartz and Zhang 2014), LIBLINEAR's dual coordinate descent with shrinking.
"""

import time
from typing import NamedTuple

import numpy as np

from cesaro.linear import passes, tune
from cesaro.linear.dual_bound import lower_bound
from cesaro.linear.loss_codes import code_of
from cesaro.linear.rows import Fit, Problem


class State(NamedTuple):
    """What a warm start needs: the dual values and the point to anchor at."""

    b: np.ndarray
    w: np.ndarray


def solve(
    problem: Problem,
    *,
    tol=1e-3,
    max_iter=1000,
    time_limit=None,
    seed=0,
    anchor="auto",
    start=None,
    report=None,
) -> Fit:
    """Minimise `problem` until (objective - lower_bound) / max(objective, 1e-3 objective at w = 0) <= tol.

    `tol` 0 or None runs max_iter sweeps. `anchor` is c (the first step is at most c / mean |x|^2; 0 is no anchor), "auto"
    chooses it from the data. `report(epoch, objective, lower_bound)` is called after every evaluation. The answer is the
    point of lowest objective; KeyboardInterrupt and time_limit (seconds) end a run early and leave it usable.
    """
    began = time.perf_counter()
    rows, y, v, loss, mu, l1, radius = problem
    code, param = code_of(loss)
    d, x = rows.d, int(np.random.default_rng(seed).integers(1, 2**32))
    record, order, rest = np.empty((rows.n, 4)), np.empty(rows.n, np.uint32), np.empty(rows.n, np.uint32)
    n, zero, R = passes.prepare(rows, y, v * (np.count_nonzero(v) / v.sum()), code, param, record, order)
    order = order[:n]
    x = passes.shuffle(order, x)
    H, center, g = np.zeros((d + 1, 2)), np.zeros(d + 1), np.zeros(d + 1)
    S, SA = np.zeros(d + 1), 0.0
    upper, lower, chosen = zero, 0.0, np.zeros(d + 1)
    history = [(0, time.perf_counter() - began, upper, lower, n)]
    e = raised = changes = 0
    slack, status = 0.2, "max_iter"
    try:
        c = tune.choose(rows, record, order, code, param, R, mu) if anchor == "auto" else anchor
        while e < max_iter:
            for _ in range(1 if e < 2 else int(np.clip(round(0.5 * n / max(1, len(order))), 1, 3))):
                e += 1
                if e == 1:
                    K = R / c
                    C, A, kept, ch = passes.sweep(rows, record, order, H, code, param, K, mu, None, radius, slack)
                    g = H[:, 0] / n
                    c = max(c, 0.3)
                else:
                    H[:, 1] = 0.0
                    C, A, kept, ch = passes.sweep(
                        rows, record, order, H, code, param, K + n * mu, 0.0, None, radius, slack
                    )
                    g = (H[:, 0] - K * center) / n
                changes += ch
                average = (C * H[:, 0] + H[:, 1]) / A
                K = R / c
                previous, center = center, average
                H[:, 0] = K * center + n * g
                order = order[:kept]
                weight = e**4 - (e - 1) ** 4
                S += weight * average
                SA += weight
                x = passes.shuffle(order, x)
                if e >= max_iter or kept == 0:
                    break
            w = S / SA
            mean, dual, size, k = passes.evaluate(rows, record, w, code, param, slack, rest)
            f = mean + mu / 2 * w @ w
            drift = np.sqrt(n) * size + np.sqrt(changes) * (np.abs(w) @ np.abs(H[:, 0])) / n
            if f < upper:
                upper, chosen = f, w
            lower = max(lower, lower_bound(dual, g, mu, l1, radius) - 4 * np.finfo(float).eps * drift)
            history.append((e, time.perf_counter() - began, upper, lower, k))
            if report is not None:
                report(e, upper, lower)
            if tol and upper - lower <= tol * max(upper, 1e-3 * zero):
                status = "converged"
                break
            if time_limit is not None and time.perf_counter() - began > time_limit:
                status = "time_limit"
                break
            M = K / n + mu
            kappa = K / n
            inner = (kappa * previous + g) / M
            inner_gap = (
                f
                + kappa / 2 * (w - previous) @ (w - previous)
                - (dual - M / 2 * inner @ inner + kappa / 2 * previous @ previous)
            )
            if e >= raised + 8 and inner_gap < 0.3 * (upper - lower):
                c, raised = 2 * c, e
                K = R / c
                H[:, 0] = K * center + n * g
            order = rest[:k].copy()
            x = passes.shuffle(order, x)
    except KeyboardInterrupt:
        status = "interrupted"
    names = ("epoch", "time", "objective", "lower_bound", "active")
    trace = dict(zip(names, np.array(history, dtype=float).T, strict=True))
    return Fit(chosen[: rows.width], upper, lower, e, trace, status, State(record[:, 0].copy(), chosen))
