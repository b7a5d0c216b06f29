"""Small problems: the optimum to the last digits, proved."""

import numpy as np
import pytest
from scipy.optimize import minimize
from threadpoolctl import threadpool_info

from cesaro.compiled.blas_threads import one_blas_thread
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.anchored import dual_qp
from cesaro.linear.solvers.anchored.box_qp import minimise
from cesaro.linear.solvers.anchored.polish import polish, suits
from cesaro.linear.solvers.parallel import solve
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import ALL, CLASSIFICATION


def problem(loss, mu, n=40, d=7, seed=0, free=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = rng.normal(size=n)
    if loss in CLASSIFICATION:
        y = np.where(X[:, 0] + y > 0, 1.0, -1.0)
    v = rng.integers(0, 4, n).astype(float)
    return Problem(make_rows(X, 1.0), y, v, ALL[loss](), mu, penalize_intercept=not free)


def objective(problem, w):
    X = np.column_stack([problem.rows.data.reshape(problem.rows.n, -1), np.full(problem.rows.n, problem.rows.bias)])
    loss = np.average(problem.loss.value(X @ w, problem.y), weights=problem.v)
    w = w if problem.penalize_intercept else w[:-1]
    return problem.mu / 2 * w @ w + loss


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("mu", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("loss", sorted(ALL))
def test_a_polished_point_is_proved_optimal_to_twelve_digits(loss, mu, free):
    for seed in range(3):
        p = problem(loss, mu, seed=seed, free=free)
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


def test_an_equation_beside_the_box_is_kept_and_its_multiplier_found():
    rng = np.random.default_rng(4)
    A, c, e = rng.normal(size=(12, 5)), rng.normal(size=12), rng.uniform(0.5, 2.0, 12)
    low, high = np.full(12, -0.3), np.full(12, 0.4)
    with np.errstate(all="ignore"):
        found, products = minimise(A, c, low, high, e, 0.7)
    assert e @ found == pytest.approx(0.7, abs=1e-12)
    np.testing.assert_allclose(products[-1], A.T @ found, atol=1e-10)
    within = [{"type": "eq", "fun": lambda x: e @ x - 0.7}]
    peer = minimize(
        lambda x: (A.T @ x) @ (A.T @ x) / 2 - c @ x, found, method="SLSQP", constraints=within,
        bounds=list(zip(low, high, strict=True)), options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert (A.T @ found) @ (A.T @ found) / 2 - c @ found <= peer.fun + 1e-10


@pytest.mark.parametrize("loss", ["hinge", "quantile", "epsilon_insensitive"])
@pytest.mark.parametrize("free", [False, True])
def test_rows_far_from_their_kink_need_not_be_solved_for(loss, free, monkeypatch):
    p = problem(loss, 1e-3, n=2000, d=5, free=free)
    sizes = []
    monkeypatch.setattr(dual_qp, "minimise", lambda A, *rest: sizes.append(len(A)) or minimise(A, *rest))
    found = polish(p, solve(p, Settings(tol=1e-2)).w)
    assert found.objective - found.lower_bound <= 1e-11 * found.objective
    assert max(sizes) < 0.75 * np.count_nonzero(p.v)


def test_the_best_intercept_is_a_weighted_quantile_of_the_residuals():
    rng = np.random.default_rng(2)
    for loss in (ALL["hinge"](), ALL["quantile"](quantile=0.8), ALL["epsilon_insensitive"](epsilon=0.3)):
        y = np.where(rng.normal(size=50) > 0.3, 1.0, -1.0) if loss == ALL["hinge"]() else rng.normal(size=50)
        s, p = rng.dirichlet(np.ones(50)), rng.normal(size=50)
        best = dual_qp.weighted_quantile_intercept(dual_qp.dual_box(dual_form(loss), y), s, p)
        at = s @ loss.value(p + best, y)
        assert all(at <= s @ loss.value(p + best + t, y) + 1e-12 for t in np.linspace(-3, 3, 301))


@pytest.mark.parametrize("loss", sorted(ALL))
def test_a_looser_tolerance_takes_no_more_epochs(loss):
    p = problem(loss, 1e-4, n=300, d=8, free=True)
    X = p.rows.data.reshape(300, -1) * 10.0 ** np.linspace(-3.0, 3.0, 8)  # columns of very different scales
    p = p._replace(rows=make_rows(X, 1.0))
    fits = [solve(p, Settings(tol=tol)) for tol in (1e-1, 1e-3, 1e-5, 1e-7)]
    assert [fit.status for fit in fits] == ["converged"] * 4
    assert (np.diff([fit.n_iter for fit in fits]) >= 0).all()


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
    before = [library["num_threads"] for library in threadpool_info()]
    with one_blas_thread(), one_blas_thread():
        blas = [library for library in threadpool_info() if library["user_api"] == "blas"]
        assert all(library["num_threads"] == 1 for library in blas)
    assert [library["num_threads"] for library in threadpool_info()] == before
