"""A step is what is printed: the argmin, the projection, the mirror, the step size."""

import math

import numpy as np
import pytest
from problems import iterate, make
from scipy.optimize import minimize as scipy_minimize

from cesaro.domains import Ball, Box, Simplex
from cesaro.methods import GDA, RDA, SCPDA, SCRDA, Entropy, MirrorDescent, Schedule
from cesaro.methods.known_horizon import halvings
from cesaro.methods.pegasos import project_within
from cesaro.weights import Linear, Power, Uniform


@pytest.mark.parametrize("anchor", [0.5, 10.0, 1000.0])
def test_the_largest_step_of_anchored_gda_is_known(anchor):
    uniform = max(Schedule(Uniform(), Uniform(), anchor).at(t).step for t in range(1, 200))
    assert uniform == pytest.approx(1 / (anchor + 1), rel=1e-12)
    linear = max(Schedule(Linear(), Linear(), anchor).at(t).step for t in range(1, 200))
    assert linear <= 1 / (math.sqrt(2 * anchor) + 0.5) + 1e-15
    assert linear == pytest.approx(1 / (math.sqrt(2 * anchor) + 0.5), rel=0.05)


@pytest.mark.parametrize("primal_average", [False, True])
@pytest.mark.parametrize(
    ("region", "constraint"),
    [
        ("ball", {"type": "ineq", "fun": lambda w: 1.0 - w @ w, "jac": lambda w: -2 * w}),
        ("simplex", {"type": "eq", "fun": lambda w: w.sum() - 1.0, "jac": np.ones_like}),
    ],
)
def test_the_argmin_form_is_the_projection_form(primal_average, region, constraint):
    problem = make(5, "hinge", region, d=3)
    mu, a, gamma = problem.mu, Linear(), Power(0.5)
    method = SCPDA(mu) if primal_average else GDA(mu)
    points, _, gs = iterate(method, problem, Schedule(a, gamma), 6)
    bounds = [(0, None)] * 3 if region == "simplex" else None
    for t in range(1, 6):
        at = np.array([a.weight(k) for k in range(1, t + 1)])
        gt = np.array([gamma.weight(k) for k in range(1, t + 1)])

        def model(w, at=at, gt=gt, t=t):
            value = at @ (gs[:t] @ w) + mu / 2 * gt @ ((w - points[:t]) ** 2).sum(axis=1)
            return value, at @ gs[:t] + mu * gt @ (w - points[:t])

        argmin = scipy_minimize(
            model,
            problem.domain.project(np.ones(3)),
            jac=True,
            method="SLSQP",
            bounds=bounds,
            constraints=[constraint],
            options={"ftol": 1e-15, "maxiter": 500},
        ).x
        if primal_average:
            share = a.weight(t + 1) / a.sum(t + 1)
            argmin = (1 - share) * points[t - 1] + share * argmin
        assert np.allclose(points[t], argmin, atol=2e-6)


def test_soft_thresholding_solves_the_regularised_step():
    rng = np.random.default_rng(0)
    problem = make(0, "hinge", "everywhere", d=4)
    for method, curvature in ((SCRDA(problem.mu, l1=0.3), problem.mu), (RDA(l1=0.3), 1.0)):
        g, x = rng.normal(size=4), rng.normal(size=4)
        state = method.start(x, 0.0)
        new = method.step(state, g, Schedule(Uniform(), Uniform()).at(1), Box(-0.4, 0.5)).x
        loss = g - method.mu * x - 0.3 * np.sign(x)
        objective = lambda w: loss @ w + 0.3 * np.abs(w).sum() + curvature / 2 * w @ w  # noqa: E731, B023
        for other in rng.uniform(-0.4, 0.5, size=(500, 4)):
            assert objective(new) <= objective(other) + 1e-12
    with pytest.raises(ValueError, match="commute"):
        SCRDA(1.0, l1=0.1).step(SCRDA(1.0).start(x, 0.0), g, Schedule(Uniform(), Uniform()).at(1), Simplex())


def test_the_entropy_mirror_is_multiplicative_and_stays_on_the_simplex():
    method = MirrorDescent(mirror=Entropy())
    state = method.start(np.full(3, 1 / 3), 0.0)
    g, now = np.array([1.0, 0.0, -1.0]), Schedule(Power(-0.5), Power(-0.5)).at(1)
    x = method.step(state, g, now, Simplex()).x
    assert np.allclose(x, np.exp(-g) / np.exp(-g).sum(), rtol=1e-14)
    assert np.all(np.isfinite(method.step(state, 1e6 * g, now, Simplex()).x))
    with pytest.raises(ValueError, match="simplex"):
        method.step(state, g, now, Ball())


def test_the_step_is_halved_where_jain_nagaraj_and_netrapalli_halve_it():
    for N in range(1, 70):
        k = next(i for i in range(20) if N * 0.5**i <= 1)
        edges = [N - math.ceil(N * 0.5**i) for i in range(k + 1)] + [N]
        for t in range(1, N + 1):
            (i,) = [i for i in range(k + 1) if edges[i] < t <= edges[i + 1]]
            assert halvings(t, N) == i


@pytest.mark.parametrize("domain", [Ball(2.0, center=np.full(3, 1.0)), Box(-0.5, 2.0), Simplex()], ids=repr)
def test_pegasos_projects_on_the_part_of_the_domain_inside_its_ball(domain):
    rng, radius = np.random.default_rng(0), 0.8
    for _ in range(20):
        v = 3 * rng.normal(size=3)
        x = project_within(domain, radius, v)
        assert np.linalg.norm(x) <= radius * (1 + 1e-12)
        assert np.allclose(domain.project(x), x, atol=1e-12)
        for u in rng.normal(size=(300, 3)):
            w = project_within(domain, radius, u)
            assert (v - x) @ (w - x) <= 1e-9  # Lemma 1: x is the projection on the intersection
    with pytest.raises(ValueError, match="larger"):
        project_within(Ball(0.5, center=np.full(3, 9.0)), radius, v)
