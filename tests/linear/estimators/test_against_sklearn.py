"""The model that is meant: on small real tables, raw and standardised, y in several units, scikit-learn's own objectives.

Every comparison evaluates scikit-learn's objective at both answers: ours is equal or lower to 1e-6.
"""

import warnings

import numpy as np
import pytest
from sklearn import datasets, svm
from sklearn import linear_model as lm
from sklearn.preprocessing import StandardScaler

from cesaro import DualAveragingClassifier, DualAveragingRegressor

TABLES = {
    "diabetes": lambda: datasets.load_diabetes(return_X_y=True, scaled=False),
    "linnerud": lambda: (datasets.load_linnerud().data, datasets.load_linnerud().target[:, 0]),
    "iris-length": lambda: (datasets.load_iris().data[:, 1:], datasets.load_iris().data[:, 0]),
    "wine-alcohol": lambda: (datasets.load_wine().data[:, 1:], datasets.load_wine().data[:, 0]),
    "cancer-radius": lambda: (datasets.load_breast_cancer().data[:, 4:20], datasets.load_breast_cancer().data[:, 0]),
}
LABELS = {
    "cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "wine": lambda: _two(datasets.load_wine),
    "iris": lambda: _two(datasets.load_iris),
    "digits": lambda: _two(datasets.load_digits),
    "diabetes-high": lambda: _high(*datasets.load_diabetes(return_X_y=True, scaled=False)),
}
ALPHA = 1e-2


def _two(load):
    X, y = load(return_X_y=True)
    return X, (y > np.median(y)).astype(int)


def _high(X, y):
    return X, (y > 200.0).astype(int)


def table(name, scaled):
    X, y = (TABLES | LABELS)[name]()
    return (StandardScaler().fit_transform(X) if scaled else X.astype(float)), y


def ours_and_theirs(ours, theirs, X, y, objective):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that of scikit-learn may not converge on raw columns
        theirs.fit(X, y)
    ours.fit(X, y)  # a warning of ours is an error
    found = [objective(np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])) for model in (ours, theirs)]
    assert found[0] <= found[1] + 1e-6 * abs(found[1])
    return found


def squares(w):
    return w @ w / 2.0


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("name", sorted(TABLES))
def test_ridge(name, scaled, unit):
    X, y = table(name, scaled)
    y, n = unit * y, len(y)
    found = ours_and_theirs(
        DualAveragingRegressor(alpha=ALPHA, tol=1e-8, random_state=0), lm.Ridge(alpha=ALPHA * n), X, y,
        lambda w, c: ALPHA * squares(w) + np.mean((X @ w + c - y) ** 2) / 2.0,
    )  # fmt: skip
    assert found[0] == pytest.approx(found[1], rel=1e-6)


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("name", sorted(TABLES))
def test_quantiles_cover_what_they_say(name, scaled, unit, quantile):
    X, y = table(name, scaled)
    model = DualAveragingRegressor("quantile", quantile=quantile, alpha=1e-6, tol=1e-6, random_state=0)
    model.fit(X, unit * y)
    below = unit * y - model.predict(X)
    slack = 1e-7 * unit * np.abs(y).max()  # rows on the quantile itself count on either side
    assert np.mean(below < -slack) <= quantile + 0.01
    assert np.mean(below <= slack) >= quantile - 0.01


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("name", sorted(TABLES))
def test_an_unpenalised_quantile_is_that_of_highs(name, quantile):
    X, y = table(name, scaled=True)
    ours_and_theirs(
        DualAveragingRegressor("quantile", quantile=quantile, alpha=1e-10, tol=1e-6, random_state=0),
        lm.QuantileRegressor(quantile=quantile, alpha=0.0), X, y,
        lambda w, c: np.mean(np.maximum(quantile * (y - X @ w - c), (quantile - 1.0) * (y - X @ w - c))),
    )  # fmt: skip


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("name", sorted(TABLES))
def test_support_vector_regression(name, scaled):
    X, y = table(name, scaled)
    spread, n = y.std(), len(y)
    epsilon, mu = 0.1 * spread, ALPHA / spread
    ours_and_theirs(
        DualAveragingRegressor("epsilon_insensitive", alpha=ALPHA, epsilon=epsilon, tol=1e-7, random_state=0),
        svm.LinearSVR(epsilon=epsilon, C=1.0 / (mu * n), intercept_scaling=1e3, tol=1e-8, max_iter=10**5), X, y,
        lambda w, c: mu * squares(w) + np.mean(np.maximum(0.0, np.abs(X @ w + c - y) - epsilon)),
    )  # fmt: skip


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("name", sorted(TABLES))
def test_huber_with_the_scale_that_scikit_learn_finds(name, scaled):
    """HuberRegressor minimises alpha |w|^2 + sum_i (sigma + H((p - y)/sigma) sigma); at its sigma the rest is ours."""
    X, y = table(name, scaled)
    n, theirs = len(y), lm.HuberRegressor(alpha=ALPHA, max_iter=10**4, tol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sigma = theirs.fit(X, y).scale_
    epsilon, mu = theirs.epsilon * sigma, ALPHA * sigma / n
    ours = DualAveragingRegressor("huber", epsilon=epsilon, tol=1e-8, random_state=0)
    ours.set_params(alpha=mu * ours._loss().alpha_unit(y.std()))
    loss = ours._loss()
    ours_and_theirs(ours, theirs, X, y, lambda w, c: mu * squares(w) + loss.value(X @ w + c, y).mean())


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("name", sorted(LABELS))
def test_logistic_regression(name, scaled):
    X, y = table(name, scaled)
    sign = 2.0 * y - 1.0
    ours_and_theirs(
        DualAveragingClassifier("log_loss", alpha=ALPHA, tol=1e-8, random_state=0),
        lm.LogisticRegression(C=1.0 / (ALPHA * len(y)), tol=1e-10, max_iter=10**4), X, y,
        lambda w, c: ALPHA * squares(w) + np.logaddexp(0.0, -sign * (X @ w + c)).mean(),
    )  # fmt: skip


@pytest.mark.parametrize("l1_ratio", [0.3, 0.95])
@pytest.mark.parametrize("name", sorted(TABLES))
def test_elastic_net(name, l1_ratio):
    X, y = table(name, scaled=True)
    ours_and_theirs(
        DualAveragingRegressor(alpha=ALPHA, l1_ratio=l1_ratio, tol=1e-7, max_iter=10**4, random_state=0),
        lm.ElasticNet(alpha=ALPHA, l1_ratio=l1_ratio, tol=1e-10, max_iter=10**5), X, y,
        lambda w, c: ALPHA * ((1 - l1_ratio) * squares(w) + l1_ratio * np.abs(w).sum())
        + np.mean((X @ w + c - y) ** 2) / 2.0,
    )  # fmt: skip


@pytest.mark.parametrize("loss", ["quantile", "absolute_error", "epsilon_insensitive", "huber", "squared_error"])
def test_targets_in_other_units_give_the_same_model_in_these_units(loss):
    X, y = table("diabetes", scaled=True)
    fits = [
        DualAveragingRegressor(loss, epsilon=0.1 * unit, tol=1e-10, random_state=0).fit(X, unit * y)
        for unit in (1.0, 1024.0)
    ]
    np.testing.assert_allclose(fits[1].coef_, 1024.0 * fits[0].coef_, rtol=1e-6)
    assert fits[1].intercept_ == pytest.approx(1024.0 * fits[0].intercept_, rel=1e-6)


def test_the_absolute_error_is_the_quantile_loss_of_the_median():
    X, y = table("diabetes", scaled=True)
    both = [DualAveragingRegressor(loss, tol=1e-9, random_state=0).fit(X, y) for loss in ("absolute_error", "quantile")]
    np.testing.assert_allclose(both[0].coef_, both[1].coef_, rtol=1e-9)
    assert both[0].objective_ == pytest.approx(both[1].objective_, rel=1e-12)
