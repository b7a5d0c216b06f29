"""Ways out of a fitted model: the nearest estimator of scikit-learn, and weights in sparse form."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted


class Exports:
    """What a fitted linear model can be turned into."""

    loss: str
    n_features_in_: int
    coef_: Any
    intercept_: Any

    def to_sklearn(self) -> Any:
        """The nearest estimator of scikit-learn, fitted: it gives the same decisions, and other libraries know it.

        It is meant for prediction and conversion (ONNX, SHAP, Core ML): fitting it again uses its own solver and
        strength of regularisation.

        Returns
        -------
        LinearSVC, LogisticRegression, SGDClassifier, Ridge, ElasticNet, HuberRegressor, LinearSVR or QuantileRegressor
            By the loss. `predict` and `decision_function` are the same, and so is `predict_proba` where there is one: for
            "log_loss" with more than two classes and for "modified_huber" that is SGDClassifier's. Several targets
            without a counterpart become a LinearRegression.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from cesaro import DualAveragingClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = DualAveragingClassifier(alpha=0.01, random_state=0).fit(X, y)
        >>> model.to_sklearn()
        LinearSVC(loss='hinge')
        >>> bool((model.to_sklearn().predict(X) == model.predict(X)).all())
        True
        """
        check_is_fitted(self)
        other = _nearest_classifier(self) if hasattr(self, "classes_") else _nearest_regressor(self)
        if hasattr(self, "classes_"):
            other.classes_ = self.classes_.copy()
        other.coef_, other.intercept_ = dense_coef(self).copy(), np.copy(self.intercept_)[()]
        other.n_features_in_, other.n_iter_ = self.n_features_in_, getattr(self, "n_iter_", 0)
        if hasattr(self, "feature_names_in_"):
            other.feature_names_in_ = self.feature_names_in_.copy()
        return other

    def sparsify(self) -> Self:
        """Keep `coef_` as a sparse matrix: less memory if most weights are zero, as with `l1_ratio` or many columns.

        Returns
        -------
        self
            With `coef_` as a CSR array of two dimensions. Predictions are the same; fitting makes it dense again.
        """
        check_is_fitted(self)
        self.coef_ = sp.csr_array(np.atleast_2d(dense_coef(self)))
        return self

    def densify(self) -> Self:
        """Keep `coef_` as an array again, after `sparsify`.

        Returns
        -------
        self
            With `coef_` as `fit` left it.
        """
        check_is_fitted(self)
        self.coef_ = dense_coef(self)
        return self


def dense_coef(model: Any) -> np.ndarray:
    """`coef_` as an array of the shape that `fit` gave it, whatever form it is kept in."""
    sparse: bool = sp.issparse(model.coef_)
    if not sparse:
        return np.asarray(model.coef_)
    dense: np.ndarray = model.coef_.toarray()
    return dense if hasattr(model, "classes_") or np.ndim(model.intercept_) else dense[0]


def _nearest_classifier(model: Any) -> Any:
    """An unfitted classifier of scikit-learn with the same scores and probabilities."""
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.svm import LinearSVC

    if model.loss in ("hinge", "squared_hinge"):
        return LinearSVC(loss=model.loss, fit_intercept=model.fit_intercept)
    if model.loss == "log_loss" and len(model.classes_) == 2:
        return LogisticRegression(fit_intercept=model.fit_intercept)
    return SGDClassifier(loss=model.loss, fit_intercept=model.fit_intercept)


def _nearest_regressor(model: Any) -> Any:
    """An unfitted regressor of scikit-learn with the same predictions."""
    from sklearn.linear_model import ElasticNet, HuberRegressor, LinearRegression, QuantileRegressor, Ridge
    from sklearn.svm import LinearSVR

    intercept = {"fit_intercept": model.fit_intercept}
    if model.loss == "squared_error":
        ratio = model._ratio()
        return ElasticNet(l1_ratio=ratio, **intercept) if ratio else Ridge(**intercept)
    if np.ndim(model.intercept_):
        return LinearRegression(**intercept)
    if model.loss == "huber":
        return HuberRegressor(**intercept)
    if model.loss in ("quantile", "absolute_error"):
        return QuantileRegressor(quantile=model.quantile if model.loss == "quantile" else 0.5, **intercept)
    return LinearSVR(loss=model.loss, epsilon=model.epsilon, **intercept)
