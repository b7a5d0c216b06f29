"""Fits that are compared bit by bit, for the tests of checkpoints."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from cesaro.linear import (
    DualAveragingClassifier,
    DualAveragingRegressor,
)
from cesaro.linear.solvers.progress import Silence, watched_by


def data(n=400, d=9, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    scores = X @ rng.normal(size=(d, classes)) + rng.normal(size=(n, classes))
    return X, scores.argmax(axis=1), scores


def classifier(**more):
    return DualAveragingClassifier(**{"alpha": 1e-3, "random_state": 5, "tol": 1e-4, "max_iter": 12} | more)


def regressor(**more):
    return DualAveragingRegressor(**{"alpha": 1e-3, "random_state": 5, "tol": 1e-4, "max_iter": 12} | more)


def quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def assert_same(one, other):
    """Not nearly: the same bits, but for the clock."""
    for name in ("coef_", "intercept_", "objective_", "lower_bound_", "n_iter_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name, strict=True)
    assert one.history_.keys() == other.history_.keys()
    for name in one.history_.keys() - {"time"}:
        np.testing.assert_array_equal(one.history_[name], other.history_[name], err_msg=name, strict=True)


class Crash(Exception):
    """What ends a run in these tests."""


def crash_at(epoch):
    """A progress that crashes when a model reports that epoch or a later one."""

    class Crashing(Silence):
        def __call__(self, model, number, objective, lower_bound):
            if number >= epoch:
                raise Crash

    return watched_by(Crashing)


def long_fit(solver, place):
    """The fit that is killed: some seconds, and a checkpoint after every epoch."""
    X, y, _ = data(n=3000, d=20, classes=3 if solver == "pegasos" else 2)
    return quietly(classifier(solver=solver, tol=0.0, max_iter=60, checkpoint=place), X, y)


def numbers(model):
    """All that must be the same, in one array."""
    parts = [model.coef_, model.intercept_, model.objective_, model.lower_bound_]
    parts += [model.history_[name] for name in ("epoch", "objective", "lower_bound", "active")]
    return np.concatenate([np.ravel(part) for part in parts])
