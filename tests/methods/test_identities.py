"""Identities between methods: which of them make the same steps, under which weights."""

import numpy as np
import pytest
from problems import iterate, make

from cesaro.methods import (
    DA,
    GDA,
    PAPSGSC,
    PSG,
    RDA,
    SCPDA,
    SCRDA,
    Anytime,
    AnytimePrinted,
    MirrorDescent,
    Pegasos,
    Schedule,
)
from cesaro.weights import Linear, Power, Sequence, Uniform

STEPS = 40
FREE = [make(seed, kind, "everywhere") for seed, kind in enumerate(["hinge", "absolute", "quadratics"] * 2)]


def xs(method, problem, weights, gamma=None, anchor=0.0):
    return iterate(method, problem, Schedule(weights, gamma or weights, anchor, STEPS), STEPS)[0]


def close(a, b):
    return np.allclose(a, b, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(a).max()))


@pytest.mark.parametrize("problem", FREE, ids=lambda p: type(p.h).__name__)
@pytest.mark.parametrize(("weights", "gamma"), [(Uniform(), Uniform()), (Linear(), Linear()), (Power(0.5), Linear())])
def test_without_a_constraint_gda_is_sgd_with_step_a_over_mu_Gamma(problem, weights, gamma):
    points = xs(GDA(problem.mu), problem, weights, gamma, anchor=1.5)
    x, Gamma = problem.x0, 1.5 * gamma.weight(1)
    for t in range(1, STEPS + 1):
        assert close(x, points[t - 1])
        Gamma += gamma.weight(t)
        x = x - weights.weight(t) / (problem.mu * Gamma) * problem(x)[1]


@pytest.mark.parametrize("problem", FREE, ids=lambda p: type(p.h).__name__)
def test_with_weights_1_gda_pegasos_sc_rda_anytime_as_printed_and_psg_make_the_same_steps(problem):
    points = xs(GDA(problem.mu), problem, Uniform())
    for method in (Pegasos(problem.mu), SCRDA(problem.mu), AnytimePrinted(problem.mu)):
        assert close(points, xs(method, problem, Uniform()))
    assert close(points, xs(PSG(problem.mu), problem, PSG(problem.mu).weights))
    anchored = xs(GDA(problem.mu), problem, Uniform(), anchor=3.0)
    assert close(anchored, xs(Pegasos(problem.mu), problem, Uniform(), anchor=3.0))
    assert close(anchored, xs(SCRDA(problem.mu), problem, Uniform(), anchor=3.0))


@pytest.mark.parametrize("problem", FREE, ids=lambda p: type(p.h).__name__)
def test_with_weights_t_gda_is_the_method_of_lacoste_julien_schmidt_and_bach(problem):
    points, x = xs(GDA(problem.mu), problem, Linear()), problem.x0
    for t in range(1, STEPS + 1):
        assert close(x, points[t - 1])
        x = x - 2 / (problem.mu * (t + 1)) * problem(x)[1]


@pytest.mark.parametrize("problem", FREE, ids=lambda p: type(p.h).__name__)
@pytest.mark.parametrize("gamma", [Uniform(), Linear(), Power(2)], ids=repr)
def test_without_a_constraint_sc_pda_is_pa_psg_with_eta_gamma_over_mu_Gamma(problem, gamma):
    anchor = 0.8

    def eta(t):
        before = anchor * gamma.weight(1) + (gamma.sum(t - 1) if t > 1 else 0.0)
        return gamma.weight(t) / (problem.mu * before)

    same = xs(PAPSGSC(problem.mu), problem, Sequence(eta))
    assert close(xs(SCPDA(problem.mu), problem, gamma, anchor=anchor), same)


@pytest.mark.parametrize("problem", FREE, ids=lambda p: type(p.h).__name__)
def test_pa_psg_at_its_defaults_is_sc_pda_with_weights_t_plus_1(problem):
    own = PAPSGSC(problem.mu)
    shifted = Sequence(lambda t: t + 1.0)
    assert close(xs(own, problem, own.weights), xs(SCPDA(problem.mu), problem, shifted, anchor=0.5))


def test_with_a_binding_ball_the_methods_part():
    problem = make(3, "hinge", "ball", d=6)
    gda, scpda = xs(GDA(problem.mu), problem, Uniform()), xs(SCPDA(problem.mu), problem, Linear(), anchor=0.5)
    assert np.linalg.norm(gda[-1]) == pytest.approx(1.0)
    assert not np.allclose(gda, xs(Pegasos(problem.mu), problem, Uniform()), atol=1e-3)
    assert not np.allclose(scpda, xs(PAPSGSC(problem.mu), problem, PAPSGSC(problem.mu).weights), atol=1e-3)


def test_more_identities():
    problem = make(4, "hinge", "ball")
    step = Power(-0.5)
    assert close(xs(PSG(), problem, step), xs(MirrorDescent(), problem, step))
    assert close(xs(SCPDA(problem.mu), problem, Uniform()), xs(Anytime(problem.mu), problem, Uniform()))
    from_zero = make(1, "hinge", "everywhere")
    from_zero = type(from_zero)(**{**from_zero.__dict__, "x0": np.zeros_like(from_zero.w)})
    assert close(xs(DA(), from_zero, Uniform(), Power(0.5)), xs(RDA(), from_zero, Uniform(), Power(0.5)))


def test_harvey_s_weighted_average_is_gda_with_weights_t():
    problem = make(1, "hinge", "everywhere")
    t = np.arange(1.0, STEPS + 1)
    x, points = problem.x0, []
    for k in t:
        points.append(x)
        x = x - 2 / (problem.mu * (k + 1)) * problem(x)[1]
    harvey = (t @ np.array(points)) / t.sum()
    output, memory = GDA(problem.mu).output(Linear()), None
    state, schedule = GDA(problem.mu).start(problem.x0, 0.0), Schedule(Linear(), Linear())
    for k in range(1, STEPS + 1):
        memory = output.update(memory, state, k, 0.0)
        state = GDA(problem.mu).step(state, problem(state.x)[1], schedule.at(k), problem.domain)
    assert close(harvey, output.point(memory))
