"""An intercept without a penalty: the bound stays a bound, the model is the one that is meant."""

import numpy as np
import pytest
import scipy.sparse as sp
from independent_optimum import objective, optimum

from cesaro.linear.bounds.dual_bound import dual_bound
from cesaro.linear.bounds.free_intercept import ConstantPlanes, Plane, balanced, free_bound
from cesaro.linear.bounds.intercept_interval import intercept_reach
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.anchored import one_vs_rest
from cesaro.linear.solvers.anchored.solver import run_epochs
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import ALL, CLASSIFICATION, Hinge, LogLoss
from cesaro.storage.checkpoint import NULL_SLOT


def settings(**changes):
    plain = {"solver": "anchored", "tol": 0.0, "max_iter": 4, "time_limit": None, "seed": 0}
    rest = {"anchor": "auto", "averaging": "auto", "batch_size": 1, "sampling": "reshuffle", "n_jobs": 1}
    return Settings(**(plain | rest | changes))


def problem_of(name, seed, l1=0.0, radius=np.inf):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(8, 30)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-1, 1)
    y = X @ rng.normal(size=d) + rng.normal(size=n) + 3.0 * rng.normal()
    if name in CLASSIFICATION:
        y = np.where(y > np.quantile(y, rng.uniform(0.1, 0.9)), 1.0, -1.0)
    v, mu = rng.uniform(0.1, 3.0, n), 10.0 ** rng.uniform(-3, 0)
    bias = 10.0 ** rng.uniform(-1, 1)
    return Problem(make_rows(X, bias), y, v, ALL[name](), mu, l1, radius, penalize_intercept=False)


def solve(problem, **changes):
    return run_epochs(problem, settings(**changes), None, None, NULL_SLOT)


@pytest.mark.parametrize("name", sorted(ALL))
@pytest.mark.parametrize("kind", ["plain", "l1", "ball"])
def test_the_bound_holds_and_the_optimum_is_reached(name, kind):
    limits = {"plain": {}, "l1": {"l1": 0.03}, "ball": {"radius": 0.3}}[kind]
    for seed in range(3):
        problem = problem_of(name, seed, **limits)
        _, least = optimum(problem)
        unit = 1e-6 * max(1.0, least)
        for epochs in (1, 3, 10):
            fit = solve(problem, max_iter=epochs)
            assert fit.lower_bound <= least + unit
            assert fit.objective == pytest.approx(objective(problem, fit.w), rel=1e-9)
            assert np.linalg.norm(fit.w[:-1]) <= problem.radius * (1 + 1e-12)
        late = solve(problem, max_iter=3000, tol=1e-4)
        assert late.objective <= least + 2e-3 * max(1.0, least)
        assert late.status == "converged"


def test_the_constant_feature_does_not_change_the_model():
    problem = problem_of("log_loss", 3)
    fits = [
        solve(problem._replace(rows=problem.rows._replace(bias=bias)), tol=1e-9, max_iter=5000)
        for bias in (0.1, 1.0, 30.0)
    ]
    for bias, fit in zip((0.1, 1.0, 30.0), fits, strict=True):
        assert fit.w[:-1] == pytest.approx(fits[1].w[:-1], abs=1e-4)
        assert bias * fit.w[-1] == pytest.approx(fits[1].w[-1], abs=1e-4)


@pytest.mark.parametrize("lost", [0.0, 1e-9, 1e-2])
@pytest.mark.parametrize("name", sorted(ALL))
def test_the_bound_of_a_plane_whatever_the_intercept_lies_below_every_model_even_if_the_plane_is_a_little_off(
    name, lost
):
    rng = np.random.default_rng(0)
    problem = problem_of(name, 1)
    loss, v = dual_form(problem.loss), problem.v / problem.v.mean()
    planes = ConstantPlanes(problem.rows, problem.y, v, loss, float(np.abs(problem.y).mean()))
    best = solve(problem, tol=1e-10, max_iter=5000)
    X = np.column_stack([problem.rows.data.reshape(problem.rows.n, -1), np.full(problem.rows.n, problem.rows.bias)])
    share, found, balanced_ = problem.v / problem.v.sum(), [], []
    order = np.arange(0, problem.rows.n, 2, dtype=np.uint32)
    for size in np.repeat([0.0, 1e-9, 1e-2, 0.3], 5):
        b = -problem.loss.slope(X @ (best.w + size * rng.normal(size=len(best.w))), problem.y)
        off = rng.normal(size=len(best.w))
        g = X.T @ (share * b) + lost * off / np.linalg.norm(off)
        plane = Plane(float(-(share @ problem.loss.conjugate(-b, problem.y))), g, lost * (1.0 + 1e-9))
        found.append(free_bound(plane, planes.of, problem.mu, problem.l1, problem.radius))
        before = b.copy()
        flat = balanced(plane, problem.rows, b, problem.y, v, loss, order, problem.rows.n)
        assert flat.g[-1] == 0.0
        assert np.array_equal(b, before)
        balanced_.append(dual_bound(flat.D, flat.g, problem.mu, problem.l1, problem.radius, flat.lost))
    assert max(found + balanced_) <= best.objective + 1e-9 * abs(best.objective)
    assert max(found) > 0.0
    assert max(balanced_) > 0.0 or lost == 1e-2  # one row may not have room for that much


@pytest.mark.parametrize("name", sorted(CLASSIFICATION))
def test_the_optimum_has_its_intercept_within_the_reach(name):
    for seed in range(8):
        problem = problem_of(name, seed)
        best = solve(problem, tol=1e-10, max_iter=5000)
        for epochs in (1, 2, 5, 20):
            fit = solve(problem, max_iter=epochs)
            reach = intercept_reach(problem, fit)
            assert problem.rows.bias * abs(fit.w[-1] - best.w[-1]) <= reach + 1e-4


def reach_of(problem, fit, X):
    """How far the optimum's predictions may be from a fit's."""
    r = np.sqrt(2.0 * (fit.objective - fit.lower_bound) / problem.mu)
    return r * np.linalg.norm(X - fit.intercept.center, axis=1) + fit.intercept.reach


@pytest.mark.parametrize("name", sorted(CLASSIFICATION))
def test_the_optimum_predicts_what_the_dual_values_allow(name):
    known = 0
    for seed in range(8):
        problem = problem_of(name, seed)
        best = solve(problem, tol=1e-10, max_iter=5000)
        rows = problem.rows.data.reshape(problem.rows.n, -1)
        for epochs in (1, 2, 5, 20, 200):
            fit = solve(problem, max_iter=epochs)
            if fit.intercept is None or best.intercept is None:
                continue
            known += 1
            far = 10.0 * np.random.default_rng(seed).normal(size=rows.shape)
            X = np.vstack([rows, far, np.zeros(rows.shape[1]), fit.intercept.center])
            off = np.abs(X @ (fit.w - best.w)[:-1] + problem.rows.bias * (fit.w - best.w)[-1])
            assert (off <= reach_of(problem, fit, X) + reach_of(problem, best, X)).all()
    assert known >= 30


def test_rows_are_measured_from_their_middle_and_the_intercept_adds_little():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 8)) + 2.0
    y = np.where(X @ rng.normal(size=8) + rng.normal(size=2000) > 1.0, 1.0, -1.0)
    problem = Problem(make_rows(X, 1.0), y, np.ones(2000), Hinge(), 1e-3, penalize_intercept=False)
    fit = solve(problem, tol=1e-5, max_iter=3000)
    from_zero = fit._replace(intercept=fit.intercept._replace(center=np.zeros(8), reach=0.0))
    assert np.median(reach_of(problem, fit, X)) < 0.75 * np.median(reach_of(problem, from_zero, X))
    assert fit.intercept.reach < 0.2 * np.median(reach_of(problem, fit, X))


def test_classes_together_have_free_intercepts_as_each_alone_has():
    rng = np.random.default_rng(5)
    X = sp.random_array((300, 400), density=0.05, rng=rng, format="csr")
    code = rng.integers(0, 6, 300)
    rows = make_rows(X, 2.0)
    problems = [
        Problem(rows, np.where(code == k, 1.0, -1.0), np.ones(300), Hinge(), 1e-2, penalize_intercept=False)
        for k in range(6)
    ]
    assert one_vs_rest.applies(problems, settings(tol=1e-3, max_iter=200), [None] * 6)
    together = one_vs_rest.solve(problems, settings(tol=1e-3, max_iter=500))
    for problem, fit in zip(problems, together, strict=True):
        alone = solve(problem, tol=1e-5, max_iter=2000)
        assert fit.objective == pytest.approx(objective(problem, fit.w), rel=1e-6)
        assert fit.lower_bound <= alone.objective
        assert fit.objective <= alone.objective + 1e-3 * max(1.0, alone.objective)


@pytest.mark.parametrize("classes", [1, 4])
def test_the_logistic_loss_of_wide_rows_hardly_needs_more_epochs_with_an_intercept(classes):
    rng = np.random.default_rng(0)
    X = sp.random(6000, 20_000, 0.002, format="csr", random_state=1)
    X.data[:] = 1.0 / np.sqrt(40.0)
    scores = X @ rng.normal(size=(20_000, classes)) - 2.1 - 0.1 * np.arange(classes)
    Y = np.where(scores + 0.3 * rng.normal(size=scores.shape) > 0, 1.0, -1.0).T
    epochs = []
    for bias in (0.0, 1.0):
        rows = make_rows(X, bias)
        problems = [Problem(rows, y, np.ones(6000), LogLoss(), 1e-4, penalize_intercept=False) for y in Y]
        if classes == 1:
            fits = [solve(problems[0], max_iter=200, tol=1e-3)]
        else:
            fits = one_vs_rest.solve(problems, settings(max_iter=200, tol=1e-3), None)
        assert all(fit.status == "converged" for fit in fits)
        epochs.append(max(fit.n_iter for fit in fits))
    assert epochs[1] <= 2 * epochs[0]
