"""Small problems: the optimum to the last digits, proved."""

import numpy as np
import pytest
from scipy.optimize import minimize

from cesaro.compiled.blas_threads import one_blas_thread
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.anchored.box_qp import minimise
from cesaro.linear.solvers.anchored.polish import polish, suits
from cesaro.linear.solvers.parallel import solve
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import ALL, CLASSIFICATION


def problem(loss, mu, n=40, d=7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = rng.normal(size=n)
    if loss in CLASSIFICATION:
        y = np.where(X[:, 0] + y > 0, 1.0, -1.0)
    return Problem(make_rows(X, 1.0), y, rng.integers(0, 4, n).astype(float), ALL[loss](), mu)


def objective(problem, w):
    X = np.column_stack([problem.rows.data.reshape(problem.rows.n, -1), np.full(problem.rows.n, problem.rows.bias)])
    loss = np.average(problem.loss.value(X @ w, problem.y), weights=problem.v)
    return problem.mu / 2 * w @ w + loss


@pytest.mark.parametrize("mu", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("loss", sorted(ALL))
def test_a_polished_point_is_proved_optimal_to_twelve_digits(loss, mu):
    for seed in range(3):
        p = problem(loss, mu, seed=seed)
        found = polish(p, np.zeros(p.rows.width))
        assert found.lower_bound <= found.objective <= found.lower_bound * (1 + 1e-12) + 1e-15
        assert found.objective == pytest.approx(objective(p, found.w), rel=1e-12)


@pytest.mark.parametrize("loss", sorted(ALL))
def test_no_point_that_scipy_finds_lies_below_the_proved_bound(loss):
    p = problem(loss, 0.1, seed=5)
    found = polish(p, np.zeros(p.rows.width))
    peer = minimize(
        lambda w: objective(p, w), np.zeros(p.rows.width), method="Nelder-Mead" if p.rows.d < 3 else "Powell"
    )
    assert peer.fun >= found.lower_bound
    assert peer.fun <= found.objective * 1.01


def test_repeated_rows_share_their_dual_value_and_leave_the_point_unchanged():
    p = problem("hinge", 1e-3)
    once = p._replace(v=np.ones(p.rows.n))
    X = p.rows.data.reshape(p.rows.n, -1)
    twice = Problem(make_rows(np.vstack([X, X]), 1.0), np.tile(p.y, 2), np.ones(2 * p.rows.n), p.loss, p.mu)
    start = np.zeros(p.rows.width)
    np.testing.assert_allclose(polish(once, start).w, polish(twice, start).w, rtol=1e-9, atol=1e-11)


def test_a_box_that_does_not_bind_gives_the_solution_of_the_equations():
    rng = np.random.default_rng(3)
    A, x = rng.normal(size=(5, 8)), rng.uniform(-1, 1, 5)
    found, _ = minimise(A, A @ (A.T @ x), np.full(5, -2.0), np.full(5, 2.0))
    np.testing.assert_allclose(found, x, rtol=1e-10)


def test_large_problems_l1_and_balls_are_left_to_the_sweeps():
    p = problem("hinge", 0.1)
    assert suits(p)
    assert not suits(p._replace(l1=0.1))
    assert not suits(p._replace(radius=1.0))
    assert not suits(problem("hinge", 0.1, n=300_000))


def test_what_the_sweeps_do_not_finish_is_polished_but_not_within_a_few_epochs():
    p = problem("hinge", 1e-9, n=60, d=30)
    settings = Settings(tol=1e-6, max_iter=1000)
    fit = solve(p, settings)
    assert fit.status == "converged"
    assert fit.objective - fit.lower_bound <= 1e-6 * max(fit.objective, 1e-3)
    assert fit.history["lower_bound"][-1] == fit.lower_bound
    assert (np.diff(fit.history["epoch"]) > 0).all()
    assert solve(p, settings._replace(max_iter=5)).n_iter == 5
    assert solve(p, settings._replace(tol=0.0, max_iter=30)).n_iter == 30


def test_the_blas_limit_is_lifted_when_the_last_one_leaves():
    from cesaro.compiled import blas_threads

    before = [library["num_threads"] for library in blas_threads._controller().info()]
    with one_blas_thread(), one_blas_thread():
        blas = [library for library in blas_threads._controller().info() if library["user_api"] == "blas"]
        assert all(library["num_threads"] == 1 for library in blas)
    assert [library["num_threads"] for library in blas_threads._controller().info()] == before
