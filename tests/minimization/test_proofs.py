"""What minimize proves is true: gaps, bounds, and when there is none."""

import math

import numpy as np
import pytest
from problems import DOMAINS, KINDS, PROBLEM, Sampled, make, solve

import cesaro
from cesaro.methods import ALL, GDA


@pytest.mark.parametrize("region", DOMAINS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ALL)
def test_the_gap_is_never_smaller_than_the_truth(name, kind, region):
    for seed in range(3):
        problem = make(seed, kind, region)
        res = solve(problem, method=name, max_iter=100)
        assert res.lower_bound <= problem.minimum <= res.fun
        assert res.gap == res.fun - res.lower_bound
        assert np.all(res.trace.lower_bound <= problem.minimum)
        assert res.fun - problem.minimum <= res.bound * (1 + 1e-9) + 1e-12
        assert np.all(res.trace.value - problem.minimum <= res.trace.bound * (1 + 1e-9) + 1e-12)
        assert res.fun == pytest.approx(problem(res.x)[0], rel=1e-14)


@pytest.mark.parametrize("name", ["gda", "sc-pda", "da", "pda"])
def test_the_theorems_bound_along_a_run_is_that_of_runs_that_end_there(name):
    problem = make(3, "absolute", "ball", mu=0.1)
    trace = solve(problem, method=name, anchor=1.0, max_iter=60).trace
    assert len(trace.bound) == len(trace) >= 10
    ended = [solve(problem, method=name, anchor=1.0, max_iter=int(n)).bound for n in trace.iteration]
    assert np.array_equal(trace.bound, ended)
    assert np.all(np.isfinite(trace.bound))
    assert trace.bound[-1] < trace.bound[0]


def printed_bound(asked, weights, gamma, anchor, mu, corrected):
    """(gamma_0 |g_1|^2 + sum_k (a_k^2/Gamma_k + max(gamma_k - a_k, 0)) |g_k|^2) / (2 mu A_t), as docs/minimize.md has it."""
    total = A = 0.0
    Gamma = anchor * gamma(1)
    for k, g in enumerate(asked, start=1):
        a, before, gg = weights(k), A, g @ g
        total += anchor * gamma(1) * gg if k == 1 else 0.0
        joined = Gamma + (gamma(k) * a**2 / (gamma(k) * before + a**2) if corrected else gamma(k))
        A, Gamma = A + a, Gamma + gamma(k)
        total += (a**2 / joined + max(gamma(k) - a, 0.0)) * gg
    return total / (2 * mu * A)


class Asked:
    """A problem that notes the subgradients that it was asked for."""

    def __init__(self, problem):
        self.problem, self.found = problem, []

    def value(self, x):
        return self.problem(x)[0]

    def subgradient(self, x):
        self.found.append(self.problem(x)[1])
        return self.found[-1]


@pytest.mark.parametrize("method", ["gda", "sc-pda"])
@pytest.mark.parametrize("anchor", [0.0, 2.5])
@pytest.mark.parametrize("gamma", [1.0, 0.5, 2.0])
def test_the_bound_is_the_formula_that_the_guide_prints(method, anchor, gamma):
    problem = make(5, "hinge", "ball")
    weights = {"weights": lambda t: t**1.5, "gamma": lambda t: gamma * t**1.5}
    fun, settings = Asked(problem), {"mu": problem.mu, "domain": problem.domain, "anchor": anchor, **weights}
    res = cesaro.minimize(fun, problem.x0, method=method, max_iter=40, **settings)
    printed = printed_bound(fun.found, weights["weights"], weights["gamma"], anchor, problem.mu, method == "sc-pda")
    assert res.bound == pytest.approx(printed, rel=1e-10)
    assert len(fun.found) == res.trace.t[-1] == 41


@pytest.mark.parametrize("mu", [0.0, 0.3])
@pytest.mark.parametrize("anchor", [0.0, 2.5])
@pytest.mark.parametrize("method", ["da", "pda"])
def test_the_bound_of_da_and_pda_is_the_formula_that_the_guide_prints(method, anchor, mu):
    problem = make(5, "hinge", "ball", mu=0.3)
    fun = Asked(problem)
    res = cesaro.minimize(fun, problem.x0, method=method, mu=mu, domain=problem.domain, anchor=anchor, max_iter=40)
    gg, t = np.array([g @ g for g in fun.found]), np.arange(1, 42)
    gamma = np.sqrt(t) + anchor
    far = min(problem.domain.reach(problem.x0), math.sqrt(gg[0]) / mu if mu else math.inf)
    printed = (gamma[-1] * far**2 + (gg / np.append(gamma[0], gamma[:-1])).sum()) / (2 * 41)
    assert res.bound == pytest.approx(printed, rel=1e-10)


def test_a_subclass_has_the_gap_and_not_the_theorem_of_its_method():
    class Mine(GDA):
        """The same steps."""

    theirs, mine = (cesaro.minimize(PROBLEM, PROBLEM.x0, method=kind(PROBLEM.mu), max_iter=30) for kind in (GDA, Mine))
    assert theirs.bound < mine.bound == math.inf
    assert theirs.gap == mine.gap < math.inf


def test_with_gamma_above_a_the_bound_does_not_fall():
    problem = make(3, "absolute", "ball", mu=0.1)
    heavy, even = (
        solve(problem, method="gda", anchor=0.0, max_iter=3_000, gamma=lambda t, by=by: by * t).bound
        for by in (2.0, 1.0)
    )
    assert even < 1e-2 * heavy


def test_t_counts_the_subgradients_of_the_attempt_that_the_output_is_made_of():
    problem = make(3, "absolute", "ball", mu=0.1)
    plain = solve(problem, method="gda", anchor=0.0, max_iter=60).trace
    assert np.array_equal(plain.t, plain.iteration + 1)
    assert plain.t.dtype == plain.iteration.dtype

    answers = iter([PROBLEM(PROBLEM.x0)] * 5 + [(math.nan, PROBLEM.x0)])
    broken = cesaro.minimize(lambda x: next(answers, PROBLEM(x)), PROBLEM.x0, mu=PROBLEM.mu, anchor=0.0)
    assert broken.status == 4
    assert broken.trace.t[-1] == broken.trace.iteration[-1] == 5

    steep = Asked(lambda w: (1e6 / 2 * w @ w, 1e6 * w))
    res = cesaro.minimize(steep, np.full(3, 2.0), mu=1e-3, method="gda", max_iter=300)
    assert res.anchor > 1
    assert res.trace.t[-1] < res.trace.iteration[-1] + 1
    since = steep.found[:1] + steep.found[len(steep.found) - res.trace.t[-1] + 1 :]  # x_1 is not asked again
    linear = lambda t: float(t)  # noqa: E731
    assert res.bound == pytest.approx(printed_bound(since, linear, linear, res.anchor, 1e-3, False), rel=1e-9)


@pytest.mark.parametrize("name", ["gda", "sc-pda", "optimal-rda", "pa-psg-sc"])
def test_tol_stops_as_soon_as_the_gap_is_proved(name):
    res = solve(PROBLEM, method=name, tol=1e-3, max_iter=100_000)
    assert res.success
    assert res.status == 0
    assert res.gap <= 1e-3 * max(1, abs(res.fun))
    assert res.nit < 100_000
    assert res.fun - PROBLEM.minimum <= res.gap


def test_a_sampling_oracle_converges_reproducibly_and_proves_nothing():
    res = cesaro.minimize(Sampled(), PROBLEM.x0, mu=PROBLEM.mu, method="gda", max_iter=20_000, tol=1e-9, rng=7)
    again = cesaro.minimize(
        Sampled(), PROBLEM.x0, mu=PROBLEM.mu, method="gda", max_iter=20_000, rng=np.random.default_rng(7)
    )
    assert np.array_equal(res.x, again.x)
    assert res.gap == res.bound == math.inf
    assert res.lower_bound == -math.inf
    assert "samples" in res.message
    assert res.fun - PROBLEM.minimum < 0.02 * (PROBLEM(PROBLEM.x0)[0] - PROBLEM.minimum)


def test_a_sampled_value_that_is_not_finite_is_never_a_proof():
    class Infinite(Sampled):
        def value(self, x):
            return math.inf

    res = cesaro.minimize(Infinite(), PROBLEM.x0, mu=PROBLEM.mu, tol=1e-3, max_iter=20, rng=0)
    assert (res.status, res.success, res.gap) == (4, False, math.inf)
    assert "inf" in res.message


def test_without_mu_a_bounded_domain_still_gives_a_bound_and_an_unbounded_one_does_not():
    problem = make(3, "absolute", "ball", mu=0.1)
    bounded = solve(problem, method="pda", mu=None)
    assert bounded.lower_bound <= problem.minimum
    assert bounded.gap < math.inf
    assert bounded.bound < math.inf
    free = cesaro.minimize(PROBLEM, PROBLEM.x0, method="pda")
    assert free.gap == free.bound == math.inf
    assert "bounded domain" in free.message


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e150, 1e200])
def test_functions_of_any_scale_give_finite_answers_and_true_bounds(scale):
    fun = lambda w: (scale * PROBLEM(w)[0], scale * PROBLEM(w)[1])  # noqa: E731
    res = cesaro.minimize(fun, PROBLEM.x0, mu=scale * PROBLEM.mu, max_iter=200)
    assert res.status == 1
    assert res.lower_bound <= scale * PROBLEM.minimum <= res.fun


def test_answers_in_single_precision_get_a_larger_allowance():
    res = cesaro.minimize(lambda w: (float(w @ w), (2 * w).astype("f4")), [3.0, 4.0], mu=2.0, max_iter=300)
    assert res.lower_bound <= 0.0
    both = cesaro.minimize(lambda w: (np.float32(w @ w), (2 * w).astype("f4")), [3.0, 4.0], mu=2.0, max_iter=3000)
    assert both.status == 1
    assert both.lower_bound <= 0.0


def test_a_mu_that_is_too_large_is_found_out():
    res = cesaro.minimize(lambda w: (w @ w / 2, w), np.ones(2), mu=50.0, max_iter=100)
    assert res.status == 5
    assert not res.success
    assert res.gap == math.inf
    assert "mu is too large" in res.message
