"""What rounding does over many epochs, with uneven weights, and to rows that are small beside the constant feature."""

from fractions import Fraction

import numpy as np
import pytest

from cesaro.linear import DualAveragingClassifier
from cesaro.linear.bounds.cutting_planes import CuttingPlanes
from cesaro.linear.bounds.intercept_interval import predictions
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.averaging.solver import AveragingSolver
from cesaro.linear.solvers.averaging.variants import VARIANTS
from cesaro.losses import ALL
from cesaro.weights import Power


def test_planes_of_late_epochs_with_weights_that_are_no_integers():
    """Their weight was the difference of two sums of all epochs: bounds rose above the optimum by hundreds of roundings."""
    rng = np.random.default_rng(1)
    x, y, mu = rng.normal(size=(64, 1)), rng.normal(size=64), 1e6
    problem = Problem(make_rows(x, 0.0), y, np.ones(64), ALL["squared_error"](), mu)
    xs, ys = [Fraction(float(a)) for a in x[:, 0]], [Fraction(float(a)) for a in y]
    xx, xy, yy = (sum(a * b for a, b in zip(*pair, strict=True)) / 64 for pair in ((xs, xs), (xs, ys), (ys, ys)))
    optimum = yy / 2 - xy * xy / (2 * (Fraction(mu) + xx))
    run = AveragingSolver(problem, VARIANTS["sc-pda"], Power(0.7), False, np.random.default_rng(0))
    run.begin(None, 100.0)
    for _ in range(7000):
        run.advance()
    c = run.cuts.planes.c[2:]
    assert (c.max() - c.min()) <= 60 * 2.0**-53 * c.max()
    assert Fraction(run.bound()) <= optimum


def test_the_mean_of_all_planes_counts_its_own_rounding():
    problem = Problem(make_rows(np.ones((1, 1)), 0.0), np.ones(1), np.ones(1), ALL["squared_error"](), 1.0)
    planes, c, s = CuttingPlanes(problem), 0.1, np.array([-0.3])
    for t in range(1, 3001):
        planes.add(s, c, 2.0 / (t + 1.0), 0.0)
    assert planes.c[1] <= c
    assert abs(planes.S[1, 0] - s[0]) <= planes.lost[1]


def test_the_mean_of_a_new_run_has_nothing_of_one_that_exploded():
    problem = Problem(make_rows(np.ones((1, 1)), 0.0), np.ones(1), np.ones(1), ALL["squared_error"](), 1.0)
    planes, s = CuttingPlanes(problem), np.array([-0.3])
    planes.add(1e20 * s, -1e40, 1.0, 1e5)
    planes.add(s, 0.1, 1.0, 1e-15)
    assert (planes.S[1], planes.c[1], planes.lost[1]) == (s, 0.1, 1e-15)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_one_row_with_nearly_all_the_weight(loss):
    """The sum of the losses at 0, row after row, was less than the dual value by more than what is allowed for."""
    rng, n = np.random.default_rng(0), 4000
    weights = np.full(n, 5e-17)
    weights[0] = 1.0
    model = DualAveragingClassifier(loss, alpha=1e8, tol=1e-16, max_iter=12, fit_intercept=False)
    model.fit(rng.normal(size=(n, 5)), rng.integers(0, 2, n), sample_weight=weights)
    assert model.lower_bound_ <= model.objective_


@pytest.mark.parametrize("size", [1.0, 1e-4, 1e-9, 1e-15])
def test_lengths_of_rows_that_are_small_beside_the_constant_feature(size):
    X = np.random.default_rng(0).normal(size=(5, 3)) * size
    rows, p, lengths = make_rows(X, 1.0), np.empty(5), np.empty(5)
    predictions(rows, rows._replace(bias=0.0), np.zeros(4), p, lengths)
    np.testing.assert_allclose(lengths, np.linalg.norm(X, axis=1), rtol=1e-14)
