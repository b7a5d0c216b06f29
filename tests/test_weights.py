"""Weights: sums in closed form, ratios that never overflow."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cesaro.weights import Geometric, Linear, Power, Sequence, Uniform, make_weights

EXAMPLES = [Uniform(), Linear(), Power(2), Power(0.5), Power(-0.5), Power(-1), Power(3.7, scale=0.2), Geometric(0.1)]


@pytest.mark.parametrize("weights", EXAMPLES, ids=repr)
def test_sums_and_ratios_are_those_of_the_weights(weights):
    total = 0.0
    for t in range(1, 200):
        a = weights.weight(t)
        total += a
        assert weights.sum(t) == pytest.approx(total, rel=1e-13)
        assert weights.relative(t) == pytest.approx(total / a, rel=1e-13)
        assert weights.first(t) == pytest.approx(weights.weight(1) / a, rel=1e-13)


@pytest.mark.parametrize("p", [1, 2, 3, 4])
def test_integer_powers_are_exact_after_a_billion_steps(p):
    t = 10**9
    faulhaber = {
        1: Fraction(t * (t + 1), 2),
        2: Fraction(t * (t + 1) * (2 * t + 1), 6),
        3: Fraction(t * (t + 1), 2) ** 2,
        4: Fraction(t * (t + 1) * (2 * t + 1) * (3 * t * t + 3 * t - 1), 30),
    }[p]
    assert Power(p).sum(t) == pytest.approx(float(faulhaber), rel=4e-16)


@settings(max_examples=30, deadline=None)
@given(p=st.floats(-3, 6), t=st.integers(1, 20_000))
def test_every_real_power_sums_exactly(p, t):
    assert Power(p).sum(t) == pytest.approx(math.fsum(float(k) ** p for k in range(1, t + 1)), rel=1e-13)


@pytest.mark.parametrize("p", [-20, 7, 20, 50, 100])
@pytest.mark.parametrize("t", [20, 25, 100, 400, 3000])
def test_large_powers_compare_exactly_and_do_not_overflow(p, t):
    truth = sum(Fraction(k) ** p for k in range(1, t + 1)) / Fraction(t) ** p
    assert Power(p).relative(t) == pytest.approx(float(truth), rel=1e-14)


def test_two_weights_compare_where_both_overflow():
    assert Geometric(0.05).over(Geometric(0.1), 20_000) == 0.0
    assert Geometric(0.5).over(Geometric(0.5), 10**6) == 1.0
    assert Linear().over(Geometric(0.5), 2000) == 0.0
    assert Geometric(0.5).over(Linear(), 2000) == math.inf
    assert Power(2).over(Linear(), 7) == 7.0


def test_geometric_ratios_do_not_overflow():
    weights = Geometric(0.5)
    assert weights.weight(10**6) == float("inf")
    assert weights.relative(10**6) == 2.0
    assert weights.first(10**6) == 0.0


def test_geometric_is_the_exponential_moving_average():
    assert 1 / Geometric(0.1).relative(1000) == pytest.approx(0.1, rel=1e-12)


def test_a_function_becomes_weights_and_may_be_read_twice():
    weights = make_weights(lambda t: 1.0 / t)
    assert isinstance(weights, Sequence)
    first = [weights.sum(t) for t in range(1, 50)]
    assert [weights.sum(t) for t in range(1, 50)] == first
    assert weights.sum(49) == pytest.approx(Power(-1).sum(49), rel=1e-14)


def test_a_function_is_not_asked_again_for_one_step_back():
    calls = []
    weights = make_weights(lambda t: calls.append(t) or float(t))
    for t in range(1, 200):  # as the loop does
        assert weights.sum(t + 1) - weights.sum(t) == t + 1
    assert len(calls) < 1000


@pytest.mark.parametrize("value", [-1.0, 0.0, float("nan"), float("inf")])
def test_weights_that_are_not_positive_are_refused(value):
    with pytest.raises(ValueError, match="positive and finite"):
        make_weights(lambda t: value).sum(1)
    with pytest.raises(ValueError, match="positive and finite"):
        Power(1, scale=value)


def test_bad_settings_say_what_to_do():
    with pytest.raises(ValueError, match="between 0 and 1"):
        Geometric(1.0)
    with pytest.raises(TypeError, match=r"cesaro\.weights\.Linear"):
        make_weights("linear")
