"""Data for the estimators, the objective written out once more, and the solvers."""

import numpy as np

SOLVERS = ["anchored", "gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda"]


def data(n=200, d=6, classes=2, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, classes)) + noise * rng.normal(size=(n, classes))
    return X, scores.argmax(axis=1), X @ rng.normal(size=d) + 3.0 + noise * rng.normal(size=n)


def objective(model, X, y, v=None):
    """alpha (1 - r)/2 |w|^2 + alpha r |w|_1 + weighted mean loss, written out once more."""
    w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    b = b - getattr(model, "_center", 0.0)
    loss = model._loss().value(X @ w + b, y)
    penalized = model.penalize_intercept or model.solver != "anchored"
    squares = w @ w + penalized * (b / model.intercept_scaling) ** 2
    unit = float(getattr(model, "_alpha_units", [1.0])[0])
    penalty = model.alpha * ((1 - model.l1_ratio) / 2 / unit * squares + model.l1_ratio * np.abs(w).sum())
    return penalty + np.average(loss, weights=v)


def searched_data(**how):
    """The same, for searches over alpha."""
    return data(**({"d": 5} | how))
