"""A free intercept at an evaluation is the best for its weights, and costs hardly an epoch."""

import numpy as np
import pytest
import scipy.sparse as sp

from cesaro import losses
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.anchored.best_intercept import best_change
from cesaro.linear.solvers.anchored.records import V, Y
from cesaro.linear.solvers.parallel import solve
from cesaro.linear.solvers.settings import Settings

LOSSES = [losses.Hinge(), losses.LogLoss(), losses.SquaredHinge(), losses.Quantile(0.8), losses.Huber(0.1)]


def a_record(loss, rng, n=300):
    y = rng.normal(size=n) if dual_form(loss).cap == 0.0 else np.where(rng.random(n) < 0.3, 1.0, -1.0)
    record = np.zeros((n, 4))
    record[:, Y], record[:, V] = y, rng.random(n)
    return record


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("off", [0.0, -7.0, 0.01, 40.0])
def test_the_best_change_is_as_good_as_any_of_a_fine_grid(loss, off):
    rng = np.random.default_rng(0)
    record, p = a_record(loss, rng), rng.normal(size=300) + off

    def mean(change):
        return np.average(loss.value(p + change, record[:, Y]), weights=record[:, V])

    slopes = float(record[:, V] @ loss.slope(p, record[:, Y]))
    found = best_change(record, dual_form(loss), p, np.arange(300, dtype=np.uint32), slopes, 0.2, np.inf, 1e-4)
    grid = np.linspace(-5.0, 5.0, 4001) - off
    assert mean(found) <= min(map(mean, grid)) + 1e-5


def test_wide_rows_take_hardly_more_epochs_with_a_free_intercept_than_with_none():
    rng, epochs = np.random.default_rng(2), {}
    X = sp.random_array((4000, 8000), density=0.004, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=8000) + 0.3 * rng.normal(size=4000) > 0.3, 1.0, -1.0)
    for bias in (0.0, 1.0):
        problem = Problem(make_rows(X, bias), y, np.ones(4000), losses.Hinge(), 1e-3, penalize_intercept=False)
        fit = solve(problem, Settings(tol=1e-3, seed=0))
        assert fit.status == "converged"
        epochs[bias] = fit.n_iter
    assert epochs[1.0] <= 1.2 * epochs[0.0] + 1
