"""What the cross-validated estimators share: from a search over alpha to scores, the best alpha and the final fit."""

from collections.abc import Callable

import numpy as np

from cesaro.linear.estimators.base import LinearModel, penalizes_intercept
from cesaro.linear.model_selection.folds import Fold, results
from cesaro.linear.model_selection.search import Found, Search
from cesaro.linear.solvers.settings import Settings


def shared_params(model: LinearModel) -> dict:
    """The parameters that a search has in common with the estimator it searches over."""
    return {
        name: value for name, value in model.get_params(deep=False).items() if name not in ("alphas", "cv", "scoring")
    }


def search_of(model: LinearModel) -> Search:
    """What the estimator's parameters ask to search over."""
    radius = np.inf if model.radius is None else float(model.radius)
    penalized = penalizes_intercept(model.solver, model.penalize_intercept)
    return Search(model._settings(), model._loss(), model.alphas_, float(model.l1_ratio), radius, penalized)


def conclude(model: LinearModel, X, folds: list[Fold], found: Found, quick: Callable, slow: Callable) -> Settings:
    """Score the models on their folds and set what was found; returns the settings of the final fit.

    `quick(k, test, margins)` scores margins (rows, alphas, columns) on these rows of fold k by the default score,
    `slow(k, test, coef, intercept)` scores models by the user's own.
    """
    d = X.shape[1]
    scores = np.empty(found.W.shape[:2])
    for k, (test, _) in enumerate(folds):
        if found.scored is not None and found.scored[test].any():
            test = test[found.scored[test]]
        coef, intercept = model._split(found.W[k], d)
        if model.scoring is not None:
            scores[k] = slow(k, test, coef, intercept)
        elif found.held_out is not None:
            scores[k] = quick(k, test, found.held_out[test])
        else:
            margins = (X[test] @ coef.reshape(-1, d).T).reshape(len(test), *intercept.shape)
            scores[k] = quick(k, test, margins + intercept)
    model.cv_results_ = results(model.alphas_, scores)
    mean = model.cv_results_["mean_test_score"]
    if np.isnan(mean).all():
        raise ValueError(
            "no alpha has a score: every fold's score is nan. Choose another scoring, or folds with more rows."
        )
    best = int(np.nanargmax(mean))
    model.alpha_, model.best_score_ = float(model.alphas_[best]), float(model.cv_results_["mean_test_score"][best])
    return found.settings
