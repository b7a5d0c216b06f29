"""Rounding is counted in the worst case: no sum, however long or biased, lifts a bound above the optimum."""

import math
from fractions import Fraction

import numpy as np
import pytest

from cesaro.linear import DualAveragingRegressor
from cesaro.linear.bounds.dual_bound import dual_bound
from cesaro.linear.bounds.free_intercept import Plane, merged_plane
from cesaro.linear.bounds.rounding import norm
from cesaro.linear.problem.compensated_sum import add_compensated


@pytest.mark.parametrize("seed", [1, 2])
def test_a_million_equal_rows_bias_neither_the_bound_nor_the_objective(seed):
    x, y = np.random.default_rng(seed).normal(size=2)
    X = np.full((10**6, 1), x)
    model = DualAveragingRegressor(alpha=3.0, tol=1e-13, fit_intercept=False, random_state=0).fit(X, np.full(len(X), y))
    w, x, y = Fraction(float(model.coef_[0])), Fraction(x), Fraction(y)
    objective, optimum = Fraction(3, 2) * w**2 + (y - x * w) ** 2 / 2, y**2 / 2 * 3 / (3 + x**2)
    assert Fraction(model.lower_bound_) <= optimum
    assert model.relative_gap_ <= 1e-13
    assert abs(Fraction(model.objective_) - objective) <= Fraction(1e-14) * objective


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e-170, 1e-162, 1.0, 1e160, 1e300])
def test_a_norm_neither_vanishes_nor_overflows_and_is_not_below_the_true_one(size):
    x = size * np.array([3.0, -4.0, 0.0])
    assert norm(x) >= abs(float(x[1])) * 1.25 > 0.0
    if size > 1e-310:
        assert norm(x) == pytest.approx(5.0 * size, rel=1e-13, abs=0.0)
    assert norm(np.zeros(3)) == 0.0
    assert norm(np.array([np.inf, 1.0])) == math.inf


def test_a_gradient_whose_square_vanishes_still_counts():
    """D - |g|^2 / (2 mu) with |g|^2 < 1e-324 and mu as small: the bound is half of D, not all of it."""
    g, mu = np.array([1e-170, 0.0]), 1e-150
    assert dual_bound(1e-190, g, mu) == pytest.approx(5e-191, rel=1e-12, abs=0.0)


@pytest.mark.parametrize(("l1", "radius"), [(0.0, math.inf), (0.2, math.inf), (0.0, 0.7)])
def test_the_bound_holds_for_every_gradient_within_what_is_lost(l1, radius):
    rng = np.random.default_rng(0)
    for lost in (1e-12, 1e-6, 1e-2, 1.0):
        for _ in range(50):
            D, g, mu = rng.uniform(0.1, 2.0), np.append(rng.normal(size=4), 0.0), 10.0 ** rng.uniform(-3, 1)
            off = rng.normal(size=4)
            there = g + lost * np.append(off / np.linalg.norm(off), 0.0)
            assert dual_bound(D, g, mu, l1, radius, lost) <= dual_bound(D, there, mu, l1, radius) * (1.0 + 1e-12)


def test_a_reach_beyond_the_square_root_of_the_largest_float_is_no_error():
    assert dual_bound(1.0, np.array([1.0, 0.0]), 1e-200) <= 1e-199
    assert dual_bound(1.0, np.array([1e160, 0.0]), 1e-4, radius=1.0) == 0.0
    assert dual_bound(1.0, np.array([np.nan, 0.0]), 1e-4) == 0.0


def test_a_compensated_sum_keeps_what_its_additions_lose():
    total, lost = 1.0, 0.0
    for _ in range(10_000):
        total, lost = add_compensated(total, lost, 1e-17)
    assert total == 1.0
    assert total + lost == pytest.approx(1.0 + 1e-13, abs=1e-16)


@pytest.mark.parametrize("shards", [1, 2, 40])
def test_the_planes_of_several_shards_come_to_no_more_than_their_exact_average(shards):
    """What they sum to may cancel; the shares are quotients of sums."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        weights = rng.uniform(0.1, 1.0, shards)
        D, g = rng.normal(size=shards), rng.normal(size=(shards, 3))
        D[-1] -= D.mean() * shards
        found = merged_plane(weights / weights.sum(), [Plane(float(a), b, 0.0) for a, b in zip(D, g, strict=True)])
        shares = [Fraction(each) / sum(map(Fraction, weights)) for each in weights]
        assert Fraction(found.D) <= sum(p * Fraction(each) for p, each in zip(shares, D, strict=True))
        exact = [sum(p * Fraction(each) for p, each in zip(shares, column, strict=True)) for column in g.T]
        assert sum((Fraction(a) - b) ** 2 for a, b in zip(found.g, exact, strict=True)) <= Fraction(found.lost) ** 2
