"""Models of every fold and alpha, then the best alpha.

Many rows: all of them share a few epochs (path.py), good enough to compare. Few rows: each is solved to `tol`,
since then a fit is cheap and a row more or less can decide.
"""

import time
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL
from cesaro.linear.model_selection.folds import Fold
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.problem import Problem, make_problem, value_at_zero
from cesaro.linear.solvers.interrupts import some_of
from cesaro.linear.solvers.parallel import solve_all
from cesaro.linear.solvers.progress import begin
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import Loss

FEW = 500  # rows
EPOCHS, VISITS = 10, 100_000  # so many epochs, or until so many rows were visited
EVEN, LARGE = 100.0, 1e15  # largest over smallest column, and an entry, up to which few epochs are good enough
ROWS, LEAST = 10**6, 2000  # rows for all models together, and at least for each, where there is little time
SHARE = 0.75  # of a time limit, for the search; the rest is for the final fit


class Task(NamedTuple):
    """What a fold learns from: target columns, and weights of the rows."""

    columns: list[np.ndarray]
    v: np.ndarray


class Search(NamedTuple):
    """What is searched over, and how."""

    settings: Settings
    loss: Loss
    alphas: np.ndarray
    l1_ratio: float
    radius: float
    penalize_intercept: bool

    def problem(self, rows: Rows, y: np.ndarray, v: np.ndarray, alpha: float) -> Problem:
        """The problem of one alpha."""
        return make_problem(rows, y, v, self.loss, alpha, self.l1_ratio, self.radius, self.penalize_intercept)


class Found(NamedTuple):
    """Models (folds, alphas, columns, width); predictions of held-out rows (n, alphas, columns) if they came along."""

    W: np.ndarray
    held_out: np.ndarray | None
    settings: Settings  # of the final fit
    scored: np.ndarray | None = None  # which rows to score on, if not on all: where there is no time for that


def suits_one_pass(search: Search, rows: Rows, columns: list[np.ndarray]) -> bool:
    """Whether `path` can do it, is worth it, and good enough: a few epochs are not where scales differ much."""
    how = search.settings
    plain = how.averaging == "auto" and how.anchor == "auto" and how.batch_size == 1 and search.radius == np.inf
    able = plain and how.solver in ("anchored", "gda") and how.sampling == "reshuffle"
    return able and rows.n > FEW and _even(rows) and max(np.abs(y).max() for y in columns) < LARGE


def _even(rows: Rows) -> bool:
    """Whether the columns are of about the same scale, and that is one for float32."""
    top = np.zeros(rows.d, rows.data.dtype)
    largest_entries(rows.data, rows.col, top)
    top = top[top > 0.0]
    return len(top) > 0 and top.max() <= EVEN * top.min() and top.min() > 1.0 / LARGE and top.max() < LARGE


@njit(**KERNEL)
def largest_entries(data, col, top):
    """top_j = max |x_ij|."""
    for k in range(data.shape[0]):
        top[col[k]] = max(top[col[k]], abs(data[k]))


def in_one_pass(search: Search, rows: Rows, task: Task, folds: list[Fold]) -> Found:
    """All models in a few shared epochs."""
    from cesaro.linear.model_selection.path import cross_validate

    settings, begun = search.settings, time.perf_counter()
    holders = np.zeros(rows.n, dtype=np.intp)
    for k, fold in enumerate(folds):
        holders[fold.test] = k
    learns = np.stack([fold.v > 0.0 for fold in folds])
    if not (learns @ task.v).all():
        raise ValueError(
            "a fold has no row with a weight to learn from. Use fewer folds, or other class or sample weights."
        )
    once = bool(((holders != np.arange(len(folds))[:, None]) == learns)[:, task.v > 0.0].all())
    epochs, limit = min(max(EPOCHS, VISITS // rows.n), settings.max_iter), settings.time_limit
    exist = np.flatnonzero(task.v)

    def passes(count: int, size: int = rows.n) -> tuple[Any, np.ndarray]:
        """Over all rows, or over some: these are the only ones with a weight then."""
        some = exist[some_of(len(exist), size, settings.seed)]
        v = np.zeros(rows.n)
        v[some] = task.v[some]
        path = cross_validate(
            rows,
            np.column_stack(task.columns),
            v,
            search.loss,
            search.alphas,
            holders if once else learns,
            l1_ratio=search.l1_ratio,
            epochs=count,
            seed=settings.seed,
        )
        return path, v > 0.0

    models = len(folds) * len(search.alphas) * len(task.columns)
    few = max(LEAST, ROWS // models)
    try:
        if limit is None:
            path, seen = passes(epochs)
        else:  # passes over few rows tell what the others would cost
            path, seen = passes(1, few)
            once_few = time.perf_counter() - begun
            if SHARE * limit > 5.0 * once_few and len(exist) > 4 * few:
                path, seen = passes(1, 4 * few)
            each = max(time.perf_counter() - begun - 2.0 * once_few, once_few / 4.0) / (3.0 * few)
            visits = int((SHARE * limit - time.perf_counter() + begun - once_few) / each)
            if visits > np.count_nonzero(seen):
                path, seen = passes(max(1, min(epochs, visits // len(exist))), visits)
    except KeyboardInterrupt:  # few rows for the search, one epoch for the final fit: a whole model is left
        path, seen = passes(1, few)
        settings = settings._replace(max_iter=1, interrupted=True)
    left = None if limit is None else max(0.0, limit - time.perf_counter() + begun)
    predicted = once and all((task.v[fold.test] > 0.0).all() for fold in folds)  # a class may weigh nothing
    scored = None if seen.sum() == len(exist) else seen
    return Found(path.W, path.held_out if predicted else None, settings._replace(time_limit=left), scored)


def one_at_a_time(search: Search, rows: Rows, tasks: list[Task]) -> Found:
    """Each model to `tol`."""
    settings, begun = search.settings, time.perf_counter()
    problems = [
        search.problem(rows, y, task.v, alpha) for task in tasks for alpha in search.alphas for y in task.columns
    ]
    limit = settings.time_limit
    mine = settings._replace(time_limit=None if limit is None else SHARE * limit)
    at_zero = [value_at_zero(p) for p in problems]
    progress = begin(len(problems), mine.max_iter, mine.tol, max(at_zero))
    try:
        fits = solve_all(problems, at_zero, mine, [None] * len(problems), progress, measure=False)
    finally:
        progress.close()
    W = np.stack([fit.w for fit in fits]).reshape(len(tasks), len(search.alphas), -1, rows.width)
    left = None if limit is None else max(0.0, limit - time.perf_counter() + begun)
    settings, scored = settings._replace(time_limit=left), None
    if any(fit.status == "interrupted" for fit in fits):
        settings = settings._replace(max_iter=1, interrupted=True)
    if settings.interrupted or any(fit.status == "time_limit" for fit in fits):
        scored = np.zeros(rows.n, dtype=bool)
        scored[some_of(rows.n, max(LEAST, ROWS // len(problems)), settings.seed)] = True
    return Found(W, None, settings, scored)
