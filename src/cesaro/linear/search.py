"""Models of every fold and alpha, then the best alpha.

Many rows: all of them are lanes of a few passes (path.py), good enough to compare. Few rows: each is solved to `tol`,
since then a fit is cheap and a row more or less can decide.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from cesaro.linear.folds import Fold, results
from cesaro.linear.jit import KERNEL
from cesaro.linear.model import LinearModel
from cesaro.linear.progress import begin
from cesaro.linear.rows import Rows
from cesaro.linear.runs import Settings, solve_all
from cesaro.linear.targets import value_at_zero

FEW = 500  # rows
EPOCHS, VISITS = 10, 200_000  # passes of the lanes: so many, or until so many rows were visited
EVEN, LARGE = 100.0, 1e15  # largest over smallest column, and an entry, up to which lanes are good enough
SHARE = 0.75  # of a time limit, for the search; the rest is for the final fit


class Task(NamedTuple):
    """What a fold learns from: target columns, and weights of the rows."""

    columns: list[np.ndarray]
    v: np.ndarray


class Found(NamedTuple):
    """Models (folds, alphas, columns, width); predictions of held-out rows (n, alphas, columns) if they came along."""

    W: np.ndarray
    held_out: np.ndarray | None
    settings: Settings  # of the final fit


def in_lanes(model: LinearModel, rows: Rows, columns: list[np.ndarray]) -> bool:
    """Whether the lanes can do it, are worth it, and are good enough: a few passes are not where scales differ much."""
    plain = model.averaging == "auto" and model.anchor == "auto" and model.batch_size == 1 and model.radius is None
    able = plain and model.solver in ("anchored", "gda") and model.sampling == "reshuffle"
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


def shared_params(model: LinearModel) -> dict:
    """The parameters that a search has in common with the estimator it searches over."""
    return {
        name: value for name, value in model.get_params(deep=False).items() if name not in ("alphas", "cv", "scoring")
    }


def by_lanes(model: LinearModel, rows: Rows, task: Task, folds: list[Fold]) -> Found:
    """All models in a few passes."""
    from cesaro.linear.path import cross_validate

    settings, begun = model._settings(), time.perf_counter()
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

    def passes(count):
        return cross_validate(
            rows,
            np.column_stack(task.columns),
            task.v,
            model._loss(),
            model.alphas_,
            holders if once else learns,
            l1_ratio=model.l1_ratio,
            epochs=count,
            seed=settings.seed,
        )

    try:
        if limit is None:
            path = passes(epochs)
        else:  # one pass tells what the others would cost
            path = passes(1)
            epochs = min(epochs, int((SHARE * limit - time.perf_counter() + begun) / (time.perf_counter() - begun)))
            path = passes(epochs) if epochs > 1 else path
    except KeyboardInterrupt:  # one pass each, and one for the final fit: a whole model is left
        path, settings = passes(1), settings._replace(max_iter=1, interrupted=True)
    left = None if limit is None else max(0.0, limit - time.perf_counter() + begun)
    return Found(path.W, path.held_out if once else None, settings._replace(time_limit=left))


def one_by_one(model: LinearModel, rows: Rows, tasks: list[Task]) -> Found:
    """Each model to `tol`."""
    settings, begun = model._settings(), time.perf_counter()
    problems = [
        model._problem(rows, y, task.v, alpha) for task in tasks for alpha in model.alphas_ for y in task.columns
    ]
    limit = settings.time_limit
    mine = settings._replace(time_limit=None if limit is None else SHARE * limit)
    at_zero = [value_at_zero(p) for p in problems]
    progress = begin(len(problems), mine.max_iter, mine.tol, 1e-3 * max(at_zero))
    try:
        fits = solve_all(problems, at_zero, mine, [None] * len(problems), progress)
    finally:
        progress.close()
    W = np.stack([fit.w for fit in fits]).reshape(len(tasks), len(model.alphas_), -1, rows.width)
    if any(fit.status == "interrupted" for fit in fits):
        return Found(W, None, settings._replace(max_iter=1, interrupted=True))
    left = None if limit is None else max(0.0, limit - time.perf_counter() + begun)
    return Found(W, None, settings._replace(time_limit=left))


def conclude(model: LinearModel, X, folds: list[Fold], found: Found, quick: Callable, slow: Callable) -> Settings:
    """Score the models on their folds and set what was found; returns the settings of the final fit.

    `quick(k, margins)` scores margins (rows, alphas, columns) on fold k by the default score, `slow(k, coef,
    intercept)` scores models by the user's own.
    """
    d = X.shape[1]
    scores = np.empty(found.W.shape[:2])
    for k, (test, _) in enumerate(folds):
        coef, intercept = model._split(found.W[k], d)
        if model.scoring is not None:
            scores[k] = slow(k, coef, intercept)
        elif found.held_out is not None:
            scores[k] = quick(k, found.held_out[test])
        else:
            margins = (X[test] @ coef.reshape(-1, d).T).reshape(len(test), *intercept.shape)
            scores[k] = quick(k, margins + intercept)
    model.cv_results_ = results(model.alphas_, scores)
    mean = model.cv_results_["mean_test_score"]
    if np.isnan(mean).all():
        raise ValueError(
            "no alpha has a score: every fold's score is nan. Choose another scoring, or folds with more rows."
        )
    best = int(np.nanargmax(mean))
    model.alpha_, model.best_score_ = float(model.alphas_[best]), float(model.cv_results_["mean_test_score"][best])
    return found.settings
