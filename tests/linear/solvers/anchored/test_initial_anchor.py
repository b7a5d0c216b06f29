"""The choice of the anchor: candidates make first passes, the choice has no unit, and it is good wherever mu is."""

import numpy as np
import pytest

from cesaro import losses
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers import initial_step
from cesaro.linear.solvers.anchored import initial_anchor, records
from cesaro.linear.solvers.anchored.dual_state import SolverState
from cesaro.linear.solvers.anchored.prox_weight import ProxWeightRule
from cesaro.linear.solvers.anchored.solver import run_epoch


def problem(rng, n=3000, d=12, loss=None, mu=1e-4, scale=1.0, bias=0.0):
    X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-1, 1, d)
    y = np.where(X @ rng.normal(size=d) + np.abs(X).sum(1).mean() * rng.normal(size=n) > 0, 1.0, -1.0)
    v = rng.uniform(0.5, 2.0, n)
    return Problem(make_rows(scale * X, bias), y, v, loss or losses.Hinge(), mu)


def first_pass(run, K):
    """The average of one first pass with the anchor K."""
    run.record[:, records.B] = 0.0
    run.recenter(np.zeros_like(run.center), K, np.zeros_like(run.center))
    order = run.active.copy()
    average = run_epoch(run, first=True).average.copy()
    run.whole.active = order
    return average


@pytest.mark.parametrize("loss", [kind() for kind in losses.ALL.values()], ids=repr)
def test_a_candidate_makes_a_first_pass_with_its_anchor_and_leaves_no_trace(loss):
    given = problem(np.random.default_rng(0), 300, loss=loss, bias=1.0)
    for c in initial_step.CANDIDATES:
        run = SolverState(given, 0)
        order = run.active.copy()
        found = initial_anchor.trial(run, run.active, run.active, run.mean_square / c)
        assert not run.record[:, records.B].any()
        np.testing.assert_array_equal(run.active, order)
        assert found == pytest.approx(run.evaluate(first_pass(run, run.mean_square / c))[0], rel=1e-7)


@pytest.mark.parametrize("scale", [1e-2, 1e2])
def test_the_choice_does_not_depend_on_the_unit_of_X(scale):
    one = problem(np.random.default_rng(1))
    other = problem(np.random.default_rng(1), scale=scale, mu=1e-4 * scale**2)
    assert initial_anchor.first_step(SolverState(one, 0)) == pytest.approx(
        initial_anchor.first_step(SolverState(other, 0)), rel=1e-9
    )


@pytest.mark.parametrize("mu", [1e-1, 1e-3, 1e-5, 1e-6])
@pytest.mark.parametrize("loss", [losses.Hinge(), losses.SquaredHinge(), losses.LogLoss()], ids=repr)
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_the_choice_is_nearly_the_best_of_all_candidates_at_every_mu_and_scale(mu, loss, scale):
    given = problem(np.random.default_rng(2), 6000, loss=loss, mu=mu, scale=scale)

    def after_one_pass(c):
        run = SolverState(given, 0)
        c = initial_anchor.first_step(run) if c is None else c
        return run.evaluate(first_pass(run, run.mean_square / c))[0]

    best = min(after_one_pass(c) for c in 4.0 ** np.arange(-6, 5))
    assert after_one_pass(None) <= 1.06 * best


def test_an_anchor_that_the_sweeps_outgrow_is_loosened_and_one_that_lets_them_swing_is_tightened():
    run = SolverState(problem(np.random.default_rng(3)), 0)
    run.slack = np.inf  # every row is visited
    for _ in range(12):
        run.recenter(np.zeros_like(run.center), 1e6 * run.mean_square)
        run.rule.observe(*run.recenter_at_average(run_epoch(run), run.prox_weight, 1.0))
        factor = run.rule.factor(run.prox_weight, run.n * run.mu)
    assert factor > 1.0
    for _ in range(20):
        run.rule.observe(1e9, 1.0)
        factor = run.rule.factor(run.prox_weight, run.n * run.mu)
    assert factor < 1.0


def test_wide_rows_that_only_drift_are_held_back_and_those_that_the_penalty_holds_are_not():
    for wide, penalty, loosened in ((True, 0.0, True), (True, 1.0, False), (False, 0.0, False)):
        rule = ProxWeightRule(wide)
        for _ in range(20):
            rule.observe(0.6, 1.0)  # a drift through the epoch, or an oscillation
        assert (rule.factor(1.0, penalty) > 1.0) is loosened


def test_a_rule_that_was_both_too_strong_and_too_weak_changes_less_and_less():
    rule, factors = ProxWeightRule(wide=True), []
    for oscillation in 15 * (0.01, 100.0):
        for _ in range(20):
            rule.observe(oscillation, 1.0)
        factors.append(abs(np.log(rule.factor(1.0, 1.0))))
    assert factors[0] > 0.2
    assert factors[-1] < 0.05
