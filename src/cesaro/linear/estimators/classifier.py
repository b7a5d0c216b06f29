"""The classifier: a scikit-learn estimator whose `tol` is a proof."""

import time
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from cesaro.docstrings import complete
from cesaro.linear.estimators.all_or_nothing import all_or_nothing
from cesaro.linear.estimators.fits_files import FitsFiles, Path
from cesaro.linear.estimators.linear_classifier import LinearClassifier
from cesaro.linear.estimators.parameter_docs import CLASSIFIER, EVERY_ESTIMATOR, ONE_ALPHA
from cesaro.linear.estimators.parameters import CLASSIFIER_CONSTRAINTS, CONSTRAINTS, check_partial_fit, check_together
from cesaro.linear.estimators.sklearn_compat import _check_partial_fit_first_call, _fit_context
from cesaro.linear.estimators.target_validation import Labels, check_labels, used
from cesaro.linear.estimators.validation import check_rows, check_weights, drop_weightless
from cesaro.linear.out_of_core.csr_store import Store
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.weights import Weights


@complete(EVERY_ESTIMATOR, ONE_ALPHA, CLASSIFIER)
class DualAveragingClassifier(FitsFiles, LinearClassifier):
    """Linear classifier that stops when it can prove that it is done.

    It minimises

        alpha (1 - l1_ratio)/2 |w|^2 + alpha l1_ratio |w|_1
            + sum_i v_i loss(y_i <x_i, w>) / sum_i v_i

    over |w| <= radius, with v the sample weights; one class against the rest when there are more than two. `tol` is the
    proved relative gap to the exact optimum.

    Parameters
    ----------
    alpha : float
        Strength of the regularisation: SGDClassifier's alpha, 1/(C n) of LinearSVC.
    n_jobs : int or None
        Threads over the one-vs-rest classes; the result does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    n_iter_ : int
        Epochs, of the class that took the most.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from cesaro import DualAveragingClassifier
    >>> X, y = make_classification(random_state=0)
    >>> model = DualAveragingClassifier(alpha=0.1, random_state=0).fit(X, y)
    >>> bool(model.relative_gap_ <= 1e-3)
    True
    >>> labels, certified = model.predict_certified(X)
    >>> bool(certified.mean() > 0.5)
    True
    """

    _parameter_constraints = CONSTRAINTS | CLASSIFIER_CONSTRAINTS

    def __init__(
        self,
        loss: str = "hinge",
        *,
        alpha: float = 1e-4,
        l1_ratio: float = 0.0,
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
        self.loss = loss
        self.alpha = alpha
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
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to rows and labels."""
        began = time.perf_counter()
        check_together(self)
        with all_or_nothing(self):
            X = check_rows(self, X, finite=False)
            v = check_weights(X, sample_weight)
            labels = check_labels(X, y)
            X, v, code = drop_weightless(X, v, labels.code)
            self.classes_, code = labels if code is labels.code else used(Labels(labels.classes, code))
            if len(self.classes_) < 2:
                raise ValueError(
                    f"The number of classes has to be at least two: got one class, {self.classes_.tolist()[0]!r}."
                )
            problems = self._one_vs_rest(make_rows(X, self._bias), code, v, self.alpha)
            at_zero = [self._value_at_zero()] * len(problems)
            return self._finish(problems, at_zero, self._settings(began))

    def _fit_store(self, store: Store, memory: float, cache: Path | None) -> Self:
        values, counts = self._tally(store)
        self.classes_ = store.named(values)
        models = 1 if len(counts) == 2 else len(counts)
        problems = self._of_store(store, self._lay_out(store, memory, cache, models), values, counts)
        return self._finish(problems, [self._value_at_zero()] * len(problems), self._settings(time.perf_counter()))

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """One epoch over these rows; of earlier ones only the average is remembered.

        Parameters
        ----------
        classes : array-like of shape (n_classes,) or None
            All labels that will ever come; needed in the first call.
        """
        check_partial_fit(self)
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all labels at once, which partial_fit does not have. "
                "Compute the weights with sklearn.utils.class_weight.compute_class_weight and pass them as a dict."
            )
        with all_or_nothing(self):
            first = _check_partial_fit_first_call(self, classes)
            problems = self._batch(X, y, sample_weight, first)
            self._publish(self._one_pass(problems), [self._value_at_zero()] * len(problems), problems[0])
        return self

    def _batch(self, X: Any, y: Any, sample_weight: ArrayLike | None, first: bool) -> list[Problem]:
        """The problems of a batch whose labels are among classes_."""
        if len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be at least two: got classes={self.classes_}.")
        X = check_rows(self, X, reset=first)
        v = check_weights(X, sample_weight)
        here, code = check_labels(X, y)
        unknown = np.setdiff1d(here, self.classes_)
        if len(unknown):
            raise ValueError(f"y has labels that are not in classes={self.classes_}: {unknown}.")
        code = np.searchsorted(self.classes_, here)[code]
        return self._one_vs_rest(make_rows(X, self._bias), code, v, self.alpha)
