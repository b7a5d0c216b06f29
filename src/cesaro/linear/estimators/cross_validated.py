"""What the cross-validated estimators share: from searches over alpha, one for each l1_ratio, to scores and the best."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cesaro.linear.estimators.base import LinearModel
from cesaro.linear.estimators.proof_warnings import warn
from cesaro.linear.model_selection import search
from cesaro.linear.model_selection.folds import Fold, cv_results
from cesaro.linear.model_selection.one_pass import in_one_pass
from cesaro.linear.model_selection.search import Found, Search, Task
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.problem import TWO_CLASSES
from cesaro.linear.solvers.settings import Settings


class Tasks(NamedTuple):
    """What is searched over: the rows, and what is to be fitted to them."""

    rows: Rows  # of the columns that are used
    places: Any  # of these columns among all
    columns: Any  # of labels or targets
    v: np.ndarray
    folds: list[Fold]
    together: Callable[[], Task]  # for epochs that all models share
    one_by_one: Callable[[], list[Task]]  # of every fold


class Scored(NamedTuple):
    """What the search of one l1_ratio has found."""

    l1_ratio: float
    scores: np.ndarray  # (folds, alphas)
    settings: Settings  # of the final fit
    in_the_way: str  # of epochs that all models share: `search.obstacle`


def shared_params(model: LinearModel) -> dict[str, Any]:
    """The parameters that a search has in common with the estimator it searches over, but for those searched over."""
    mine = ("alphas", "cv", "scoring", "l1_ratio")
    return {name: value for name, value in model.get_params(deep=False).items() if name not in mine}


def searches_of(
    model: LinearModel, began: float, units: np.ndarray | None = None, least: float = TWO_CLASSES
) -> list[Search]:
    """What the parameters of an estimator whose fit has `began` ask to search over."""
    radius, penalized = model._radius, model._penalizes_intercept
    ratios, settings = [float(ratio) for ratio in np.ravel(model.l1_ratio)], model._settings(began)
    if settings.time_limit is not None:
        settings = settings._replace(time_limit=max(0.0, settings.ends - time.perf_counter()) / len(ratios))
    return [Search(settings, model._loss(), model.alphas_, ratio, radius, penalized, units, least) for ratio in ratios]


def search_all(
    model: LinearModel, searches: list[Search], tasks: Tasks, X: Any, quick: Callable, slow: Callable
) -> Settings:
    """Run and score the searches, and set what was found; returns the settings of the final fit."""
    scored = []
    for asked in searches:
        in_the_way = search.obstacle(asked, tasks.rows, tasks.columns, tasks.v, tasks.folds)
        if not in_the_way:
            found = in_one_pass(asked, tasks.rows, tasks.together(), tasks.folds)
        else:
            found = search.one_at_a_time(asked, tasks.rows, tasks.one_by_one())
        found = found.among(tasks.places)
        points = score(model, X, tasks.folds, found, quick, slow)
        scored.append(Scored(asked.l1_ratio, points, found.settings, in_the_way))
        if found.settings.interrupted:
            break
    return conclude(model, scored)


def score(model: LinearModel, X, folds: list[Fold], found: Found, quick: Callable, slow: Callable) -> np.ndarray:
    """Scores (folds, alphas) of the models on their folds.

    `quick(k, test, margins)` scores margins (rows, alphas, columns) on these rows of fold k by the default score,
    `slow(k, test, coef, intercept)` scores models by the user's own.
    """
    d = X.shape[1]
    scores = np.empty(found.W.shape[:2])
    places = None if found.scored is None else np.cumsum(found.scored) - 1  # of rows in held_out
    for k, (test, _) in enumerate(folds):
        known = found.scored is None or bool(found.scored[test].any())
        if found.scored is not None and known:
            test = test[found.scored[test]]
        if model.scoring is None and found.held_out is not None and known:
            scores[k] = quick(k, test, found.held_out[test if places is None else places[test]])
            continue
        if model.scoring is not None:
            scores[k] = slow(k, test, *model._split(found.weights(k, d), d))
        else:
            W, held = found.W[k], X[test] if found.places is None else X[test][:, found.places[found.places < d]]
            margins, which = np.zeros((len(test), *W.shape[:2])), ... if found.known is None else found.known[k]
            coef, intercept = model._split(W[which], held.shape[1])
            products = held @ coef.reshape(-1, held.shape[1]).T
            margins[:, which] = products.reshape(len(test), *intercept.shape) + intercept
            scores[k] = quick(k, test, margins)
    return scores


def conclude(model: LinearModel, scored: list[Scored]) -> Settings:
    """Set what was found; returns the settings of the final fit."""
    ratios = np.repeat([one.l1_ratio for one in scored], len(model.alphas_))
    alphas = np.tile(model.alphas_, len(scored))
    count = len(model.alphas_)
    names = {"alpha": alphas, "l1_ratio": ratios} if np.ndim(model.l1_ratio) else {"alpha": alphas}
    model.cv_results_ = cv_results(names, np.hstack([one.scores for one in scored]))
    mean = model.cv_results_["mean_test_score"]
    if np.isnan(mean).all():
        raise ValueError(
            "no alpha has a score: every fold's score is nan. Choose another scoring, or folds with more rows."
        )
    best = int(np.nanargmax(mean))
    model.alpha_, model.l1_ratio_, model.best_score_ = float(alphas[best]), float(ratios[best]), float(mean[best])
    in_the_way = scored[best // count].in_the_way
    model.search_ = f"one by one: {in_the_way}" if in_the_way else "shared epochs"
    last = scored[-1].settings
    if last.interrupted:
        return last
    which = best // count
    warn_at_the_edge(type(model).__name__, model.alphas_, model.alpha_, mean[which * count : (which + 1) * count])
    settings = scored[which].settings
    if settings.time_limit is None:
        return settings
    return settings._replace(time_limit=sum(one.settings.time_limit or 0.0 for one in scored))  # what each has left


def warn_at_the_edge(name: str, alphas: np.ndarray, best: float, mean: np.ndarray) -> None:
    """Say so if the best alpha is the least or the largest of the grid, and no other does as well."""
    inside = (alphas > alphas.min()) & (alphas < alphas.max())
    if inside.any() and best in (alphas.min(), alphas.max()) and not np.nanmax(mean[inside]) >= np.nanmax(mean):
        beyond = "smaller" if best == alphas.min() else "larger"
        warn(
            f"{name}: the best alpha, {best:.3g}, is at the edge of the grid: {beyond} ones may be better. Pass alphas that "
            "go further."
        )
