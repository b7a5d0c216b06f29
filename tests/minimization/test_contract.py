"""minimize: what it takes, what it returns, and that its loop makes the steps of the method."""

import math

import numpy as np
import pytest
from problems import PROBLEM, make, solve

import cesaro
from cesaro.domains import Ball, Everywhere
from cesaro.methods import SCPDA, LinearDecay
from cesaro.outputs import Average, Best, Last, Suffix
from cesaro.weights import Linear, Power, Uniform


def test_the_result_is_scipys_and_says_what_was_done():
    res = solve(PROBLEM, max_iter=50)
    assert set(res) >= {
        "x",
        "fun",
        "nit",
        "nfev",
        "success",
        "status",
        "message",
        "lower_bound",
        "gap",
        "bound",
        "trace",
    }
    assert (res.nit, res.nfev, res.status, res.success) == (50, 51, 1, True)
    assert "50 iterations" in res.message
    unreached = solve(PROBLEM, max_iter=5, tol=1e-9)
    assert not unreached.success
    assert unreached.status == 1


def test_the_loop_makes_the_steps_of_the_method():
    method, schedule = SCPDA(PROBLEM.mu), cesaro.methods.Schedule(Linear(), Linear())
    state = method.start(PROBLEM.x0, 0.0)
    for t in range(1, 21):
        state = method.step(state, PROBLEM(state.x)[1], schedule.at(t), Everywhere())
    assert np.array_equal(solve(PROBLEM, anchor=0.0, max_iter=20).x, state.x)
    assert np.array_equal(cesaro.minimize(PROBLEM, PROBLEM.x0, method=method, anchor=0.0, max_iter=20).x, state.x)


def test_gda_returns_the_weighted_average_of_all_points_asked():
    seen = []
    fun = lambda x: (seen.append(x), PROBLEM(x))[1]  # noqa: E731
    res = cesaro.minimize(fun, PROBLEM.x0, mu=PROBLEM.mu, method="gda", anchor=0.0, max_iter=1)
    asked = seen[:1] + [x for x in seen[1:] if not np.array_equal(x, PROBLEM.x0)][:1]
    assert np.allclose(res.x, (asked[0] + 2 * asked[1]) / 3, rtol=1e-14)


def test_three_ways_to_state_a_problem_agree():
    class Object:
        def value(self, x):
            return PROBLEM(x)[0]

        def subgradient(self, x):
            return PROBLEM(x)[1]

    plain = solve(PROBLEM)
    split = cesaro.minimize(
        lambda x, k: k * PROBLEM(x)[0],
        PROBLEM.x0,
        args=(1.0,),
        jac=lambda x, k: k * PROBLEM(x)[1],
        mu=PROBLEM.mu,
        max_iter=300,
    )
    objective = cesaro.minimize(Object(), PROBLEM.x0, mu=PROBLEM.mu, max_iter=300)
    assert np.array_equal(plain.x, split.x)
    assert np.array_equal(plain.x, objective.x)
    assert plain.gap == split.gap == objective.gap


def test_a_scalar_problem_may_answer_in_scalars():
    res = cesaro.minimize(lambda w: (w**2, 2 * w[0]), 3.0, mu=2.0, tol=1e-6)
    assert res.success


def test_a_dimension_of_one_and_of_a_million():
    small = cesaro.minimize(lambda w: (abs(w[0]) + w[0] ** 2, np.sign(w) + 2 * w), 3.0, mu=2.0, tol=1e-4)
    assert small.success
    d = 1_000_000
    target = np.linspace(-1, 1, d)
    large = cesaro.minimize(lambda w: ((w - target) @ (w - target) / 2, w - target), np.zeros(d), mu=1.0, max_iter=30)
    assert large.fun < 1e-3 * target @ target
    assert large.lower_bound <= 0.0


def test_domains_bounds_and_outputs_are_honoured():
    box = cesaro.minimize(PROBLEM, PROBLEM.x0, mu=PROBLEM.mu, bounds=[(0, 0.1)] * 6)
    assert np.all((box.x >= 0) & (box.x <= 0.1))

    class Mine:
        def project(self, x):
            return Ball(0.2).project(x)

    mine = cesaro.minimize(PROBLEM, np.zeros(6), mu=PROBLEM.mu, domain=Mine())
    same = cesaro.minimize(PROBLEM, np.zeros(6), mu=PROBLEM.mu, domain=Ball(0.2))
    assert np.array_equal(mine.x, same.x)
    assert mine.lower_bound == same.lower_bound
    for output in (Last(), Average(Uniform()), Suffix(0.5), Best()):
        res = solve(PROBLEM, method="gda", output=output)
        assert res.fun - PROBLEM.minimum <= res.gap
        assert res.bound == math.inf
    assert solve(PROBLEM, method="gda", output=Average(Linear())).bound < math.inf


def test_best_is_the_best_point_asked():
    values = []
    fun = lambda x: (values.append(PROBLEM(x)[0]), PROBLEM(x))[1]  # noqa: E731
    res = cesaro.minimize(fun, PROBLEM.x0, mu=PROBLEM.mu, method="pegasos", output=Best(), max_iter=40, anchor=0.0)
    assert res.fun == min(values)


def test_linear_decay_knows_its_horizon():
    problem = make(3, "absolute", "ball", d=4, mu=0.1)
    method = LinearDecay(radius=2.0, lipschitz=4.0)
    res = cesaro.minimize(problem, problem.x0, method=method, domain=problem.domain, max_iter=400, anchor=0.0)
    assert res.fun - problem.minimum <= 2.0 * 4.0 / math.sqrt(401)


def test_power_weights_and_custom_functions_are_the_same():
    a = solve(PROBLEM, weights=Power(2), anchor=0.5, max_iter=60)
    b = solve(PROBLEM, weights=lambda t: t**2, anchor=0.5, max_iter=60)
    assert np.allclose(a.x, b.x, rtol=1e-12)
    assert a.bound == pytest.approx(b.bound, rel=1e-12)


def test_a_start_outside_the_domain_is_projected_and_that_is_said():
    res = cesaro.minimize(PROBLEM, np.full(6, 10.0), mu=PROBLEM.mu, domain=Ball(0.5))
    assert "projected" in res.message
    assert np.linalg.norm(res.x) <= 0.5 + 1e-12
    assert "projected" not in cesaro.minimize(PROBLEM, np.zeros(6), mu=PROBLEM.mu, domain=Ball(0.5)).message
