"""What every linear classifier does with labels: one problem per class, scores back into labels, with a proof."""

import math
import time
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from cesaro.docstrings import complete
from cesaro.linear.bounds.intercept_interval import reach_seconds
from cesaro.linear.bounds.rounding import relative_error
from cesaro.linear.estimators.base import LinearModel
from cesaro.linear.estimators.certified_predictions import EPS, certified_labels, distances, row_norms
from cesaro.linear.estimators.intercept_bounds import intercept_bounds
from cesaro.linear.estimators.parameter_docs import EVERY_ESTIMATOR
from cesaro.linear.estimators.proof_warnings import warn_few_certified
from cesaro.linear.estimators.validation import check_points
from cesaro.linear.out_of_core.csr_store import Store
from cesaro.linear.problem.block_order import Layout, pieces
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.problem import Fit, InterceptBound, Problem, least_unit
from cesaro.linear.problem.scales import of_ordinary_size
from cesaro.linear.solvers.anchored.intercept import is_free
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import CLASSIFICATION, Loss, ProbabilityLink

LEFT = 0.25  # of a time limit, at most, for what follows the solver


def gives_probabilities(classifier: Any) -> bool:
    """Whether the loss has a link to probabilities; an error that says which ones have, if not."""
    able = [name for name, kind in CLASSIFICATION.items() if issubclass(kind, ProbabilityLink)]
    if classifier.loss in able:
        return True
    raise AttributeError(
        f"probabilities need one of the losses {able}: this model has loss={classifier.loss!r}. Or wrap it in scikit-learn's "
        "CalibratedClassifierCV, which gives any loss some."
    )


@complete(EVERY_ESTIMATOR)
class LinearClassifier(ClassifierMixin, LinearModel):
    """Scores, labels, certified labels and probabilities from coef_, intercept_ and classes_."""

    def _loss(self) -> Loss:
        return CLASSIFICATION[self.loss]()

    def _columns(self, code: np.ndarray) -> list[np.ndarray]:
        return one_vs_rest_columns(code, len(self.classes_))

    def _weighted(self, code: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Sample weights times class weights."""
        if self.class_weight is None:
            return v
        factors = of_ordinary_size(class_factors(self.class_weight, self.classes_, code, v))
        v = of_ordinary_size(v * factors[code])
        if not v.any():
            raise ValueError(
                f"class_weight={self.class_weight} leaves no row with a weight: all have that of a class with 0."
            )
        return v

    def _one_vs_rest(self, rows: Rows, code: np.ndarray, v: np.ndarray, alpha: float) -> list[Problem]:
        """A problem for each column; they share rows and weights."""
        v = self._weighted(code, v)
        return [self._problem(rows, y, v, alpha) for y in self._columns(code)]

    def _problem(self, rows: Rows, y: np.ndarray, v: np.ndarray, alpha: float, unit: float = 1.0) -> Problem:
        return super()._problem(rows, y, v, alpha, unit)._replace(least_unit=least_unit(len(self.classes_)))

    def _tally(self, store: Store) -> tuple[np.ndarray, np.ndarray]:
        """The values of a store's labels, and how many rows each has."""
        classes: np.ndarray = np.empty(0)
        counts: np.ndarray = np.empty(0)
        for piece in pieces(store.n):
            here, k = np.unique(store.y[piece], return_counts=True)
            both, place = np.unique(np.append(classes, here), return_inverse=True)
            classes, counts = both, np.bincount(place, weights=np.append(counts, k))
        check_classification_targets(classes)
        if len(classes) < 2:
            only = store.named(classes).tolist()[0]
            raise ValueError(f"The number of classes has to be at least two: got one class, {only!r}.")
        return classes, counts

    def _of_store(self, store: Store, layout: Layout, values: np.ndarray, counts: np.ndarray) -> list[Problem]:
        """`_one_vs_rest` for the rows of a store, a piece at a time."""
        factors = np.ones(len(counts))
        if self.class_weight is not None:
            factors = class_factors(self.class_weight, self.classes_, np.arange(len(counts)), counts)
            factors = of_ordinary_size(factors)
        positive = positive_classes(len(counts))
        v, *columns = (layout.empty(store.n) for _ in range(1 + len(positive)))
        for piece in pieces(store.n):
            code = np.searchsorted(values, store.y[piece])
            v[piece] = factors[code]
            for k, column in zip(positive, columns, strict=True):
                column[piece] = 2.0 * (code == k) - 1.0
        rows = store.rows(self._bias)
        return [self._problem(rows, y, v, self.alpha)._replace(layout=layout) for y in columns]

    def _solve(self, problems: list[Problem], at_zero: list[float], settings: Settings) -> list[Fit]:
        if math.isfinite(settings.deadline) and is_free(problems[0]):  # leave time for what follows
            left = max(0.0, settings.ends - time.perf_counter())
            reserve = min(len(problems) * reach_seconds(problems[0]), LEFT * left)
            settings = settings._replace(deadline=settings.ends - reserve)
        return super()._solve(problems, at_zero, settings)

    def _intercept_bounds(
        self, problems: list[Problem], fits: list[Fit], settings: Settings
    ) -> list[InterceptBound] | None:
        return intercept_bounds(problems, fits, settings) if is_free(problems[0]) else None

    def _value_at_zero(self) -> float:
        return float(self._loss().value(0.0, 1.0))

    def _relative_rounding(self, problem: Problem, fits: list[Fit]) -> float:
        return max(relative_error(problem, fit.w, float(fit.objective)) for fit in fits)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores <x, w> + b.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column per class; for two classes the score of the second alone.
        """
        check_is_fitted(self)
        return self._scores(check_points(self, X))

    def _scores(self, X: Any) -> np.ndarray:
        scores = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The label with the largest score.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels among `classes_`.
        """
        check_is_fitted(self)
        return self._answer(check_points(self, X))

    def _answer(self, X: Any) -> np.ndarray:
        scores = self._scores(X)
        return self.classes_[(scores > 0.0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]

    def predict_certified(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Labels, and which of them the exact optimum of the objective provably gives as well.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            As `predict` gives them.
        certified : ndarray of bool of shape (n_samples,)
            True where the duality gap is small enough for a proof. Fit with `tol=1e-6`: at the default, `tol=1e-3`, few
            labels are certified, or none, and a warning tells if fewer than one in twenty. Without an L2 term,
            `l1_ratio=1`, none is: the gap bounds how good the model is, not how far from the optimum.
        """
        check_is_fitted(self)
        X = check_points(self, X)
        gap = np.atleast_1d(self.dual_gap_) + self._rounding * np.atleast_1d(self.objective_)
        w_norms = np.hypot(row_norms(self.coef_, 0.0), self.intercept_ / (self._scaling or 1.0))
        lengths = row_norms(X, 0.0 if self._intercept_reach.any() else self._scaling)
        if self._row_centers is not None:
            lengths = distances(X, lengths, self._row_centers)
        reach = self._intercept_reach + 4.0 * EPS * np.abs(self.intercept_)  # it was rounded, and so is its sum
        best, certified = certified_labels(self._scores(X), lengths, gap, self._mu, w_norms, X.shape[1] + 4, reach)
        warn_few_certified(self, certified)
        return self.classes_[best], certified

    @available_if(gives_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities: 1/(1 + exp(-score)), or (clip(score, -1, 1) + 1)/2 for modified_huber; other losses have none.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Each row sums to 1.
        """
        scores = self.decision_function(X)
        loss: Any = self._loss()
        p = loss.probability(scores)
        if p.ndim == 1:
            return np.column_stack([1.0 - p, p])
        total = p.sum(axis=1, keepdims=True)
        return np.divide(p, total, out=np.full_like(p, 1.0 / p.shape[1]), where=total > 0.0)

    @available_if(gives_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of `predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            -inf where a probability is 0.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def one_vs_rest_columns(code: np.ndarray, classes: int) -> list[np.ndarray]:
    """-1 and +1: one column for two classes, else one for each class."""
    return [2.0 * (code == k) - 1.0 for k in positive_classes(classes)]


def positive_classes(classes: int) -> list[int]:
    """Which classes have a model: the second of two, else all."""
    return [1] if classes == 2 else list(range(classes))


def class_factors(
    class_weight: dict[Any, float] | str, classes: np.ndarray, code: np.ndarray, v: np.ndarray
) -> np.ndarray:
    """The factor of each class: given, or such that all classes weigh the same in total."""
    if isinstance(class_weight, str):  # "balanced"
        counts = np.bincount(code, weights=v, minlength=len(classes))
        return np.divide(counts.sum(), len(classes) * counts, out=np.ones(len(classes)), where=counts > 0.0)
    unknown = [label for label in class_weight if label not in classes]
    if unknown and len(class_weight) - len(unknown) < len(classes):
        raise ValueError(f"class_weight names {unknown}, which are not among the classes {classes.tolist()}.")
    factors: np.ndarray = np.array([class_weight.get(label, 1.0) for label in classes.tolist()], dtype=float)
    if not (np.isfinite(factors).all() and (factors >= 0.0).all() and factors.any()):
        raise ValueError(f"class_weight must be finite, not negative and not all zero: got {class_weight}.")
    return factors
