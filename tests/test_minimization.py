"""minimize: the contract, proofs during the run, and what happens when something goes wrong."""

import math
import time

import numpy as np
import pytest
from problems import DOMAINS, KINDS, make

import cesaro
from cesaro.domains import Ball, Everywhere, Simplex
from cesaro.methods import ALL, GDA, PDA, SCPDA, LinearDecay
from cesaro.outputs import Average, Best, Last, Suffix
from cesaro.weights import Geometric, Linear, Power, Uniform

PROBLEM = make(1, "hinge", "everywhere", d=6, mu=0.5)


def solve(problem, **options):
    options = {"mu": problem.mu, "domain": problem.domain, "max_iter": 300} | options
    return cesaro.minimize(problem, problem.x0, **options)


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
        assert res.fun == pytest.approx(problem(res.x)[0], rel=1e-14)


@pytest.mark.parametrize("name", ["gda", "sc-pda", "optimal-rda", "pa-psg-sc"])
def test_tol_stops_as_soon_as_the_gap_is_proved(name):
    res = solve(PROBLEM, method=name, tol=1e-3, max_iter=100_000)
    assert res.success
    assert res.status == 0
    assert res.gap <= 1e-3 * max(1, abs(res.fun))
    assert res.nit < 100_000
    assert res.fun - PROBLEM.minimum <= res.gap


def test_the_result_is_scipys_and_says_what_was_done():
    res = solve(PROBLEM, max_iter=50)
    assert set(res) >= {
        "x",
        "fun",
        "nit",
        "nfev",
        "success",
        "status",
        "message",
        "lower_bound",
        "gap",
        "bound",
        "trace",
    }
    assert (res.nit, res.nfev, res.status, res.success) == (50, 51, 1, True)
    assert "50 iterations" in res.message
    unreached = solve(PROBLEM, max_iter=5, tol=1e-9)
    assert not unreached.success
    assert unreached.status == 1


def test_the_loop_makes_the_steps_of_the_method():
    method, schedule = SCPDA(PROBLEM.mu), cesaro.methods.Schedule(Linear(), Linear())
    state = method.start(PROBLEM.x0, 0.0)
    for t in range(1, 21):
        state = method.step(state, PROBLEM(state.x)[1], schedule.at(t), Everywhere())
    assert np.array_equal(solve(PROBLEM, anchor=0.0, max_iter=20).x, state.x)
    assert np.array_equal(cesaro.minimize(PROBLEM, PROBLEM.x0, method=method, anchor=0.0, max_iter=20).x, state.x)


def test_gda_returns_the_weighted_average_of_all_points_asked():
    seen = []
    fun = lambda x: (seen.append(x), PROBLEM(x))[1]  # noqa: E731
    res = cesaro.minimize(fun, PROBLEM.x0, mu=PROBLEM.mu, method="gda", anchor=0.0, max_iter=1)
    asked = seen[:1] + [x for x in seen[1:] if not np.array_equal(x, PROBLEM.x0)][:1]
    assert np.allclose(res.x, (asked[0] + 2 * asked[1]) / 3, rtol=1e-14)


def test_three_ways_to_state_a_problem_agree():
    class Object:
        def value(self, x):
            return PROBLEM(x)[0]

        def subgradient(self, x):
            return PROBLEM(x)[1]

    plain = solve(PROBLEM)
    split = cesaro.minimize(
        lambda x, k: k * PROBLEM(x)[0],
        PROBLEM.x0,
        args=(1.0,),
        jac=lambda x, k: k * PROBLEM(x)[1],
        mu=PROBLEM.mu,
        max_iter=300,
    )
    objective = cesaro.minimize(Object(), PROBLEM.x0, mu=PROBLEM.mu, max_iter=300)
    assert np.array_equal(plain.x, split.x)
    assert np.array_equal(plain.x, objective.x)
    assert plain.gap == split.gap == objective.gap


class Sampled:
    """One row at a time."""

    def value(self, x):
        return PROBLEM(x)[0]

    def subgradient(self, x):
        return PROBLEM(x)[1]

    def sample(self, x, rng):
        row = PROBLEM.h.X[rng.integers(len(PROBLEM.h.X))]
        return PROBLEM.mu * x + PROBLEM.b - row * (row @ x < 1)


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


def test_without_mu_a_bounded_domain_still_gives_a_bound_and_an_unbounded_one_does_not():
    problem = make(3, "absolute", "ball", mu=0.1)
    bounded = solve(problem, method="pda", mu=None)
    assert bounded.lower_bound <= problem.minimum
    assert bounded.gap < math.inf
    assert bounded.bound < math.inf
    free = cesaro.minimize(PROBLEM, PROBLEM.x0, method="pda")
    assert free.gap == free.bound == math.inf
    assert "bounded domain" in free.message


def test_auto_anchor_tames_a_steep_smooth_function():
    steep = lambda w: (1e6 / 2 * w @ w, 1e6 * w)  # noqa: E731
    for name in ("sc-pda", "gda", "pegasos", "optimal-rda", "sc-rda", "anytime"):
        res = cesaro.minimize(steep, np.full(3, 2.0), mu=1e-3, method=name, max_iter=3000)
        assert res.anchor > 1
        assert res.fun < 0.9 * steep(np.full(3, 2.0))[0]
        assert res.lower_bound <= 0.0


def test_auto_anchor_tames_a_steep_function_that_is_sampled():
    class Steep:
        def value(self, x):
            return 5e5 * x @ x

        def subgradient(self, x):
            return 1e6 * x

        def sample(self, x, rng):
            return 2e6 * x * (rng.random() < 0.5)

    res = cesaro.minimize(Steep(), np.full(3, 2.0), mu=1e-3, method="gda", max_iter=3000, rng=0)
    assert res.anchor > 1
    assert res.fun < Steep().value(np.full(3, 2.0))


class Barrier:
    """Not a number beyond |x| = 1, where long steps lead."""

    def value(self, x):
        with np.errstate(invalid="ignore"):
            return -np.log(1 - x * x).sum()

    def subgradient(self, x):
        return 2 * x / (1 - x * x)

    def sample(self, x, rng):
        return 2 * self.subgradient(x) * (rng.random(x.size) < 0.5)


def test_a_sampled_function_that_is_not_finite_everywhere_stays_where_it_is():
    tamed = cesaro.minimize(Barrier(), np.full(10, 0.5), mu=0.01, max_iter=500, rng=0)
    assert tamed.anchor > 1
    assert tamed.success
    assert tamed.fun < Barrier().value(np.full(10, 0.5))
    lost = cesaro.minimize(Barrier(), np.full(10, 0.5), mu=0.01, max_iter=500, rng=0, anchor=0.0)
    assert not lost.success
    assert math.isfinite(lost.fun)
    assert "nan" in lost.message


@pytest.mark.parametrize("name", ALL)
def test_weights_that_grow_apart_do_not_overflow(name):
    for weights, gamma in ((Linear(), Geometric(0.05)), (Geometric(0.05), Geometric(0.1)), (Power(60), Uniform())):
        run = {"method": name, "mu": 1.0, "weights": weights, "gamma": gamma, "max_iter": 16_000, "anchor": 0.5}
        res = cesaro.minimize(lambda w: (min(w @ w, 1e9) / 2, np.clip(w, -1e9, 1e9)), np.ones(2), **run)
        assert not math.isnan(res.fun)


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


def test_a_scalar_problem_may_answer_in_scalars():
    res = cesaro.minimize(lambda w: (w**2, 2 * w[0]), 3.0, mu=2.0, tol=1e-6)
    assert res.success


def test_the_entropy_mirror_refuses_a_start_that_it_cannot_leave():
    method = cesaro.methods.MirrorDescent(mirror=cesaro.methods.Entropy())
    fun = lambda w: (w @ np.arange(3.0), np.arange(3.0))  # noqa: E731
    with pytest.raises(ValueError, match="Begin inside"):
        cesaro.minimize(fun, [1.0, 0.0, 0.0], method=method, domain=Simplex())
    res = cesaro.minimize(fun, np.full(3, 1 / 3), method=method, domain=Simplex(), max_iter=2000)
    assert res.fun < 0.05
    assert 0 <= -res.lower_bound < 0.2


def test_a_dimension_of_one_and_of_a_million():
    small = cesaro.minimize(lambda w: (abs(w[0]) + w[0] ** 2, np.sign(w) + 2 * w), 3.0, mu=2.0, tol=1e-4)
    assert small.success
    d = 1_000_000
    target = np.linspace(-1, 1, d)
    large = cesaro.minimize(lambda w: ((w - target) @ (w - target) / 2, w - target), np.zeros(d), mu=1.0, max_iter=30)
    assert large.fun < 1e-3 * target @ target
    assert large.lower_bound <= 0.0


def test_domains_bounds_and_outputs_are_honoured():
    box = cesaro.minimize(PROBLEM, PROBLEM.x0, mu=PROBLEM.mu, bounds=[(0, 0.1)] * 6)
    assert np.all((box.x >= 0) & (box.x <= 0.1))

    class Mine:
        def project(self, x):
            return Ball(0.2).project(x)

    mine = cesaro.minimize(PROBLEM, np.zeros(6), mu=PROBLEM.mu, domain=Mine())
    same = cesaro.minimize(PROBLEM, np.zeros(6), mu=PROBLEM.mu, domain=Ball(0.2))
    assert np.array_equal(mine.x, same.x)
    assert mine.lower_bound == same.lower_bound
    for output in (Last(), Average(Uniform()), Suffix(0.5), Best()):
        res = solve(PROBLEM, method="gda", output=output)
        assert res.fun - PROBLEM.minimum <= res.gap
        assert res.bound == math.inf
    assert solve(PROBLEM, method="gda", output=Average(Linear())).bound < math.inf


def test_best_is_the_best_point_asked():
    values = []
    fun = lambda x: (values.append(PROBLEM(x)[0]), PROBLEM(x))[1]  # noqa: E731
    res = cesaro.minimize(fun, PROBLEM.x0, mu=PROBLEM.mu, method="pegasos", output=Best(), max_iter=40, anchor=0.0)
    assert res.fun == min(values)


def test_linear_decay_knows_its_horizon():
    problem = make(3, "absolute", "ball", d=4, mu=0.1)
    method = LinearDecay(radius=2.0, lipschitz=4.0)
    res = cesaro.minimize(problem, problem.x0, method=method, domain=problem.domain, max_iter=400, anchor=0.0)
    assert res.fun - problem.minimum <= 2.0 * 4.0 / math.sqrt(401)


def test_the_clock_stands_still_while_it_measures():
    class Slow:
        def value(self, x):
            time.sleep(0.02)
            return x @ x / 2

        def subgradient(self, x):
            return x

        def sample(self, x, rng):
            return x

    res = cesaro.minimize(Slow(), np.ones(2), mu=1.0, method="gda", max_iter=20)
    assert len(res.trace) >= 10
    assert res.trace.elapsed < 0.02 * len(res.trace) / 2
    assert np.all(np.diff(res.trace.iteration) > 0)
    assert np.all(np.diff(res.trace.time) >= 0)


def test_time_limit_and_callbacks_stop_the_run():
    res = solve(PROBLEM, max_iter=10**9, time_limit=0.2)
    assert res.status == 2
    assert res.gap < 0.1
    seconds = res.trace.elapsed
    time.sleep(0.01)
    assert res.trace.elapsed == seconds

    seen = []

    def by_point(x):
        seen.append(x)
        if len(seen) == 7:
            raise StopIteration

    res = solve(PROBLEM, callback=by_point)
    assert (res.status, res.nit, len(seen)) == (3, 7, 7)
    assert np.array_equal(res.x, seen[-1])

    results = []
    res = solve(
        PROBLEM, method="gda", callback=lambda intermediate_result: results.append(intermediate_result), max_iter=9
    )
    assert [r.nit for r in results] == list(range(1, 10))
    assert results[-1].fun == res.fun


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"mu": None}, ValueError, 'use method="pda"'),
        ({"mu": 0.0}, ValueError, "mu must be positive"),
        ({"mu": -1.0}, ValueError, "mu must be positive"),
        ({"mu": math.nan}, ValueError, "mu must be positive"),
        ({"mu": "big"}, TypeError, "mu must be a number"),
        ({"mu": -1.0, "method": "pda"}, ValueError, "not negative"),
        ({"method": "sc_pda"}, ValueError, 'Did you mean "sc-pda"'),
        ({"method": "sgd"}, ValueError, "There are: psg"),
        ({"method": 3}, TypeError, "name or an object"),
        ({"method": GDA(2.0), "mu": 0.5}, ValueError, "contradicts"),
        ({"method": GDA(-2.0), "mu": None}, ValueError, "mu must be positive"),
        ({"tol": -1e-3}, ValueError, "tol must be"),
        ({"tol": math.nan}, ValueError, "tol must be"),
        ({"tol": None}, TypeError, "tol must be a number"),
        ({"max_iter": -1}, ValueError, "max_iter must be"),
        ({"max_iter": 10.5}, TypeError, "whole number"),
        ({"max_iter": None}, TypeError, "whole number"),
        ({"anchor": None}, TypeError, "anchor must be a number"),
        ({"method": GDA(None), "mu": None}, TypeError, "mu must be a number"),
        ({"output": "last"}, TypeError, r"cesaro\.outputs\.Last"),
        ({"output": Suffix}, TypeError, r"cesaro\.outputs\.Last"),
        ({"domain": Ball}, TypeError, r"Ball\(1\.0\)"),
        ({"weights": Linear}, TypeError, r"Linear\(\)"),
        ({"weights": lambda t: None}, ValueError, "weights must be positive"),
        ({"bounds": [(0, 1)] * 3}, ValueError, "does not fit"),
        ({"bounds": [(0, 1)]}, ValueError, "does not fit"),
        ({"bounds": []}, ValueError, "pairs"),
        ({"domain": Ball(1.0, [math.nan] * 6)}, ValueError, "not finite at 0"),
        ({"domain": Ball(1.0, np.zeros(4))}, ValueError, "does not fit"),
        ({"x0": "here"}, TypeError, "real numbers"),
        ({"fun": Sampled(), "output": Best()}, ValueError, "samples"),
        ({"fun": lambda x: (x, x)}, TypeError, "one real number"),
        ({"time_limit": -1.0}, ValueError, "time_limit must be"),
        ({"anchor": -1.0}, ValueError, "anchor must be"),
        ({"anchor": "large"}, ValueError, "anchor must be"),
        ({"weights": lambda t: -1.0}, ValueError, "weights must be positive"),
        ({"gamma": lambda t: math.nan}, ValueError, "weights must be positive"),
        ({"weights": "linear"}, TypeError, r"weights\.Linear"),
        ({"jac": None}, ValueError, "jac must be True"),
        ({"domain": 3}, TypeError, "project"),
        ({"callback": 3}, TypeError, "callback"),
        ({"x0": [math.nan] * 6}, ValueError, "x0 must be finite"),
        ({"x0": np.zeros((2, 3))}, ValueError, "one vector"),
        ({"fun": 3}, TypeError, "fun must be"),
        ({"fun": lambda x: x @ x}, TypeError, "pass the subgradient as jac"),
    ],
)
def test_bad_input_says_what_was_given_and_what_to_do(options, error, message):
    options = {"fun": PROBLEM, "x0": PROBLEM.x0, "mu": PROBLEM.mu} | options
    with pytest.raises(error, match=message):
        cesaro.minimize(**options)


def test_a_start_outside_the_domain_is_projected_and_that_is_said():
    res = cesaro.minimize(PROBLEM, np.full(6, 10.0), mu=PROBLEM.mu, domain=Ball(0.5))
    assert "projected" in res.message
    assert np.linalg.norm(res.x) <= 0.5 + 1e-12
    assert "projected" not in cesaro.minimize(PROBLEM, np.zeros(6), mu=PROBLEM.mu, domain=Ball(0.5)).message


@pytest.mark.parametrize("bad", [np.full(6, math.nan), np.zeros(5), np.zeros((6, 1)), "slope", None])
@pytest.mark.parametrize("when", [1, 8])
@pytest.mark.parametrize("anchor", [0.0, "auto"])
@pytest.mark.parametrize("method", ["gda", "sc-pda"])
def test_a_bad_subgradient_ends_the_run_with_the_last_good_point(bad, when, anchor, method):
    calls = []

    def fun(x):
        calls.append(1)
        value, g = PROBLEM(x)
        return (value, bad) if len(calls) >= when else (value, g)

    res = cesaro.minimize(fun, PROBLEM.x0, mu=PROBLEM.mu, anchor=anchor, method=method)
    assert not res.success
    assert res.status == 4
    assert "subgradient" in res.message
    assert len(calls) <= when + 8
    if when == 1:
        assert (res.fun, res.bound, res.gap) == (PROBLEM(PROBLEM.x0)[0], math.inf, math.inf)
        assert np.array_equal(res.x, PROBLEM.x0)
    else:
        good = cesaro.minimize(PROBLEM, PROBLEM.x0, mu=PROBLEM.mu, anchor=anchor, method=method, max_iter=res.nit - 1)
        assert np.array_equal(res.x, good.x)
        assert res.fun == good.fun
        assert res.lower_bound <= PROBLEM.minimum


def test_an_infinite_value_never_reaches_the_answer():
    res = cesaro.minimize(lambda x: (math.nan, x), np.ones(3), mu=1.0)
    assert res.status == 4
    assert np.array_equal(res.x, np.ones(3))


def test_a_sampled_value_that_is_not_finite_is_never_a_proof():
    class Infinite(Sampled):
        def value(self, x):
            return math.inf

    res = cesaro.minimize(Infinite(), PROBLEM.x0, mu=PROBLEM.mu, tol=1e-3, max_iter=20, rng=0)
    assert (res.status, res.success, res.gap) == (4, False, math.inf)
    assert "inf" in res.message


def test_an_oracle_that_raises_is_heard():
    def fun(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        cesaro.minimize(fun, PROBLEM.x0, mu=1.0)


def test_a_function_that_writes_into_its_argument_harms_nobody():
    def fun(x):
        answer = PROBLEM(x)
        x[:] = math.nan
        return answer

    assert np.array_equal(
        cesaro.minimize(fun, PROBLEM.x0, mu=PROBLEM.mu).x, cesaro.minimize(PROBLEM, PROBLEM.x0, mu=PROBLEM.mu).x
    )


@pytest.mark.parametrize("name", ["sc-pda", "gda", "sc-rda"])
@pytest.mark.parametrize("scale", [1.0, 1e4])  # the second makes "auto" begin again, with the first answer
def test_a_subgradient_buffer_may_be_reused(name, scale):
    buffer = np.empty(6)

    def fun(x):
        value, g = PROBLEM(x)
        return value + scale * (x @ x), g + 2 * scale * x

    def reusing(x):
        value, buffer[:] = fun(x)
        return value, buffer

    clean, reused = (cesaro.minimize(f, PROBLEM.x0, mu=PROBLEM.mu, method=name, max_iter=100) for f in (fun, reusing))
    assert clean.anchor > 1 or scale == 1.0
    assert np.array_equal(reused.x, clean.x)
    assert reused.lower_bound == clean.lower_bound


def test_a_projection_may_work_in_place():
    class Inside:
        def project(self, x):
            x /= max(1.0, np.linalg.norm(x))
            return x

    options = {"mu": PROBLEM.mu, "max_iter": 100}
    for name in ("gda", "sc-pda", "pegasos"):
        own = cesaro.minimize(PROBLEM, PROBLEM.x0, method=name, domain=Inside(), **options)
        assert np.allclose(own.x, cesaro.minimize(PROBLEM, PROBLEM.x0, method=name, domain=Ball(1.0), **options).x)


def test_a_mu_that_is_too_large_is_found_out():
    res = cesaro.minimize(lambda w: (w @ w / 2, w), np.ones(2), mu=50.0, max_iter=100)
    assert res.status == 5
    assert not res.success
    assert res.gap == math.inf
    assert "mu is too large" in res.message


def test_comparisons_share_the_best_bound():
    comparison = cesaro.compare(PROBLEM, PROBLEM.x0, mu=PROBLEM.mu, max_iter=200)
    assert list(comparison) == list(comparison.results) == ["gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda"]
    assert comparison.lower_bound == max(r.lower_bound for r in comparison.results.values())
    assert comparison.lower_bound <= PROBLEM.minimum
    lines = comparison.table().splitlines()
    assert len(lines) == 7
    assert len({len(line) for line in lines}) == 1
    named = cesaro.compare(PROBLEM, PROBLEM.x0, [PDA(), "sc-pda"], domain=Simplex(), mu=PROBLEM.mu, max_iter=20)
    assert list(named.results) == ["PDA(mu=0.0)", "sc-pda"]
    assert named["PDA(mu=0.0)"].gap < math.inf
    twice = cesaro.compare(
        Sampled(), PROBLEM.x0, ["gda", "gda"], mu=PROBLEM.mu, rng=np.random.default_rng(0), max_iter=50
    )
    assert list(twice.results) == ["gda", "gda'"]
    assert twice["gda"].fun == twice["gda'"].fun
    assert list(cesaro.compare(PROBLEM, PROBLEM.x0, "gda", mu=PROBLEM.mu, max_iter=5).results) == ["gda"]


def test_a_comparison_can_be_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = cesaro.compare(PROBLEM, PROBLEM.x0, ["gda", "sc-pda"], mu=PROBLEM.mu, max_iter=100).plot()
    assert [line.get_label() for line in ax.lines] == ["gda", "sc-pda"]
    assert all(np.all(line.get_ydata() > 0) for line in ax.lines)
    unproved = cesaro.compare(PROBLEM, PROBLEM.x0, max_iter=20)
    assert unproved.lower_bound == -math.inf
    unproved.plot().figure.canvas.draw()
    matplotlib.pyplot.close("all")


def test_power_weights_and_custom_functions_are_the_same():
    a = solve(PROBLEM, weights=Power(2), anchor=0.5, max_iter=60)
    b = solve(PROBLEM, weights=lambda t: t**2, anchor=0.5, max_iter=60)
    assert np.allclose(a.x, b.x, rtol=1e-12)
    assert a.bound == pytest.approx(b.bound, rel=1e-12)
