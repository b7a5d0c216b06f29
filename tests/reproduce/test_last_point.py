"""The last point of GDA: the inequality behind its upper bound, and the function that shows that the logarithm is needed."""

import math

import numpy as np
import pytest

from cesaro.methods import GDA
from cesaro.reproduce.theorems.counterexamples import against_the_last_point, last_point
from cesaro.reproduce.theorems.runs import random_problem, run_method
from cesaro.weights import Linear, Power, Uniform

WEIGHTS = [Uniform(), Linear(), Power(2)]


@pytest.mark.parametrize("weights", WEIGHTS, ids=repr)
def test_from_every_point_on_the_weighted_values_rise_by_no_more_than_the_squares(weights):
    steps = 60
    a = np.array([weights.weight(t) for t in range(1, steps + 1)])
    most = -math.inf
    for seed in range(40):
        problem = random_problem(seed)
        path = run_method(GDA(problem.mu), problem, weights, steps)
        squares = a**2 / np.cumsum(a) * path.gg / (2 * problem.mu)
        for s in range(steps):
            rise, allowed = np.cumsum(a[s:] * (path.value[s:] - path.value[s])), np.cumsum(squares[s:])
            assert np.all(rise <= allowed * (1 + 1e-9))
            most = max(most, float(np.max(rise / allowed)))
    assert most > 0.3  # so it is no empty bound


def test_the_sums_of_the_proof_are_what_they_are_said_to_be():
    for t in range(1, 60):
        k = np.arange(1.0, t + 1)
        inner = sum(sum(1 / i for i in range(t - j, t + 1)) / (j * (j + 1)) for j in range(1, t))
        before = np.sum(1 / k[:-1])
        assert inner == pytest.approx((before + 1 - 1 / t) / t)
        s = k[:-1]
        increments = 4 * s / ((t + s) * (t + s + 1) * (t - s))
        assert np.all(increments <= 1 / (t * (t - s)))
        assert before <= 1 + math.log(t)


@pytest.mark.parametrize("weights", WEIGHTS, ids=repr)
@pytest.mark.parametrize("T", [1, 2, 7, 100])
def test_the_last_point_can_be_as_slow_as_is_proved(weights, T):
    reached, proved, steepest = last_point(weights, T)
    assert proved <= reached
    assert steepest < 2.2
    assert proved == pytest.approx(sum(1 / k for k in range(1, T + 1)) / (4 * T)) or weights != Uniform()
    assert proved >= math.log(T / 2) / (8 * (T + 1)) or weights != Linear()


@pytest.mark.parametrize("weights", WEIGHTS, ids=repr)
def test_there_the_oracle_answers_in_turn_and_no_projection_acts(weights):
    T = 50
    a = np.array([weights.weight(t) for t in range(1, T + 1)])
    problem = against_the_last_point(a)
    x = run_method(GDA(1.0), problem, weights, T + 1).x
    for t in range(T):
        answer = problem.f(x[t])[1] - x[t]
        assert answer[t] == pytest.approx(-1.0)
        assert np.allclose(answer[t + 1 :], 0.0, atol=1e-15)
        share = a[:t] / a[:t].sum()
        assert np.all(x[t, :t] >= share / 2 - 1e-15)
        assert np.all(x[t, :t] <= share + 1e-15)
        assert np.all(x[t, t:] == 0)
    assert np.linalg.norm(x, axis=1).max() <= 1.0
