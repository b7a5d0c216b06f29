"""The regressor that chooses its alpha by cross-validation."""

import time
from collections.abc import Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from cesaro.docstrings import complete
from cesaro.linear.estimators.all_or_nothing import all_or_nothing
from cesaro.linear.estimators.cross_validated import Tasks, search_all, searches_of, shared_params
from cesaro.linear.estimators.linear_regressor import LinearRegressor, columns_of, spread_of
from cesaro.linear.estimators.parameter_docs import EVERY_ESTIMATOR, REGRESSOR, SEARCH
from cesaro.linear.estimators.parameters import (
    REGRESSOR_CONSTRAINTS,
    SEARCH_CONSTRAINTS,
    check_together,
    refuse_checkpoint,
)
from cesaro.linear.estimators.regressor import DualAveragingRegressor
from cesaro.linear.estimators.sklearn_compat import _fit_context
from cesaro.linear.estimators.target_validation import check_targets
from cesaro.linear.estimators.validation import check_rows, check_weights
from cesaro.linear.model_selection.folds import folds_of, grid, r_squared, scores
from cesaro.linear.model_selection.search import Task
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.empty_columns import over_used_columns
from cesaro.linear.problem.problem import value_at_zero
from cesaro.weights import Weights


@complete(EVERY_ESTIMATOR, SEARCH, REGRESSOR)
class DualAveragingRegressorCV(LinearRegressor):
    """DualAveragingRegressor with `alpha` chosen by cross-validation, then fitted to all rows.

    It minimises the same objective as DualAveragingRegressor.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        Anything scikit-learn takes; an int means that many folds.
    scoring : str, callable or None
        Anything scikit-learn takes; None is R^2. Sample weights are used in the scores too.
    checkpoint : None
        Not supported by a search: pass the `alpha_` that was found to DualAveragingRegressor.

    Attributes
    ----------
    coef_, intercept_, n_iter_, objective_, lower_bound_, dual_gap_, relative_gap_, history_
        Of the model with `alpha_` on all rows, as in DualAveragingRegressor.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from cesaro import DualAveragingRegressorCV
    >>> X, y = make_regression(n_features=5, random_state=0)
    >>> model = DualAveragingRegressorCV(alphas=4, random_state=0).fit(X, y)
    >>> bool(model.alpha_ in model.alphas_), bool(model.best_score_ > 0.9)
    (True, True)
    """

    _parameter_constraints = SEARCH_CONSTRAINTS | REGRESSOR_CONSTRAINTS

    def __init__(
        self,
        alphas: int | Sequence[float] = 16,
        cv: Any = 5,
        scoring: Any = None,
        *,
        loss: str = "squared_error",
        l1_ratio: float | Sequence[float] = 0.0,
        solver: str = "anchored",
        averaging: str | Weights = "auto",
        anchor: float | str = "auto",
        radius: float | None = None,
        tol: float | None = 1e-3,
        max_iter: int = 1000,
        time_limit: float | None = None,
        batch_size: int = 1,
        sampling: str = "reshuffle",
        epsilon: float = 0.1,
        quantile: float = 0.5,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        intercept_scaling: float = 1.0,
        warm_start: bool = False,
        checkpoint: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.alphas = alphas
        self.cv = cv
        self.scoring = scoring
        self.loss = loss
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.averaging = averaging
        self.anchor = anchor
        self.radius = radius
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.batch_size = batch_size
        self.sampling = sampling
        self.epsilon = epsilon
        self.quantile = quantile
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.intercept_scaling = intercept_scaling
        self.warm_start = warm_start
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, groups: ArrayLike | None = None) -> Self:
        """Choose alpha, then fit to all rows."""
        began = time.perf_counter()
        check_together(self)
        refuse_checkpoint(self, "to go on after a crash, pass the alpha_ that was found to DualAveragingRegressor.")
        with all_or_nothing(self):
            X = check_rows(self, X)
            v = check_weights(X, sample_weight)
            y = check_targets(X, y)
            self.alphas_ = grid(self.alphas, v)
            rows = make_rows(X, self._bias)
            used, places = over_used_columns(rows)
            folds = folds_of(self.cv, X, y, v, classifier=False, groups=groups)
            self._center, self._alpha_units = self._mean(y, v), self._units(spread_of(y, v))

            def quick(k: int, test: np.ndarray, guess: np.ndarray) -> Any:
                return r_squared(guess + centers[k], y[test].reshape(len(test), -1), v[test])

            def slow(k: int, test: np.ndarray, coef: np.ndarray, intercept: np.ndarray) -> Any:
                each = zip(self.alphas_, coef, intercept + centers[k], strict=True)
                models = [self._stand_in(*one, y.ndim == 1) for one in each]
                return scores(models, self.scoring, X[test], y[test], None if sample_weight is None else v[test])

            centers = [self._center] * len(folds)

            def one_by_one() -> list[Task]:
                centers[:] = [self._mean(y, fold.v) for fold in folds]
                return [Task(columns_of(y - c), fold.v) for fold, c in zip(folds, centers, strict=True)]

            def together() -> Task:
                centers[:] = [self._center] * len(folds)
                return Task(columns_of(y - self._center), v)

            tasks = Tasks(used, places, [y], v, folds, together, one_by_one)
            settings = search_all(self, searches_of(self, began, self._alpha_units), tasks, X, quick, slow)
            final = self._columns(rows, y - self._center, v, self.alpha_)
            self._finish(final, [value_at_zero(problem) for problem in final], settings)
            self._shape(y.ndim == 1)
            return self

    def _ratio(self) -> float:
        return float(self.l1_ratio_)

    def _stand_in(self, alpha: float, coef: np.ndarray, intercept: np.ndarray, single: bool) -> DualAveragingRegressor:
        """A fitted model for a scorer."""
        model = DualAveragingRegressor(alpha=float(alpha)).set_params(**shared_params(self))
        model.n_features_in_, model.coef_, model.intercept_ = coef.shape[1], coef, intercept
        if single:
            model.coef_, model.intercept_ = coef[0], intercept[0]
        return model
