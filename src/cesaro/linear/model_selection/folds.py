"""Folds, grids and scores of a cross-validation over alpha."""

import contextlib
from typing import NamedTuple

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv


class Fold(NamedTuple):
    """The rows to score on, and the weights with which the others are learned from (zero: not at all)."""

    test: np.ndarray
    v: np.ndarray


def grid(alphas, v: np.ndarray) -> np.ndarray:
    """The values to try: so many from 0.1 down to 1/(10 n), or the given ones.

    n counts a row of weight 2 twice, like the row repeated; weights of another unit, below 1, count as rows.
    """
    if np.ndim(alphas) == 0:
        return np.geomspace(0.1, 0.1 / max(v.sum(), np.count_nonzero(v)), int(alphas))
    values = np.asarray(alphas, dtype=float)
    if values.ndim != 1 or not len(values) or not (np.isfinite(values).all() and (values > 0.0).all()):
        raise ValueError(f"alphas must be a number of values or a sequence of positive numbers: got {alphas!r}.")
    return values


def folds_of(cv, X, y, v, classifier: bool, groups=None) -> list[Fold]:
    """The folds of anything scikit-learn takes as cv; rows of one group stay together where that looks at groups.

    A row that a fold names twice, as a bootstrap does, is learned from twice.
    """
    folds: list[Fold] = []
    for train, test in check_cv(cv, y, classifier=classifier).split(X, y, groups):
        weights = v * np.bincount(np.arange(len(v))[train], minlength=len(v))
        held = np.arange(len(v))[test]
        held = held[v[held] > 0.0]
        if not (weights.any() and len(held)):
            raise ValueError(f"Fold {len(folds)} has no rows of positive sample weight to learn from or to score on.")
        folds.append(Fold(held, weights))
    if not folds:
        raise ValueError(f"cv={cv!r:.100} gives no folds.")
    return folds


def scores(models: list, scoring, X, y, sample_weight) -> np.ndarray:
    """The scorer's value for each model on held-out rows; weights are passed if the user gave some and it takes them."""
    scorer = check_scoring(models[0], scoring=scoring)
    if sample_weight is not None:
        with contextlib.suppress(TypeError):  # a scorer without weights
            return np.array([scorer(model, X, y, sample_weight=sample_weight) for model in models])
    return np.array([scorer(model, X, y) for model in models])


def accuracy(margins: np.ndarray, code: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Weighted accuracy of each model; margins (n, models, 1) for two classes or (n, models, classes)."""
    guess = margins[..., 0] > 0.0 if margins.shape[2] == 1 else margins.argmax(axis=2)
    return v @ (guess == code[:, None]) / v.sum()


def r_squared(guess: np.ndarray, y: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Weighted R^2 of each model, averaged over the target columns; guess (n, models, columns), y (n, columns)."""
    missed = np.einsum("i,imk->mk", v, (guess - y[:, None]) ** 2)
    spread = np.broadcast_to(v @ (y - v @ y / v.sum()) ** 2, missed.shape)
    share = np.divide(missed, spread, out=(missed > 0.0).astype(float), where=spread > 0.0)
    return (1.0 - share).mean(axis=1)


def cv_results(values: dict[str, np.ndarray], scores: np.ndarray) -> dict:
    """scores (folds, candidates) as scikit-learn's searches name them; `values` are the parameters' by name."""
    mean = scores.mean(axis=0)
    table = {f"split{k}_test_score": row for k, row in enumerate(scores)}
    return {
        **{f"param_{name}": column for name, column in values.items()},
        "params": [dict(zip(values, map(float, each), strict=True)) for each in zip(*values.values(), strict=True)],
        **table,
        "mean_test_score": mean,
        "std_test_score": scores.std(axis=0),
        "rank_test_score": 1 + (mean[None, :] > mean[:, None]).sum(axis=1),
    }
