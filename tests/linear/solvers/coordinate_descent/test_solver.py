"""Coordinate descent finds the optimum of a loss with L1, with exact zeros and a bound that holds."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from independent_optimum import dense, objective, optimum
from solving import by_coordinate_descent

from cesaro import losses
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem, value_at_zero
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.coordinate_descent.local_model import LocalModel
from cesaro.linear.solvers.coordinate_descent.solver import CoordinateDescentSolver, handles
from cesaro.linear.solvers.driver import Loop
from cesaro.linear.solvers.parallel import solve
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import NULL_SLOT

SMOOTH = sorted(name for name, loss in losses.ALL.items() if not dual_form(loss()).linear)
RATIOS = (0.3, 0.9, 1.0)


def random_problem(name, seed, unequal=2.0, n=None):
    """Columns of scales that differ by up to 10^(2 unequal), some rows sparse, some weighted; any intercept."""
    rng = np.random.default_rng(seed)
    n, d = n or int(rng.integers(4, 40)), int(rng.integers(1, 12))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-unequal, unequal, d)
    if seed % 3 == 0:
        X += 3.0 * rng.normal(size=d)
    if seed % 2:
        X *= rng.random((n, d)) < 0.5
    scores = X / np.maximum(np.abs(X).max(axis=0), 1e-9) @ rng.normal(size=d) + rng.normal(size=n)
    loss = losses.ALL[name]()
    if name in losses.CLASSIFICATION:
        y = np.where(scores > np.median(scores), 1.0, -1.0)
    else:
        y = scores * 10.0 ** rng.uniform(-1, 1)
    v = np.ones(n) if seed % 4 < 2 else rng.uniform(0.1, 2.0, n)
    steepest = np.abs(X.T @ (v / v.sum() * loss.slope(np.zeros(n), y))).max()
    alpha, ratio = steepest * 10.0 ** rng.uniform(-2.5, 0.2) + 1e-9, RATIOS[seed % 3]
    mu = alpha * (1.0 - ratio)
    penalized = bool(rng.integers(2)) and mu > 0.0
    bias = float(rng.integers(3))
    return Problem(make_rows(X, bias), y, v, loss, mu, alpha * ratio, penalize_intercept=penalized)


@pytest.mark.parametrize("name", sorted(losses.ALL))
def test_it_finds_the_optimum_and_proves_it(name):
    for seed in range(30 if name in SMOOTH else 12):  # the others' optimum takes seconds to find
        problem = random_problem(name, seed)
        assert handles(problem)
        fit = by_coordinate_descent(problem, tol=1e-7)
        _, best = optimum(problem)
        unit = max(fit.objective, 1e-3 * value_at_zero(problem))
        assert fit.status == "converged"
        assert fit.n_iter < 40
        assert fit.objective == pytest.approx(objective(problem, fit.w), rel=1e-10, abs=1e-14)
        assert fit.lower_bound <= best * (1.0 + 1e-13)
        assert fit.objective <= best + 2e-7 * unit


@pytest.mark.parametrize("name", sorted(losses.ALL))
def test_no_bound_is_above_the_optimum_at_any_time(name):
    for seed in range(100, 130 if name in SMOOTH else 106):  # the others' optimum takes seconds to find
        problem = random_problem(name, seed)
        _, best = optimum(problem)
        fit = solve(problem, Settings(tol=0.0, max_iter=6))
        assert fit.history["lower_bound"].max() <= best * (1.0 + 1e-13)
        assert fit.history["objective"].min() >= best * (1.0 - 1e-5)


def test_a_bound_holds_where_the_free_intercept_is_not_the_best(monkeypatch):
    monkeypatch.setattr(LocalModel, "centre", LocalModel.linearise)
    for seed in range(300, 330):
        problem = random_problem("log_loss", seed)
        problem = problem._replace(rows=problem.rows._replace(bias=1.0), penalize_intercept=False)
        fit = by_coordinate_descent(problem, tol=0.0, max_iter=2)
        assert fit.lower_bound <= optimum(problem)[1] * (1.0 + 1e-13)


@pytest.mark.parametrize("name", sorted(losses.ALL))
def test_rounding_does_not_lift_a_bound_above_an_objective_summed_with_more_digits(name):
    for seed in range(200, 212):
        problem = random_problem(name, seed, unequal=3.0)
        fit = by_coordinate_descent(problem, tol=0.0, max_iter=30)
        w, X, y = (each.astype(np.longdouble) for each in (fit.w, dense(problem), problem.y))
        share, features = problem.v.astype(np.longdouble) / problem.v.sum(dtype=np.longdouble), w[: problem.rows.d]
        penalized = w if problem.penalize_intercept else features
        penalty = problem.mu / 2 * (penalized @ penalized) + problem.l1 * np.abs(features).sum()
        assert fit.lower_bound <= penalty + share @ problem.loss.value(X @ w, y)


@pytest.mark.parametrize("name", SMOOTH)
def test_weights_are_zero_exactly_where_the_optimality_conditions_say_so(name):
    for seed in (2, 5, 11):
        problem = random_problem(name, seed, unequal=0.0, n=60)
        w, X, s = solve(problem, Settings(tol=1e-10)).w, dense(problem), problem.v / problem.v.sum()
        slopes = np.abs(X.T @ (s * problem.loss.slope(X @ w, problem.y)))[: problem.rows.d]
        w = w[: problem.rows.d]
        assert (w[slopes < problem.l1 * (1.0 - 1e-4)] == 0.0).all()
        np.testing.assert_allclose(slopes[w != 0.0], problem.l1 + problem.mu * np.abs(w[w != 0.0]), rtol=1e-3)


def test_epochs_that_do_not_end_are_followed_by_coordinate_descent():
    problem = random_problem("quantile", 9, unequal=3.0)._replace(mu=1e-3)
    fit = solve(problem, Settings(tol=1e-6))
    assert fit.status == "converged"
    assert 150 < fit.n_iter < 200
    assert fit.lower_bound <= optimum(problem)[1] * (1.0 + 1e-13) <= fit.objective * (1.0 + 2e-6)
    few = solve(problem, Settings(tol=1e-6, max_iter=100))
    assert (few.status, few.n_iter) == ("max_iter", 100)


def test_columns_that_cannot_matter_are_never_copied():
    from cesaro.linear.solvers.coordinate_descent.solver import CoordinateDescentSolver
    from cesaro.linear.solvers.driver import run_to_end

    rng = np.random.default_rng(0)
    X = sp.random(300, 2000, 0.02, random_state=0, format="csr")
    y = X @ np.where(np.arange(2000) < 5, 3.0, 0.0) + 0.01 * rng.normal(size=300)
    problem = Problem(make_rows(X), y, np.ones(300), losses.SquaredError(), 0.0, np.abs(X.T @ y).max() / 3000)
    solver = CoordinateDescentSolver(problem, Settings(tol=1e-6), None)
    (fit,) = run_to_end(solver, Settings(tol=1e-6))
    assert fit.status == "converged"
    assert np.count_nonzero(fit.w) <= len(solver.pool.columns) < 500


def test_single_precision_unit_values_and_extreme_scales_give_the_same_model():
    rng = np.random.default_rng(1)
    X = (rng.random((80, 12)) < 0.4).astype(np.float64)
    y = np.where(X @ rng.normal(size=12) + rng.normal(size=80) > 0.0, 1.0, -1.0)
    ones = Problem(make_rows(X, 1.0), y, np.ones(80), losses.LogLoss(), 0.0, 0.01, penalize_intercept=False)
    w = solve(ones, Settings(tol=1e-10)).w
    single = ones._replace(rows=make_rows(X.astype(np.float32) * np.float32(2.0), 1.0), l1=0.02)
    np.testing.assert_allclose(2.0 * solve(single, Settings(tol=1e-10)).w[:-1], w[:-1], rtol=1e-4, atol=1e-6)
    large = ones._replace(rows=make_rows(X * 2.0**100, 1.0), l1=0.01 * 2.0**100)
    np.testing.assert_allclose(solve(large, Settings(tol=1e-10)).w[:-1] * 2.0**100, w[:-1], rtol=1e-4, atol=1e-6)


def test_a_warm_start_goes_on_where_the_last_fit_ended():
    problem = random_problem("log_loss", 5, unequal=0.0, n=60)
    cold = solve(problem, Settings(tol=1e-9))
    warm = solve(problem, Settings(tol=1e-9), cold.state)
    assert warm.n_iter == 1 < cold.n_iter
    assert warm.objective <= cold.objective


def test_a_free_intercept_of_columns_with_large_means_is_no_obstacle():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(100, 5)) + 1e4 * rng.normal(size=5)
    y = X @ rng.normal(size=5) + rng.normal(size=100)
    problem = Problem(make_rows(X, 1.0), y - y.mean(), np.ones(100), losses.SquaredError(), 0.0, 0.1)
    fit = solve(problem._replace(penalize_intercept=False), Settings(tol=1e-6))
    centred = Problem(make_rows(X - X.mean(axis=0)), y - y.mean(), np.ones(100), losses.SquaredError(), 0.0, 0.1)
    assert fit.status == "converged"
    assert fit.n_iter <= 5
    np.testing.assert_allclose(fit.w[:-1], solve(centred, Settings(tol=1e-9)).w, rtol=1e-3)


@pytest.mark.parametrize("evaluated", [False, True])
def test_an_epoch_ends_while_there_is_time_for_an_evaluation_as_long_as_its_steps_or_as_the_last(evaluated):
    settings = Settings()
    loop = Loop(CoordinateDescentSolver(random_problem("log_loss", 0), settings, None), settings, None, NULL_SLOT)
    now = time.perf_counter()
    loop.epoch_began = now - 100.0
    loop.evaluation_time.seconds = 10.0 if evaluated else 0.0
    for left in (1.0, 50.0, 1000.0):
        loop.limit = now + left
        assert loop.solver.must_end() == (left <= (10.0 if evaluated else 100.0))
