"""Rows in the worst order for blocks, and the models that are fitted to them from files."""

import time

import numpy as np

from cesaro.linear import DualAveragingClassifier, DualAveragingRegressor
from cesaro.linear.out_of_core import readers


def data(n=700, d=15, classes=2, seed=0, exact=False):
    """Rows sorted by label: the worst order for blocks."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    X = np.round(8.0 * X) / 8.0 if exact else X
    y = (X @ rng.normal(size=(d, classes)) + 0.5 * rng.normal(size=(n, classes))).argmax(axis=1)
    by_label = np.argsort(y, kind="stable")
    return X[by_label], y[by_label].astype(float)


def classifier(**more):
    return DualAveragingClassifier(**{"alpha": 1e-3, "random_state": 3, "tol": 1e-4} | more)


def regressor(**more):
    return DualAveragingRegressor(**{"alpha": 1e-3, "random_state": 3, "tol": 1e-4} | more)


def read_slowly(seconds, text):
    """In a process that is to be killed: so many bytes of a file at a time, and a pause after each block."""
    fast = readers.blocks

    def blocks(*args):
        for block in fast(*args):
            yield block
            time.sleep(seconds)

    readers.blocks, readers.TEXT = blocks, text
