"""The regressor: a scikit-learn estimator whose `tol` is a proof."""

import time
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from cesaro.docstrings import complete
from cesaro.linear.estimators.all_or_nothing import all_or_nothing
from cesaro.linear.estimators.fits_files import FitsFiles, Path
from cesaro.linear.estimators.linear_regressor import LinearRegressor, spread_of
from cesaro.linear.estimators.parameter_docs import EVERY_ESTIMATOR, ONE_ALPHA, REGRESSOR
from cesaro.linear.estimators.parameters import CONSTRAINTS, REGRESSOR_CONSTRAINTS, check_partial_fit, check_together
from cesaro.linear.estimators.sklearn_compat import _fit_context
from cesaro.linear.estimators.target_validation import check_targets
from cesaro.linear.estimators.validation import check_rows, check_weights, drop_weightless
from cesaro.linear.out_of_core.csr_store import Store
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import value_at_zero
from cesaro.weights import Weights


@complete(EVERY_ESTIMATOR, ONE_ALPHA, REGRESSOR)
class DualAveragingRegressor(FitsFiles, LinearRegressor):
    """Linear regressor that stops when it can prove that it is done.

    It minimises

        alpha (1 - l1_ratio)/2 |w|^2 + alpha l1_ratio |w|_1
            + sum_i v_i loss(<x_i, w>, y_i) / sum_i v_i

    over |w| <= radius, with v the sample weights; one model for each column of y. With an intercept y is centred first,
    and its (weighted) mean is added back. `tol` is the proved relative gap to the exact optimum.

    Parameters
    ----------
    alpha : float
        Strength of the regularisation: SGDRegressor's alpha, in units of the targets' standard deviation where `loss` says
        so; for squared_error Ridge's alpha divided by n.
    n_jobs : int or None
        Threads over the columns of y; the result does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_iter_ : int
        Epochs, of the column that took the most.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from cesaro import DualAveragingRegressor
    >>> X, y = make_regression(n_features=5, random_state=0)
    >>> model = DualAveragingRegressor(random_state=0).fit(X, y)
    >>> bool(model.relative_gap_ <= 1e-3), round(model.score(X, y), 2)
    (True, 1.0)
    """

    _parameter_constraints = CONSTRAINTS | REGRESSOR_CONSTRAINTS

    def __init__(
        self,
        loss: str = "squared_error",
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
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to rows and targets."""
        began = time.perf_counter()
        check_together(self)
        with all_or_nothing(self):
            X = check_rows(self, X, finite=False)
            v = check_weights(X, sample_weight)
            X, v, y = drop_weightless(X, v, check_targets(X, y))
            self._center, self._alpha_units = self._mean(y, v), self._units(spread_of(y, v))
            problems = self._columns(make_rows(X, self._bias), y - self._center, v, self.alpha)
            at_zero = [value_at_zero(problem) for problem in problems]
            self._finish(problems, at_zero, self._settings(began))
            self._shape(y.ndim == 1)
            return self

    def _fit_store(self, store: Store, memory: float, cache: Path | None) -> Self:
        if store.labels is not None:
            raise ValueError(
                f"a regression needs numbers, and the labels are words: {store.labels[:5]}. Use the classifier."
            )
        problem = self._of_store(store, self._lay_out(store, memory, cache, models=1))
        self._finish([problem], [value_at_zero(problem)], self._settings(time.perf_counter()))
        self._shape(single=True)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """One epoch over these rows; of earlier ones only the average is remembered. The first call's mean and spread
        are those of y."""
        check_partial_fit(self)
        first = not self.__sklearn_is_fitted__()
        with all_or_nothing(self):
            X = check_rows(self, X, reset=first)
            v = check_weights(X, sample_weight)
            y = check_targets(X, y)
            if first:
                self._center, self._alpha_units = self._mean(y, v), self._units(spread_of(y, v))
            elif y.shape[1:] != np.shape(self._center):
                raise ValueError(
                    f"y has shape {y.shape}, but earlier calls had {np.size(self._center)} target columns."
                )
            problems = self._columns(make_rows(X, self._bias), y - self._center, v, self.alpha)
            self._publish(self._one_pass(problems), [value_at_zero(problem) for problem in problems], problems[0])
            self._shape(y.ndim == 1)
        return self
