"""Small linear problems of every loss, for the tests of the solvers."""

import numpy as np

from cesaro import losses
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem

EACH = [losses.ALL[name]() for name in losses.ALL] + [losses.Quantile(0.8), losses.Huber(1.35)]


def classes(rng, n, d, noise=0.5):
    X = rng.normal(size=(n, d))
    return X, np.where(X @ rng.normal(size=d) + noise * rng.normal(size=n) > 0, 1.0, -1.0)


def make(X, y, loss=None, mu=1e-2, v=None, bias=0.0, **more):
    rows = make_rows(X, bias)
    return Problem(rows, y, np.ones(len(y)) if v is None else v, loss or losses.Hinge(), mu, **more)


def a_problem(rng, kind, case):
    """A small random problem: with intercept or without, with weights of which some are 0; plain, L1, or in a ball."""
    n, d = int(rng.integers(1, 16)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7) * 10 ** rng.uniform(-1, 1)
    y = rng.choice([-1.0, 1.0], n) if kind in losses.CLASSIFICATION.values() else 3 * rng.normal(size=n)
    v = rng.choice([0.0, 1.0, 2.5], n)
    v[0] = 1.0
    l1 = 10 ** rng.uniform(-3, 0) if case == "l1" else 0.0
    radius = 10 ** rng.uniform(-1.5, 1) if case == "ball" else np.inf
    mu, bias = 10 ** rng.uniform(-3, 1), float(rng.choice([0.0, 1.0, 3.0]))
    return make(X, y, kind(), mu, v, bias, l1=l1, radius=radius)
