"""Anchored dual sweeps: one dual value per row, the anchor re-centred at each sweep's average, a proof at any time.

The anchored problem f(w) + K/(2n) |w - w_0|^2 is strongly convex enough for dual coordinate ascent to make much of one
sweep over the rows; moving w_0 to the sweep's own average takes the anchor out again (a proximal point method). The
first pass is dual averaging with w_0 = 0; the output is the average of the sweeps' averages with weights about e^3.
Relatives: proximal point and Catalyst methods, accelerated Prox-SDCA (Shalev-Shwartz and Zhang 2014), LIBLINEAR's dual
coordinate descent with shrinking (Hsieh et al. 2008).
"""

import math
import time
from typing import NamedTuple

import numpy as np

from cesaro.linear.problem.csr import compacted
from cesaro.linear.problem.problem import Fit, Problem, rescaled
from cesaro.linear.solvers.anchored import initial_anchor
from cesaro.linear.solvers.anchored import kernels as passes
from cesaro.linear.solvers.anchored.kinks import straighten
from cesaro.linear.solvers.anchored.state import Run, Standing
from cesaro.storage.checkpoint import NOWHERE, Place


class State(NamedTuple):
    """What a warm start needs: the dual values, and the point to anchor at."""

    b: np.ndarray
    w: np.ndarray


class Course(NamedTuple):
    """The loop's own numbers between two sweeps; with the run's `Standing` all that a checkpoint needs."""

    best: np.ndarray
    total: np.ndarray  # sum of weights times averages
    history: np.ndarray
    numbers: np.ndarray  # e, due, upper, lower, weights, whole, most, seconds


def pause(history, target, n):
    """Sweeps until the next evaluation: half of what the gap still needs at its present rate, within bounds."""
    e, _, upper, lower, active = history[-1]
    fewest = min(3, max(1, round(0.5 * n / max(1, active))))
    if e < 2:
        return 2 - e
    if len(history) < 3 or target <= 0.0:
        return max(fewest, min(e // 4, 10))
    e_, _, upper_, lower_, _ = history[-2]
    rate = math.log((upper_ - lower_) / (upper - lower)) / (e - e_) if upper_ - lower_ > upper - lower > 0.0 else 0.0
    needed = math.log((upper - lower) / target) / rate if rate > 0.0 else math.inf
    return int(max(fewest, min(needed / 2.0, 1 + e // 4, 10)))


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
    slot: Place = NOWHERE,
) -> Fit:
    """Minimise `problem` until (objective - lower_bound) / max(objective, 1e-3 objective at w = 0) <= tol.

    `tol` 0 or None runs max_iter sweeps. `anchor` is gamma_0 (0 is no anchor), "auto" chooses it from the data. `start`
    is the state of an earlier fit. `report(epoch, objective, lower_bound)` is called after every evaluation. `slot`
    keeps the state between sweeps, and has that of a run to go on with. The answer is the point of lowest objective;
    KeyboardInterrupt and time_limit (seconds) end a run early and leave it usable.
    """
    began, tol = time.perf_counter(), tol or 0.0
    limit = math.inf if time_limit is None else began + time_limit
    problem, unit = rescaled(problem)
    rows, used = compacted(problem.rows)
    run = Run(problem._replace(rows=rows), seed)
    upper, lower, best, status = run.zero, 0.0, np.zeros(run.rows.d + 1), "max_iter"
    total, weights, whole, most, e = np.zeros_like(best), 0.0, math.inf, math.inf, 0
    history = [(0, time.perf_counter() - began, upper, lower, run.n)]

    def standing():
        numbers = np.array([e, due, upper, lower, weights, whole, most, time.perf_counter() - began])
        course = Course(best, total, np.array(history, dtype=float), numbers)
        return {f"run.{k}": v for k, v in run.standing()._asdict().items()} | course._asdict()

    try:
        if slot.kept is not None:
            run.resume(Standing(*(slot.kept[f"run.{name}"] for name in Standing._fields)))
            best, total, past, numbers = (slot.kept[name] for name in Course._fields)
            e, due, upper, lower, weights, whole, most, seconds = numbers.tolist()
            e, due, history, began = int(e), int(due), [tuple(row) for row in past.tolist()], began - seconds
        else:
            K = run.R / initial_anchor.choose(run) if anchor == "auto" else run.mu * anchor
            if start is not None:
                best = run.recall(start.b, (start.w if used is None else start.w[np.append(used, -1)]) / unit)
                upper, lower = run.evaluate(best, tol)
            if run.mu == 0.0:
                K = max(K, 1e-3 * run.R, 1e-300)
            run.anchor_at(best, K)
            due = pause(history, tol * max(upper, 1e-3 * run.zero), run.n)
        before = e
        while status == "max_iter" and history[-1][0] < max_iter:
            late = e > before and time.perf_counter() > limit
            shrunk = e > 2 and len(run.order) <= 0.7 * history[-1][-1]
            if late or e >= min(due, max_iter) or shrunk:
                if late:
                    slot.save(standing())  # not looked at, as it would be if time had not run out
                average, weight = run.center, e**4 - (e - 1) ** 4
                w, trial = total / weights, len(history) % 3 if 10 <= e < max_iter else 0
                if trial == 1:  # is the last average better than the average of all?
                    w = average
                elif trial == 2:
                    w = straighten(run, w)
                f, bound = run.evaluate(w, tol)
                if f < upper:
                    upper, best = f, w
                if trial == 0:
                    whole = f
                elif trial == 1 and f < whole:
                    total, weights = weight * average, weight
                lower = max(lower, min(bound, upper))
                history.append((e, time.perf_counter() - began, upper, lower, len(run.order)))
                if report is not None:
                    report(e, upper, lower)
                if not late and tol > 0.0 and upper - lower <= tol * max(upper, 1e-3 * run.zero):
                    status = "converged"
                elif e > before and time.perf_counter() > limit:
                    status = "time_limit"  # proved or not: it can go on as if there were no limit
                if status != "max_iter" or e == max_iter:
                    continue
                due = e + pause(history, tol * max(upper, 1e-3 * run.zero), run.n)
            e += 1
            average, K = run.sweep(first=e == 1 and start is None), run.K
            if anchor == "auto":
                if e == 1:
                    K = min(K, run.R / 0.3)
                    most = 20.0 * K
                else:
                    K = min(K / run.loosen(average), most)
            run.anchor_at(average, K)
            weight = e**4 - (e - 1) ** 4
            total += weight * average
            weights += weight
            slot.offer(standing)
    except KeyboardInterrupt:
        status = "interrupted"
        if e > history[-1][0]:
            run.gather()  # a sweep may have been cut off after its last row and before its sums
            w = total / weights if weights > 0.0 else run.point(run.K + run.n * run.mu, run.n * run.l1)
            f, bound = run.evaluate(w, tol)
            if f < upper:
                upper, best = f, w
            lower = max(lower, min(bound, upper))
            history.append((e, time.perf_counter() - began, upper, lower, len(run.order)))
    names = ("epoch", "time", "objective", "lower_bound", "active")
    trace = dict(zip(names, np.array(history, dtype=float).T, strict=True))
    w = best * unit
    if used is not None:
        w = np.zeros(problem.rows.d + 1)
        w[np.append(used, -1)] = best * unit
    state = State(run.record[:, passes.B].copy(), w) if problem.layout is None else None
    return Fit(w[: problem.rows.width], upper, lower, e, trace, status, state)
