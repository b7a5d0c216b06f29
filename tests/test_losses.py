"""Losses: value, slope and conjugate agree with each other, and with a numerical derivative and supremum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from cesaro import losses

CASES = [
    (name, cls(), y)
    for name, cls in losses.ALL.items()
    for y in ((-1.0, 1.0) if name in losses.CLASSIFICATION else (-1.3, 0.0, 0.7))
]
SMOOTH = {"squared_hinge", "log_loss", "modified_huber", "squared_error", "huber", "squared_epsilon_insensitive"}
predictions = st.floats(-6, 6)


@pytest.mark.parametrize(("name", "loss", "y"), CASES)
@settings(max_examples=40, deadline=None)
@given(p=predictions)
def test_the_slope_is_the_derivative_of_the_value(name, loss, y, p):
    h = 1e-6
    right = (loss.value(p + h, y) - loss.value(p, y)) / h
    left = (loss.value(p, y) - loss.value(p - h, y)) / h
    slope = loss.slope(p, y)
    assert left - 1e-5 <= slope <= right + 1e-5  # a subgradient at kinks, the derivative elsewhere
    if name in SMOOTH:
        assert slope == pytest.approx((left + right) / 2, abs=1e-5)


@pytest.mark.parametrize(("name", "loss", "y"), CASES)
@settings(max_examples=40, deadline=None)
@given(p=predictions, q=predictions)
def test_fenchel_and_young_hold_with_equality_at_the_slope(name, loss, y, p, q):
    u = loss.slope(q, y)
    assert loss.value(p, y) >= u * p - loss.conjugate(u, y) - 1e-12
    assert loss.value(q, y) == pytest.approx(u * q - loss.conjugate(u, y), abs=1e-11)


@pytest.mark.parametrize(("name", "loss", "y"), CASES)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_conjugate_is_the_supremum(name, loss, y, share):
    low, high = loss.slope(-3.0, y), loss.slope(3.0, y)
    u = low + share * (high - low)
    best = minimize_scalar(
        lambda p: loss.value(p, y) - u * p, bounds=(-20, 20), method="bounded", options={"xatol": 1e-10}
    )
    assert loss.conjugate(u, y) == pytest.approx(-best.fun, abs=1e-7)


@pytest.mark.parametrize(("name", "loss", "y"), CASES)
def test_outside_its_slopes_the_conjugate_is_infinite(name, loss, y):
    if name in ("squared_error", "squared_epsilon_insensitive"):
        assert np.isfinite(loss.conjugate(1e3, y))
    else:
        assert loss.conjugate(5.0, y) == np.inf or loss.conjugate(-5.0, y) == np.inf


@pytest.mark.parametrize(("name", "loss", "y"), CASES)
def test_losses_are_convex(name, loss, y):
    p = np.linspace(-5, 5, 401)
    assert np.all(np.diff(loss.slope(p, y)) >= -1e-12)


def test_far_margins_do_not_overflow():
    loss = losses.LogLoss()
    assert loss.value(-1e4, 1.0) == 1e4
    assert loss.slope(-1e4, 1.0) == -1.0
    assert loss.slope(1e4, 1.0) == 0.0


def test_scaling_follows_scikit_learn():
    assert losses.SquaredHinge().value(0.0, 1.0) == 1.0
    assert losses.SquaredError().value(2.0, 0.0) == 2.0
    assert losses.ModifiedHuber().value(-2.0, 1.0) == 8.0
    assert losses.Huber(0.5).value(2.0, 0.0) == 0.875
