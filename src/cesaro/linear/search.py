"""Cross-validation over alpha: each fold and alpha is a problem like any other, its held-out rows at weight zero."""

import time
from collections.abc import Callable
from numbers import Integral
from typing import NamedTuple

import numpy as np
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import Interval, StrOptions

from cesaro.linear.model import LinearModel
from cesaro.linear.progress import Silence
from cesaro.linear.rows import Problem
from cesaro.linear.runs import Settings, solve_all

CONSTRAINTS: dict = {
    "alphas": [Interval(Integral, 1, None, closed="left"), "array-like"],
    "cv": ["cv_object"],
    "scoring": [StrOptions(set(get_scorer_names())), callable, None],
}
SHARE = 0.75  # of a time limit, for the search; the rest is for the final fit


class Split(NamedTuple):
    """A fold: the rows to score on, and the weights with which the others are learned from."""

    test: np.ndarray
    v: np.ndarray


def grid(alphas, total: float) -> np.ndarray:
    """The values to try: so many from 0.1 down to 1/(10 n), n the total weight of the rows, or the given ones."""
    if np.ndim(alphas) == 0:
        return np.geomspace(0.1, 1.0 / (10.0 * max(total, 1.0)), int(alphas))
    values = np.asarray(alphas, dtype=float)
    if values.ndim != 1 or not len(values) or not (np.isfinite(values).all() and (values > 0.0).all()):
        raise ValueError(f"alphas must be a number of values or a sequence of positive numbers: got {alphas!r}.")
    return values


def splits(cv, X, y, v, classifier: bool) -> list[Split]:
    """The folds of anything scikit-learn takes as cv."""
    folds: list[Split] = []
    for train, test in check_cv(cv, y, classifier=classifier).split(X, y):
        weights = np.zeros(len(v))
        weights[train] = v[train]
        if not weights.any():
            raise ValueError(f"Fold {len(folds)} has no training rows with a positive sample weight.")
        test = np.arange(len(v))[test]
        test = test[v[test] > 0.0]
        if not len(test):
            raise ValueError(f"Fold {len(folds)} has no test rows with a positive sample weight.")
        folds.append(Split(test, weights))
    return folds


def scores(models: list, scoring, X, y, sample_weight) -> np.ndarray:
    """The scorer's value for each model on held-out rows; weights are passed where the user gave some."""
    scorer = check_scoring(models[0], scoring=scoring)
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    return np.array([scorer(model, X, y, **weights) for model in models])


def accuracy(scores: np.ndarray, code: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Weighted accuracy of each model; scores (n, models, 1) for two classes or (n, models, classes)."""
    guess = scores[..., 0] > 0.0 if scores.shape[2] == 1 else scores.argmax(axis=2)
    return v @ (guess == code[:, None]) / v.sum()


def r_squared(guess: np.ndarray, y: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Weighted R^2 of each model, averaged over the target columns; guess (n, models, columns), y (n, columns)."""
    missed = np.einsum("i,imk->mk", v, (guess - y[:, None]) ** 2)
    spread = v @ (y - v @ y / v.sum()) ** 2
    share = np.divide(missed, spread, out=(missed > 0.0).astype(float), where=spread > 0.0)
    return (1.0 - share).mean(axis=1)


def choose(model: LinearModel, problems: list[list[Problem]], at_zero: list[list[float]], score: Callable) -> Settings:
    """Solve the problems of every fold and alpha (fold by fold) and set what the search found on the model.

    `score(k, W)` gives the scores on fold k of models W (alphas, columns, width). Returns the final fit's settings.
    """
    settings = model._settings()
    begun, limit = time.perf_counter(), settings.time_limit
    flat = [problem for group in problems for problem in group]
    zeros = [value for group in at_zero for value in group]
    mine = settings._replace(time_limit=None if limit is None else SHARE * limit)
    fits = solve_all(flat, zeros, mine, [None] * len(flat), Silence())
    W = np.stack([fit.w for fit in fits]).reshape(-1, len(model.alphas_), len(problems[0]), flat[0].rows.width)
    scores = np.stack([score(k, models) for k, models in enumerate(W)])
    model.cv_results_ = results(model.alphas_, scores)
    best = int(np.argmax(model.cv_results_["mean_test_score"]))
    model.alpha_, model.best_score_ = float(model.alphas_[best]), float(model.cv_results_["mean_test_score"][best])
    if any(fit.status == "interrupted" for fit in fits):
        return settings._replace(max_iter=1)
    return settings._replace(time_limit=None if limit is None else max(0.0, limit - time.perf_counter() + begun))


def results(alphas: np.ndarray, scores: np.ndarray) -> dict:
    """scores (folds, alphas) as scikit-learn's searches name them."""
    mean = scores.mean(axis=0)
    table = {f"split{k}_test_score": row for k, row in enumerate(scores)}
    return {
        "param_alpha": alphas,
        "params": [{"alpha": float(alpha)} for alpha in alphas],
        **table,
        "mean_test_score": mean,
        "std_test_score": scores.std(axis=0),
        "rank_test_score": 1 + (mean[None, :] > mean[:, None]).sum(axis=1),
    }
