"""What every linear regressor does with targets: centre them, one problem per column, predictions back."""

from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from cesaro.docstrings import complete
from cesaro.linear.estimators.base import LinearModel
from cesaro.linear.estimators.parameter_docs import EVERY_ESTIMATOR
from cesaro.linear.estimators.validation import check_points
from cesaro.linear.out_of_core.csr_store import Store
from cesaro.linear.problem.block_order import Layout, pieces
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.problem import Problem
from cesaro.losses import REGRESSION, Loss


@complete(EVERY_ESTIMATOR)
class LinearRegressor(RegressorMixin, MultiOutputMixin, LinearModel):
    """Predictions from coef_ and intercept_."""

    def _loss(self) -> Loss:
        kind: Any = REGRESSION[self.loss]
        return kind(**{field.name: float(getattr(self, field.name)) for field in fields(kind)})

    def _mean(self, y: np.ndarray, v: np.ndarray) -> Any:
        """The weighted mean of the targets, which an intercept takes over; zero without one."""
        return np.average(y, axis=0, weights=v) if self.fit_intercept else np.zeros(y.shape[1:])

    def _units(self, spread: Any) -> np.ndarray:
        """What alpha is divided by, for each column of targets with these standard deviations."""
        loss = self._loss()
        return np.array([loss.alpha_unit(float(each)) for each in np.ravel(spread)])

    def _columns(self, rows: Rows, y: np.ndarray, v: np.ndarray, alpha: float) -> list[Problem]:
        """One problem for each column of y (centred already); they share rows and weights."""
        return [
            self._problem(rows, column, v, alpha, unit)
            for column, unit in zip(columns_of(y), self._alpha_units, strict=True)
        ]

    def _of_store(self, store: Store, layout: Layout) -> Problem:
        """The problem of a store's rows, a piece at a time."""
        v, y = layout.empty(store.n), layout.empty(store.n)
        v[:] = 1.0
        means = [self._mean(store.y[piece], v[piece]) for piece in pieces(store.n)]
        sizes = [len(store.y[piece]) for piece in pieces(store.n)]
        self._center = np.average(means, axis=0, weights=sizes)
        for piece in pieces(store.n):
            y[piece] = store.y[piece] - self._center
        mean = np.average([np.mean(y[piece]) for piece in pieces(store.n)], weights=sizes)
        square = np.average([np.mean((y[piece] - mean) ** 2) for piece in pieces(store.n)], weights=sizes)
        self._alpha_units = self._units(np.sqrt(square))
        rows, unit = store.rows(self._bias), float(self._alpha_units[0])
        return self._problem(rows, y, v, self.alpha, unit)._replace(layout=layout)

    def _shape(self, single: bool) -> None:
        """Add the centre of y back, and drop the axis of the targets if y had none."""
        self.intercept_ = self.intercept_ + self._center
        if single:
            self.coef_, self.intercept_ = self.coef_[0], self.intercept_[0]

    def predict(self, X: Any) -> np.ndarray:
        """<x, w> + b for each row.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            One column per target, as in `fit`.
        """
        check_is_fitted(self)
        return self._answer(check_points(self, X))

    def _answer(self, X: Any) -> np.ndarray:
        found = safe_sparse_dot(X, self.coef_.T, dense_output=True)
        return (found if np.ndim(self.intercept_) else found.reshape(-1)) + self.intercept_


def spread_of(y: np.ndarray, v: np.ndarray) -> Any:
    """The weighted standard deviation of the targets, or of each column of them; infinite where it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        far = y - np.average(y, axis=0, weights=v)
        unit = np.maximum(np.abs(far).max(axis=0), np.finfo(np.float64).tiny)  # squares neither overflow nor vanish
        found = unit * np.sqrt(np.average((far / unit) ** 2, axis=0, weights=v))
    return np.where(np.isnan(found), np.inf, found)


def columns_of(y: np.ndarray) -> list[np.ndarray]:
    """The columns of targets (n,) or (n, m)."""
    return [np.ascontiguousarray(column) for column in y.reshape(len(y), -1).T]
