"""What every method in the table promises."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from problems import iterate, make

from cesaro.domains import Ball
from cesaro.methods import ALL, Schedule
from cesaro.weights import Geometric


def build(name, mu=0.5):
    return ALL[name](mu=mu)


@pytest.mark.parametrize("name", ALL)
class TestEveryMethod:
    def test_converges_on_a_small_problem(self, name):
        problem, method = make(2, "hinge", "ball", d=4, mu=0.5), build(name)
        weights, memory = method.weights, None
        schedule, output = Schedule(weights, method.gamma(weights), 0.0, 3000), method.output(weights)
        state = method.start(problem.x0, 0.0)
        for t in range(1, 3001):
            value, g = problem(state.x)
            memory = output.update(memory, state, t, value)
            state = method.step(state, g, schedule.at(t), problem.domain)
        start = problem(problem.x0)[0] - problem.minimum
        assert 0 <= problem(output.point(memory))[0] - problem.minimum <= 0.02 * start

    def test_changes_nothing_in_place(self, name):
        method = build(name)
        state, g = method.start(np.full(3, 0.2), 1.0), np.array([1.0, -2.0, 0.5])
        before = [np.array(part, copy=True) for part in state]
        schedule = Schedule(method.weights, method.gamma(method.weights), 1.0, 10)
        first = method.step(state, g, schedule.at(1), Ball(0.3))
        again = method.step(state, g, schedule.at(1), Ball(0.3))
        assert all(np.array_equal(a, b) for a, b in zip(before, state, strict=True))
        assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
        assert np.array_equal(g, [1.0, -2.0, 0.5])

    def test_stays_in_the_domain(self, name):
        problem, method = make(7, "quadratics", "ball", d=5, mu=0.5), build(name)
        points = iterate(method, problem, Schedule(method.weights, method.gamma(method.weights), 0.0, 50), 50)[0]
        assert np.linalg.norm(points, axis=1).max() <= 1 + 1e-12

    def test_says_what_it_is(self, name):
        method = build(name)
        assert method.rate
        assert "Output:" in (type(method).__doc__ or "")
        assert "Rate:" in (type(method).__doc__ or "")
        with pytest.raises(FrozenInstanceError):
            method.mu = 2.0


@pytest.mark.parametrize("name", ["gda", "sc-pda", "anytime", "anytime-printed", "pegasos", "sc-rda", "optimal-rda"])
@pytest.mark.parametrize("anchor", [0.0, 2.0])
def test_methods_that_average_take_geometric_weights_beyond_overflow(name, anchor):
    problem, method, weights = make(8, "hinge", "ball", d=3, mu=0.5), build(name), Geometric(0.5)
    points = iterate(method, problem, Schedule(weights, weights, anchor, 2000), 2000)[0]
    assert np.all(np.isfinite(points))
