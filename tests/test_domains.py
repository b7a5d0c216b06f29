"""Domains: Lemma 1 of the paper (a projection is the nearest point) for every projection, and the support functions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import Bounds

from cesaro.domains import Ball, Box, Everywhere, Halfspace, L1Ball, Nonnegative, Projected, Simplex, make_domain

vectors = st.integers(1, 8).flatmap(lambda d: arrays(float, (3, d), elements=st.floats(-50, 50, allow_subnormal=False)))
DOMAINS = [
    Everywhere(),
    Ball(2.0),
    Ball(0.5, center=1.0),
    Box(-1.0, 2.0),
    Box(-math.inf, 0.5),
    Nonnegative(),
    Simplex(),
    Simplex(3.0),
    L1Ball(1.5),
    Halfspace(1.0, 0.3),
    Projected(Ball(1.0)),
]


def on(domain, d):
    """The halfspace needs a normal of the problem's dimension."""
    return Halfspace(np.linspace(1.0, -2.0, d) if d > 1 else [1.0], 0.3) if isinstance(domain, Halfspace) else domain


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
@settings(max_examples=60, deadline=None)
@given(points=vectors)
def test_lemma_1_the_projection_makes_an_obtuse_angle_with_every_point_of_the_domain(domain, points):
    x, a, b = points
    domain = on(domain, len(x))
    p, u, v = domain.project(x), domain.project(a), domain.project(b)
    scale = 1e-12 * (1 + np.abs(x).max()) * (1 + np.abs(points).max())
    for inside in (u, v, (u + v) / 2):
        assert (x - p) @ (inside - p) <= scale * len(x)
    assert np.allclose(domain.project(p), p, atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
@settings(max_examples=60, deadline=None)
@given(points=vectors)
def test_lowest_and_reach_bound_every_point_of_the_domain(domain, points):
    s, a, x = points
    domain = on(domain, len(x))
    inside = domain.project(a)
    assert domain.lowest(s) <= s @ inside + 1e-9
    assert domain.reach(x) >= np.linalg.norm(inside - x) - 1e-9


@pytest.mark.parametrize(
    "domain", [Ball(2.0), Ball(0.5, center=1.0), Box(-1.0, 2.0), Simplex(3.0), L1Ball(1.5)], ids=repr
)
def test_lowest_is_attained_on_bounded_domains(domain):
    rng = np.random.default_rng(0)
    for _ in range(20):
        s = rng.normal(size=5)
        assert s @ domain.project(-1e6 * s) == pytest.approx(domain.lowest(s), abs=1e-4)


def test_projection_does_not_change_its_argument():
    for domain in DOMAINS:
        x = np.array([5.0, -3.0, 0.1])
        on(domain, 3).project(x)
        assert np.array_equal(x, [5.0, -3.0, 0.1])


def test_the_simplex_is_exact_for_huge_coordinates():
    assert np.array_equal(Simplex().project(np.array([1e20, 0.0])), [1.0, 0.0])
    assert Simplex().project(np.array([1e17, 1e17])).sum() == 1.0


def test_bounds_are_scipys():
    expected = np.array([1.0, -2.0])
    x = np.array([3.0, -2.0])
    assert np.array_equal(make_domain(bounds=[(0, 1), (None, None)]).project(x), expected)
    assert np.array_equal(make_domain(bounds=Bounds([0, -np.inf], [1, np.inf])).project(x), expected)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ball(-1.0), "radius must be positive"),
        (lambda: L1Ball(math.nan), "radius must be positive"),
        (lambda: Simplex(0.0), "total must be positive"),
        (lambda: Box(1.0, 0.0), "low <= high"),
        (lambda: Halfspace([0.0, 0.0]), "not zero"),
        (lambda: Halfspace([1.0, 0.0], None), "offset must be a finite number: got None"),
        (lambda: Halfspace([1.0, 0.0], math.inf), "offset must be a finite number"),
        (lambda: Halfspace(None), "normal must be finite and not zero"),
        (lambda: Halfspace("word"), "normal must be finite and not zero"),
        (lambda: Box(None, 1.0), "low and high must be numbers"),
        (lambda: Box(0.0, "word"), "low and high must be numbers"),
        (lambda: Ball(None), "radius must be positive"),
        (lambda: Ball("word"), "radius must be positive"),
        (lambda: make_domain(Ball(), bounds=[(0, 1)]), "not both"),
    ],
)
def test_impossible_domains_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_domain_without_project_is_refused():
    with pytest.raises(TypeError, match="project"):
        make_domain(42)
