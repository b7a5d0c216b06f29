"""The classifier that chooses its alpha by cross-validation."""

import time
from collections.abc import Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from cesaro.docstrings import complete
from cesaro.linear.estimators.all_or_nothing import all_or_nothing
from cesaro.linear.estimators.classifier import DualAveragingClassifier
from cesaro.linear.estimators.cross_validated import Tasks, search_all, searches_of, shared_params
from cesaro.linear.estimators.linear_classifier import LinearClassifier
from cesaro.linear.estimators.parameter_docs import CLASSIFIER, EVERY_ESTIMATOR, SEARCH
from cesaro.linear.estimators.parameters import (
    CLASSIFIER_CONSTRAINTS,
    SEARCH_CONSTRAINTS,
    check_together,
    refuse_checkpoint,
)
from cesaro.linear.estimators.sklearn_compat import _fit_context
from cesaro.linear.estimators.target_validation import check_labels
from cesaro.linear.estimators.validation import check_rows, check_weights
from cesaro.linear.model_selection.folds import accuracy, folds_of, grid, scores
from cesaro.linear.model_selection.search import Task
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.empty_columns import over_used_columns
from cesaro.linear.problem.problem import least_unit
from cesaro.weights import Weights


@complete(EVERY_ESTIMATOR, SEARCH, CLASSIFIER)
class DualAveragingClassifierCV(LinearClassifier):
    """DualAveragingClassifier with `alpha` chosen by cross-validation, then fitted to all rows.

    It minimises the same objective as DualAveragingClassifier.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        Anything scikit-learn takes; an int means that many stratified folds.
    scoring : str, callable or None
        Anything scikit-learn takes; None is the accuracy. Sample weights are used in the scores too.
    checkpoint : None
        Not supported by a search: pass the `alpha_` that was found to DualAveragingClassifier.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, objective_, lower_bound_, dual_gap_, relative_gap_, history_
        Of the model with `alpha_` on all rows, as in DualAveragingClassifier.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from cesaro import DualAveragingClassifierCV
    >>> X, y = make_classification(random_state=0)
    >>> model = DualAveragingClassifierCV(alphas=4, random_state=0).fit(X, y)
    >>> bool(model.alpha_ in model.alphas_), bool(model.best_score_ > 0.8)
    (True, True)
    """

    _parameter_constraints = SEARCH_CONSTRAINTS | CLASSIFIER_CONSTRAINTS

    def __init__(
        self,
        alphas: int | Sequence[float] = 16,
        cv: Any = 5,
        scoring: Any = None,
        *,
        loss: str = "hinge",
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
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        intercept_scaling: float = 1.0,
        class_weight: dict[Any, float] | str | None = None,
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
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
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
        refuse_checkpoint(self, "to go on after a crash, pass the alpha_ that was found to DualAveragingClassifier.")
        with all_or_nothing(self):
            X = check_rows(self, X)
            v = check_weights(X, sample_weight)
            self.classes_, code = check_labels(X, y)
            if np.count_nonzero(np.bincount(code, weights=v)) < 2:
                raise ValueError("The number of classes has to be at least two: got one class with positive weight.")
            self.alphas_ = grid(self.alphas, v)
            rows, y = make_rows(X, self._bias), np.asarray(y).ravel()
            used, places = over_used_columns(rows)
            folds = folds_of(self.cv, X, y, v, classifier=True, groups=groups)

            def quick(k: int, test: np.ndarray, margins: np.ndarray) -> Any:
                return accuracy(margins, code[test], v[test])

            def slow(k: int, test: np.ndarray, coef: np.ndarray, intercept: np.ndarray) -> Any:
                models = [self._stand_in(*one) for one in zip(self.alphas_, coef, intercept, strict=True)]
                return scores(models, self.scoring, X[test], y[test], None if sample_weight is None else v[test])

            columns = self._columns(code)
            tasks = Tasks(
                used, places, columns, v, folds,
                together=lambda: Task(columns, self._weighted(code, v)),
                one_by_one=lambda: [Task(columns, self._weighted(code, fold.v)) for fold in folds],
            )  # fmt: skip
            searches = searches_of(self, began, least=least_unit(len(self.classes_)))
            settings = search_all(self, searches, tasks, X, quick, slow)
            final = self._one_vs_rest(rows, code, v, self.alpha_)
            return self._finish(final, [self._value_at_zero()] * len(final), settings)

    def _ratio(self) -> float:
        return float(self.l1_ratio_)

    def _stand_in(self, alpha: float, coef: np.ndarray, intercept: np.ndarray) -> DualAveragingClassifier:
        """A fitted model for a scorer."""
        model = DualAveragingClassifier(alpha=float(alpha)).set_params(**shared_params(self))
        model.classes_, model.n_features_in_ = self.classes_, coef.shape[1]
        model.coef_, model.intercept_ = coef, intercept
        return model
