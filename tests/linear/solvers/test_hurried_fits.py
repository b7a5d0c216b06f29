"""Models for which there is no time: the best constant, a sample of the rows, and objectives that are true."""

import math
import time

import numpy as np
import pytest
from linear_problems import a_problem, classes, make
from scipy.optimize import minimize_scalar

from cesaro import losses
from cesaro.linear.problem.problem import objective, value_at_zero
from cesaro.linear.solvers import hurried_fits, parallel
from cesaro.linear.solvers.best_constant import best_constant
from cesaro.linear.solvers.hurried_fits import hurried
from cesaro.linear.solvers.settings import Settings


def defined(problem, w):
    """The objective from its definition."""
    X = np.zeros((problem.rows.n, problem.rows.width))
    for i in range(problem.rows.n):
        part = slice(problem.rows.ptr[i], problem.rows.ptr[i + 1])
        X[i, problem.rows.col[part]] = problem.rows.data[part]
    if problem.rows.bias:
        X[:, -1] = problem.rows.bias
    mean = np.average(problem.loss.value(X @ w, problem.y), weights=problem.v)
    penalized = w if problem.penalize_intercept else w[: problem.rows.d]
    return objective(mean, penalized, problem.mu, problem.l1, problem.rows.d)


@pytest.mark.parametrize("kind", losses.CLASSIFICATION.values())
@pytest.mark.parametrize("case", ["plain", "l1", "ball"])
@pytest.mark.parametrize("penalized", [False, True])
def test_the_best_constant_is_the_best_of_all_in_the_ball_and_its_objective_is_true(kind, case, penalized):
    rng, found = np.random.default_rng(0), 0
    for _ in range(20):
        problem = a_problem(rng, kind, case)._replace(penalize_intercept=penalized)
        bias, radius, answer = problem.rows.bias, problem.radius if penalized else np.inf, best_constant(problem)

        def at(weight, problem=problem):
            return defined(problem, np.append(np.zeros(problem.rows.d), [weight] * bool(problem.rows.bias)))

        if answer is None:
            best = 0.0
        else:
            w, value = answer
            best, found = w[-1], found + 1
            assert not w[:-1].any()
            assert abs(best) <= radius
            assert value == pytest.approx(at(best), rel=1e-13)
            assert value < value_at_zero(problem)
        most = min(radius, 30.0 / (bias or 1.0))
        other = minimize_scalar(at, bounds=(-most, most), method="bounded", options={"xatol": 1e-12})
        assert at(best) <= other.fun + 1e-9
    assert found > 5


def test_there_is_no_best_constant_without_an_intercept_or_for_targets():
    X, y = classes(np.random.default_rng(0), 30, 2)
    assert best_constant(make(X, np.append(np.ones(29), -1.0))) is None
    assert best_constant(make(X, y + 1.0, losses.SquaredError(), bias=1.0)) is None
    assert best_constant(make(X, np.resize([1.0, -1.0], 30), bias=1.0)) is None


def solve_one_by_one(problems, settings):
    return [parallel.solve(problem, settings) for problem in problems]


def three(rng, n=3000):
    """Problems of three classes, the first of them rare."""
    X = rng.normal(size=(n, 4))
    label = np.where(rng.random(n) < 0.02, 0, 1 + (X[:, 0] > 0.0))
    one = make(X, np.ones(n), mu=1e-3, bias=1.0, penalize_intercept=False)
    return [one._replace(y=np.where(label == k, 1.0, -1.0)) for k in range(3)]


@pytest.mark.parametrize(("status", "deadline"), [("interrupted", math.inf), ("time_limit", 0.0)])
def test_models_after_the_first_are_constants_where_that_took_all_the_time(status, deadline):
    def slow(problems, settings):
        time.sleep(0.06)  # more than half of the patience
        return solve_one_by_one(problems, settings)

    rare, *others = three(np.random.default_rng(0))
    problems = [*others, rare]
    groups, how = [[problem] for problem in problems], Settings(deadline=deadline)
    found = [fit for group in hurried(groups, [[1.0]] * 3, how, slow, status, True) for fit in group]
    assert [fit.n_iter > 0 for fit in found] == [True, False, False]
    assert [fit.status for fit in found] == [status] * 3
    for problem, fit in zip(problems, found, strict=True):
        assert fit.objective == pytest.approx(defined(problem, fit.w), rel=1e-12)
        assert fit.lower_bound == 0.0
    np.testing.assert_allclose([fit.w[-1] for fit in found[1:]], -1.0)


def test_a_fit_to_a_sample_that_is_worse_than_a_constant_is_that_constant():
    def bad(problems, settings):
        return [
            parallel.Fit(np.full(p.rows.width, w), 0.1, 0.0, 3, {}, "max_iter")
            for p, w in zip(problems, values, strict=True)
        ]

    problems, values = three(np.random.default_rng(1)), (100.0, np.nan, 0.0)
    ((first, second, third),) = hurried([problems], [[1.0] * 3], Settings(), bad, "interrupted", True)
    for problem, fit in zip(problems, (first, second, third), strict=True):
        assert fit.w[-1] == pytest.approx(-1.0)
        assert fit.objective == pytest.approx(defined(problem, fit.w), rel=1e-12)


def test_in_a_search_no_objective_is_computed_and_what_has_not_begun_shares_its_zeros(monkeypatch):
    monkeypatch.setattr(hurried_fits, "objective_by_scipy", lambda *_: 1 / 0)
    monkeypatch.setattr(hurried_fits, "best_constant", lambda *_: 1 / 0)
    monkeypatch.setattr(hurried_fits, "SEARCHING", 0.0)
    groups = [[problem] for problem in three(np.random.default_rng(2))]
    (first,), (second,), (third,) = hurried(
        groups, [[1.0]] * 3, Settings(), solve_one_by_one, "interrupted", measure=False
    )
    assert first.w.any()
    assert second.w is third.w
    assert not second.w.any()


def test_a_sample_has_only_rows_that_weigh_something_and_models_share_it():
    problems = three(np.random.default_rng(3))
    weights, seen = np.where(np.arange(3000) % 3 == 0, 1.0, 0.0), []

    def solve(problems, settings):
        seen.extend(problems)
        return solve_one_by_one(problems, settings)

    hurried([[p._replace(v=weights) for p in problems]], [[1.0] * 3], Settings(), solve, "interrupted", True)
    assert len(seen) == 3
    assert all(problem.rows is seen[0].rows for problem in seen)
    assert all(problem.v.all() and problem.rows.n == 1000 for problem in seen)
