"""Thirty rows with zeros, their labels, and a classifier to its last digits: what the tests of validation share."""

import numpy as np

from cesaro.linear import DualAveragingClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4)) * (RNG.random((30, 4)) < 0.6)
Y = np.where(X.sum(axis=1) + 0.1 * RNG.normal(size=30) > 0, 1, 0)
MODEL = {"alpha": 0.1, "tol": 1e-10, "random_state": 0}


def fitted(X, y=Y, **kwargs):
    return DualAveragingClassifier(**MODEL).fit(X, y, **kwargs)
