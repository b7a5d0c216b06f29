"""Anchored dual sweeps: one dual value per row, the anchor re-centred at each sweep's average, a proof at any time.

The anchored problem f(w) + K/(2n) |w - w_0|^2 is strongly convex enough for dual coordinate ascent to make much of one
sweep over the rows; moving w_0 to the sweep's own average takes the anchor out again (a proximal point method). The first
pass is dual averaging with w_0 = 0. The dual values are feasible whatever the anchor, so at any time

    f* >= theta D + min_{|w| <= R}  mu/2 |w|^2 + l1 |w|_1 - theta <g, w> ,     g = mean b_i x_i,  D = -mean phi*(-b_i)

for every theta in [0, 1]. Relatives: proximal point and Catalyst methods, accelerated Prox-SDCA (Shalev-Shwartz and
Zhang 2014), LIBLINEAR's dual coordinate descent with shrinking (Hsieh et al. 2008).
"""

import math
import time
from typing import NamedTuple

import numpy as np

from cesaro.linear import passes, tune
from cesaro.linear.dual_bound import lower_bound
from cesaro.linear.loss_codes import MODIFIED_HUBER, code_of
from cesaro.linear.rows import Fit, Problem, rescaled

EPS = np.finfo(float).eps


class State(NamedTuple):
    """What a warm start needs: the dual values, and the point to anchor at."""

    b: np.ndarray
    w: np.ndarray


class Run:
    """Everything that changes during a solve: the dual values, h, the anchor, the order of the rows."""

    def __init__(self, problem: Problem, seed):
        rows, y, v, loss, self.mu, self.l1, self.radius = problem
        self.rows, (self.code, self.param) = rows, code_of(loss)
        self.seed = int(np.random.default_rng(seed).integers(1, 2**32))
        self.record, self.order, self.rest = (
            np.empty((rows.n, 4)),
            np.empty(rows.n, np.uint32),
            np.empty(rows.n, np.uint32),
        )
        share = v * (np.count_nonzero(v) / v.sum())
        self.n, self.zero, self.R = passes.prepare(rows, y, share, self.code, self.param, self.record, self.order)
        self.slack = 0.2 if self.code <= MODIFIED_HUBER else 0.2 * float(np.abs(y).mean())
        self.g, self.center, self.K = np.zeros(rows.d + 1), np.zeros(rows.d + 1), 0.0
        self.H = np.zeros((rows.d + 1, 2))
        self.changes = 0
        self.visit(self.order[: self.n])

    def visit(self, order):
        """These rows next, in a new order."""
        self.order, self.seed = order, passes.shuffle(order, self.seed)

    def anchor_at(self, w, K):
        """Re-centre the anchor, and give it the strength K."""
        self.center, self.K = w, K
        self.H[:, 0], self.H[:, 1] = K * w + self.n * self.g, 0.0

    def point(self, S, T):
        """w of h."""
        h = self.H[:, 0]
        if T > 0.0:
            h = np.append(np.sign(h[:-1]) * np.maximum(np.abs(h[:-1]) - T, 0.0), h[-1])
        length = np.linalg.norm(h) / S
        return h / S * min(1.0, self.radius / length if length > 0.0 else 1.0)

    def sweep(self, first=False):
        """One pass over the order; the rows that are settled leave it. Returns the pass's average of w."""
        n, mu, l1 = self.n, self.mu * first, self.l1 * first
        S, T = self.K + n * (self.mu - mu), n * (self.l1 - l1)
        parts = 8 if self.l1 > 0.0 else 1
        average, total, kept = np.zeros_like(self.center), 0.0, []
        for k, part in enumerate(np.array_split(self.order, parts)):
            C, A, stay, changes = passes.sweep(
                self.rows, self.record, part, self.H, self.code, self.param, S, mu, (T, l1) if parts > 1 else None,
                self.radius, self.slack,
            )  # fmt: skip
            if parts > 1 and len(part):
                share = self.record[part, passes.V].sum() if first else 0.0
                S, T = S + mu * share, T + l1 * share
                weight = (k + 1.0) ** (3 * first)
                average += weight * self.point(S, T)
                total += weight
            elif parts == 1:
                average, total = C * self.H[:, 0] + self.H[:, 1], A
            kept.append(part[:stay])
            self.changes += changes
        self.g = (self.H[:, 0] - self.K * self.center) / n
        self.visit(kept[0] if parts == 1 else np.concatenate(kept))
        return average / total

    def evaluate(self, w, tol=0.0):
        """Objective at w and a lower bound; every row that is not settled at w is visited next."""
        mean, D, size, k = passes.evaluate(self.rows, self.record, w, self.code, self.param, self.slack, self.rest)
        f = mean + self.mu / 2.0 * (w @ w) + self.l1 * np.abs(w[:-1]).sum()
        drift = (
            EPS * math.sqrt(self.changes) * (np.abs(w) @ (np.abs(self.H[:, 0]) + self.K * np.abs(self.center))) / self.n
        )
        if drift > 0.01 * tol * f:
            self.gather()
            drift = EPS * math.sqrt(self.n) * (np.abs(w) @ np.abs(self.g))
        bound = lower_bound(D, self.g, self.mu, self.l1, self.radius)
        self.visit(self.rest[:k].copy())
        return float(f), bound - 4.0 * (EPS * math.sqrt(self.n) * size + drift)

    def recall(self, start, unit):
        """Take over an earlier run's dual values, if it had as many rows; its point."""
        if len(start.b) == len(self.record):
            passes.recall(start.b, self.code, self.param, self.record)
            self.gather()
        return start.w / unit

    def gather(self):
        """g afresh from the dual values."""
        g = np.zeros_like(self.g)
        passes.gather(self.rows, self.record, g)
        self.g, self.changes = g / self.n, 0
        self.anchor_at(self.center, self.K)


def solve(
    problem: Problem, *, tol=1e-3, max_iter=1000, time_limit=None, seed=0, anchor="auto", start=None, report=None
) -> Fit:
    """Minimise `problem` until (objective - lower_bound) / max(objective, 1e-3 objective at w = 0) <= tol.

    `tol` 0 or None runs max_iter sweeps. `anchor` is gamma_0 (0 is no anchor), "auto" chooses it from the data. `start` is
    the state of an earlier fit. `report(epoch, objective, lower_bound)` is called after every evaluation. The answer is
    the point of lowest objective; KeyboardInterrupt and time_limit (in seconds) end a run early and leave it usable.
    """
    began, tol = time.perf_counter(), tol or 0.0
    limit = math.inf if time_limit is None else began + time_limit
    problem, unit = rescaled(problem)
    run = Run(problem, seed)
    n, mu, R = run.n, run.mu, run.R
    upper, lower, best, status = run.zero, 0.0, np.zeros(run.rows.d + 1), "max_iter"
    total, weights, e, raised = np.zeros_like(best), 0.0, 0, 0
    history = [(0, time.perf_counter() - began, upper, lower, n)]
    try:
        c = tune.choose(run) if anchor == "auto" else R / max(mu * anchor, 1e-300)
        if start is not None:
            best = run.recall(start, unit)
            upper, lower = run.evaluate(best, tol)
            total, weights = best.copy(), 1.0
        run.anchor_at(best, R / c)
        while e < max_iter:
            for _ in range(1 if e < 2 else min(3, max(1, round(0.5 * n / max(1, len(run.order)))))):
                e += 1
                previous, average = run.center, run.sweep(first=e == 1 and start is None)
                if e == 1:
                    c = max(c, 0.3)
                run.anchor_at(average, R / c)
                weight = e**4 - (e - 1) ** 4
                total += weight * average
                weights += weight
                if e >= max_iter or not len(run.order) or time.perf_counter() > limit:
                    break
            w = total / weights
            f, bound = run.evaluate(w, tol)
            if f < upper:
                upper, best = f, w
            lower = max(lower, min(bound, upper))
            history.append((e, time.perf_counter() - began, upper, lower, len(run.order)))
            if report is not None:
                report(e, upper, lower)
            if tol > 0.0 and upper - lower <= tol * max(upper, 1e-3 * run.zero):
                status = "converged"
                break
            if time.perf_counter() > limit:
                status = "time_limit"
                break
            if not len(run.order):
                run.visit(np.flatnonzero(run.record[:, passes.V]).astype(np.uint32))
    except KeyboardInterrupt:
        status = "interrupted"
    names = ("epoch", "time", "objective", "lower_bound", "active")
    trace = dict(zip(names, np.array(history, dtype=float).T, strict=True))
    w = best[: problem.rows.width] * unit
    return Fit(w, upper, lower, e, trace, status, State(run.record[:, passes.B].copy(), best * unit))
