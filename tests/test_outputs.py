"""Outputs against their definitions, and long vectors against short ones."""

from types import SimpleNamespace

import numpy as np
import pytest

from cesaro.outputs import Average, Best, Exponential, Last, PolynomialDecay, Suffix
from cesaro.vectors import combine
from cesaro.weights import Geometric, Linear, Power, Uniform


def run(output, points, values=None):
    memory = None
    for t, x in enumerate(points, start=1):
        memory = output.update(memory, SimpleNamespace(x=x), t, 0.0 if values is None else values[t - 1])
    return output.point(memory)


POINTS = np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.parametrize("weights", [Uniform(), Linear(), Power(3), Geometric(0.1)], ids=repr)
def test_an_average_is_the_weighted_mean(weights):
    o = np.array([weights.weight(t) for t in range(1, 61)])
    assert np.allclose(run(Average(weights), POINTS), o @ POINTS / o.sum(), rtol=1e-12, atol=1e-14)


def test_polynomial_decay_with_eta_0_is_the_uniform_mean():
    assert np.allclose(run(PolynomialDecay(0), POINTS), POINTS.mean(axis=0), rtol=1e-12)


def test_polynomial_decay_with_eta_1_has_weights_t():
    assert np.allclose(run(PolynomialDecay(1), POINTS), run(Average(Linear()), POINTS), rtol=1e-12)


def test_exponential_forgets_at_rate_beta():
    shares = 0.1 * 0.9 ** np.arange(59, -1, -1)
    shares[0] = 0.9**59
    assert np.allclose(run(Exponential(0.9), POINTS), shares @ POINTS, rtol=1e-12)


def test_last_and_best():
    values = np.arange(60.0)
    values[17] = -1.0
    assert np.array_equal(run(Last(), POINTS), POINTS[-1])
    assert np.array_equal(run(Best(), POINTS, values), POINTS[17])


@pytest.mark.parametrize("fraction", [0.1, 0.5, 0.9, 1.0])
def test_a_suffix_is_a_uniform_mean_of_at_least_the_last_fraction(fraction):
    for t in range(1, 400):
        times = np.arange(1.0, t + 1)[:, None]
        mean = run(Suffix(fraction), times)[0]
        length = 2 * (t - mean) + 1  # a mean of consecutive times that ends at t
        assert length == pytest.approx(round(length), abs=1e-9)
        assert fraction * t - 1e-9 <= length <= fraction * (2 - fraction) * t + 2


def test_combining_vectors_makes_a_new_one_and_leaves_them_alone():
    u, v, w = np.random.default_rng(1).normal(size=(3, 50))
    before = np.array([u, v, w])
    assert np.allclose(combine((2.0, u), (-0.5, v), (3.0, w)), 2.0 * u - 0.5 * v + 3.0 * w, rtol=0, atol=1e-14)
    assert np.allclose(combine((0.7, u), (0.3, u), (3.0, w)), u + 3.0 * w, rtol=0, atol=1e-14)
    assert np.array_equal(before, [u, v, w])
    for shape, kind in (((50,), np.float32), ((5, 10), np.float64), ((5, 10), np.float32)):
        a, b = u.reshape(shape).astype(kind), v.reshape(shape).astype(kind)
        found = combine((2.0, a), (-0.5, b))
        assert found.dtype == kind
        assert np.allclose(found, 2.0 * a - 0.5 * b, rtol=0, atol=1e-6)


def test_an_average_takes_a_function_as_weights_and_refuses_a_class():
    assert Average(lambda t: float(t)).weights.relative(3) == Linear().relative(3)
    with pytest.raises(TypeError, match=r"Linear\(\)"):
        Average(Linear)


@pytest.mark.parametrize("make", [lambda: Suffix(0.0), lambda: Exponential(1.0), lambda: PolynomialDecay(-1)])
def test_impossible_outputs_are_refused(make):
    with pytest.raises(ValueError, match="got"):
        make()
