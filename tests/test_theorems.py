"""The paper's theorems, as printed and corrected, against random problems with known solution and against counterexamples."""

import math
from fractions import Fraction

import numpy as np
import pytest
from problems import DOMAINS, KINDS, iterate, make

from cesaro.certificate import Bundle, DualAveraging, theorem_1, theorem_2
from cesaro.domains import Ball, Box, Everywhere
from cesaro.methods import DA, GDA, PDA, SCPDA, Schedule
from cesaro.weights import Geometric, Linear, Power, Uniform

SCHEDULES = {  # name: a, gamma, anchor
    "1, 1": (Uniform(), Uniform(), 0.0),
    "t, t": (Linear(), Linear(), 0.0),
    "t, t, anchored": (Linear(), Linear(), 2.5),
    "t^2, t^2": (Power(2), Power(2), 0.0),
    "sqrt t, t": (Power(0.5), Linear(), 0.0),
    "geometric, anchored": (Geometric(0.1), Geometric(0.1), 0.7),
}
PROBLEMS = [(kind, region, seed) for kind in KINDS for region in DOMAINS for seed in range(26)]  # 312
STEPS = 60


def sums(schedule, steps):
    """a_k, gamma_k, A_k, Gamma_k and gamma_0 by plain addition, independent of the ratios that the methods use."""
    t = range(1, steps + 1)
    a, gamma = np.array([schedule.weights.weight(k) for k in t]), np.array([schedule.gamma.weight(k) for k in t])
    gamma_0 = schedule.anchor * gamma[0]
    return a, gamma, np.cumsum(a), gamma_0 + np.cumsum(gamma), gamma_0


def bounds(problem, xs, gs, schedule, corrected):
    """The theorem's right-hand side for every t, with the true distances to the solution."""
    a, gamma, A, Gamma, gamma_0 = sums(schedule, len(xs))
    if corrected:
        Gamma = Gamma - gamma + gamma * a**2 / (gamma * (A - a) + a**2)
    distance = ((xs - problem.w) ** 2).sum(axis=1)
    terms = a**2 / (problem.mu * Gamma) * (gs**2).sum(axis=1) + problem.mu * (gamma - a) * distance
    return (np.cumsum(terms) + problem.mu * gamma_0 * distance[0]) / (2 * A)


@pytest.mark.parametrize("name", SCHEDULES)
def test_theorem_1_the_corrected_theorem_2_and_the_lower_bounds_hold_on_312_problems(name):
    schedule = Schedule(*SCHEDULES[name], STEPS)
    a, _, A, *_ = sums(schedule, STEPS)
    for kind, region, seed in PROBLEMS:
        problem = make(seed, kind, region)
        for method, theorem, corrected in ((GDA, theorem_1, False), (SCPDA, theorem_2, True)):
            xs, values, gs = iterate(method(problem.mu), problem, schedule, STEPS)
            mean = np.cumsum(a * (values - problem.minimum)) / A
            reached = mean if method is GDA else values - problem.minimum
            right = bounds(problem, xs, gs, schedule, corrected)
            allowance = 1e-12 * (1 + np.abs(values).max())
            assert np.all(reached <= right + allowance), (kind, region, seed, method)
            computable, bundle = theorem(problem.mu, math.inf), Bundle(problem.mu, problem.domain, len(problem.w))
            for t in range(1, STEPS + 1):
                now, gg = schedule.at(t), gs[t - 1] @ gs[t - 1]
                computable.add(now, gg)
                assert computable.value >= right[t - 1] * (1 - 1e-10), (kind, region, seed, method, t)
                bundle.add(values[t - 1], gs[t - 1], xs[t - 1], gg, xs[t - 1] @ xs[t - 1], now.share)
                if t in (1, 3, 10, STEPS):
                    assert bundle.bound() <= problem.minimum, (kind, region, seed, method, t)


def test_the_lower_bound_survives_weights_that_make_the_iterates_explode():
    schedule = Schedule(Power(2), Uniform(), 0.0)
    for seed in range(100):
        problem = make(seed, list(KINDS)[seed % 3], "everywhere", d=5)
        xs, values, gs = iterate(GDA(problem.mu), problem, schedule, 25)
        bundle = Bundle(problem.mu, problem.domain, 5)
        for t in range(25):
            bundle.add(values[t], gs[t], xs[t], gs[t] @ gs[t], xs[t] @ xs[t], schedule.at(t + 1).share)
            assert bundle.bound() <= problem.minimum


class Counterexample:
    """f = max( -4/9 + w + w^2/2 , -(w + 2/3) + (w + 2/3)^2/2 ), mu = 1, minimum -4/9 at 0, where g = +1 is chosen."""

    w, x0, mu, domain, minimum = np.zeros(1), np.zeros(1), 1.0, Everywhere(), -4 / 9

    def __call__(self, x):
        w = x[0]
        left, right = -4 / 9 + w + w**2 / 2, -(w + 2 / 3) + (w + 2 / 3) ** 2 / 2
        return max(left, right), np.array([1 + w if left >= right else w - 1 / 3])


def test_theorem_2_as_printed_is_false_and_the_corrected_one_is_not():
    problem, schedule = Counterexample(), Schedule(Linear(), Linear())
    xs, values, gs = iterate(SCPDA(1.0), problem, schedule, 2)
    reached = values[1] - problem.minimum
    assert reached == pytest.approx(4 / 9, abs=1e-15)
    assert bounds(problem, xs, gs, schedule, corrected=False)[1] == pytest.approx(7 / 18, abs=1e-15)
    assert bounds(problem, xs, gs, schedule, corrected=True)[1] == pytest.approx(19 / 42, abs=1e-15)


def test_the_bound_of_da_and_pda_needs_the_earlier_gamma():
    """f = |w| from its minimum 0, where g = +1 is chosen, and gamma = 1, 2: the bound as printed is too small."""
    schedule, state, bound = Schedule(Uniform(), Linear()), DA().start(np.zeros(1), 0.0), DualAveraging(0.0, 0.0)
    values = []
    for t in (1, 2):
        values.append(abs(state.x[0]))
        g = np.where(state.x >= 0, 1.0, -1.0)
        bound.add(schedule.at(t), g @ g)
        state = DA().step(state, g, schedule.at(t), Everywhere())
    printed = (1 / (2 * 1) + 1 / (2 * 2)) / 2
    assert np.mean(values) == 0.5
    assert printed == 0.375
    assert bound.value == 0.5


@pytest.mark.parametrize(("method", "last"), [(DA(), False), (PDA(), True)])
@pytest.mark.parametrize("gamma", [Power(0.5), Power(0.5, 0.1), Linear(), Power(0.5, 30.0)], ids=repr)
def test_the_corrected_bound_of_da_and_pda_holds(method, last, gamma):
    schedule = Schedule(Uniform(), gamma, 0.0)
    for kind in KINDS:
        for seed in range(30):
            problem = make(seed, kind, "ball")
            bound = DualAveraging(0.0, Ball(1.0).reach(problem.x0))
            _, values, gs = iterate(method, problem, schedule, 60)
            mean = np.cumsum(values) / np.arange(1, 61)
            for t in range(1, 61):
                bound.add(schedule.at(t), gs[t - 1] @ gs[t - 1])
                reached = (values if last else mean)[t - 1] - problem.minimum
                assert reached <= bound.value + 1e-12 * (1 + abs(values[0]))


class Kink:
    """f = w^2/2 + max(w, -pi w): minimum 0 at 0, mu = 1."""

    w, x0, mu, domain, minimum = np.zeros(1), np.ones(1), 1.0, Everywhere(), 0.0

    def __call__(self, x):
        w = x[0]
        return w * w / 2 + max(w, -math.pi * w), np.array([w + (1.0 if w >= 0 else -math.pi)])


def kink_gaps(weights, times):
    """t (f(average) - f*) of GDA for its uniform and its a-weighted average."""
    schedule, problem = Schedule(weights, weights), Kink()
    xs = iterate(GDA(1.0), problem, schedule, times[-1])[0][:, 0]
    a = np.array([weights.weight(t) for t in range(1, times[-1] + 1)])
    uniform, weighted = np.cumsum(xs) / np.arange(1, len(xs) + 1), np.cumsum(a * xs) / np.cumsum(a)
    return tuple([t * problem(mean[t - 1 : t])[0] for t in times] for mean in (uniform, weighted))


def test_corollary_1_fails_for_the_uniform_average_and_holds_for_the_weighted_one():
    uniform, weighted = kink_gaps(Linear(), [1_000, 10_000, 100_000])
    growth = np.diff(uniform)
    assert np.all(growth > 3.0)  # a constant for every factor of ten: a logarithm
    assert growth[1] == pytest.approx(growth[0], rel=0.2)
    assert max(weighted) < 1.1 * min(weighted) + 1.0


def test_with_weights_1_the_logarithm_shows_in_the_average_of_gda():
    average, _ = kink_gaps(Uniform(), [1_000, 10_000, 100_000])
    growth = np.diff(average)
    assert np.all(growth > 1.0)
    assert growth[1] == pytest.approx(growth[0], rel=0.2)


@pytest.mark.parametrize(("method", "last"), [(GDA, False), (SCPDA, True)])
@pytest.mark.parametrize("seed", [0, 1])
def test_gda_and_sc_pda_fall_like_one_over_t_on_hinge_problems(method, last, seed):
    problem, T = make(seed, "hinge", "everywhere", d=10, mu=0.5), 100_000
    xs, values, _ = iterate(method(problem.mu), problem, Schedule(Linear(), Linear()), T)
    if not last:
        a = np.arange(1.0, T + 1)
        means = np.cumsum(a[:, None] * xs, axis=0) / np.cumsum(a)[:, None]
    times = np.unique(np.geomspace(100, T, 60).astype(int))
    gaps = [(values[t - 1] if last else problem(means[t - 1])[0]) - problem.minimum for t in times]
    slope = np.polyfit(np.log(times), np.log(gaps), 1)[0]
    assert slope <= -0.95


@pytest.mark.parametrize("seed", range(20))
def test_without_strong_convexity_rounding_of_the_slope_counts_as_far_as_the_domain_reaches(seed):
    """Slopes that cancel, a far corner: the bound against that of the same cuts, averaged in fractions."""
    rng, x, far = np.random.default_rng(seed), np.ones(2), 1e6
    bundle, slope, constant = Bundle(0.0, Box(np.ones(2), np.full(2, far)), 2), Fraction(0), Fraction(0)
    for t in range(1, 201):
        g = np.array([0.0, (-1.0) ** t * (1.0 + 1e-3 * rng.random())])
        bundle.add(0.0, g, x, float(g @ g), 2.0, 1.0 / t)
        share = Fraction(1.0 / t)
        slope += share * (Fraction(g[1]) - slope)
        constant -= share * (Fraction(g[1]) + constant)
    assert Fraction(bundle.bound()) <= constant + min(slope, slope * Fraction(far))


@pytest.mark.parametrize("seed", range(20))
def test_with_little_strong_convexity_rounding_of_the_slope_moves_the_minimiser(seed):
    """Slopes that cancel but for rounding, mu = 1e-30: the bound against that of the same cuts, averaged in fractions."""
    rng, mu, x = np.random.default_rng(seed), 1e-30, np.zeros(2)
    bundle, slopes, constant = Bundle(mu, Everywhere(), 2), [Fraction(0), Fraction(0)], Fraction(0)
    a = rng.uniform(0.5, 1.5, 5)
    g = rng.normal(size=(5, 2))
    g[-1] = -(a[:-1] @ g[:-1]) / a[-1]
    for t in range(1, 6):
        share = float(a[t - 1] / a[:t].sum())
        bundle.add(1.0, g[t - 1], x, float(g[t - 1] @ g[t - 1]), 0.0, share)
        slopes = [s + Fraction(share) * (Fraction(each) - s) for s, each in zip(slopes, g[t - 1], strict=True)]
        constant += Fraction(share) * (1 - constant)
    assert Fraction(bundle.bound()) <= constant - (slopes[0] ** 2 + slopes[1] ** 2) / (2 * Fraction(mu))
