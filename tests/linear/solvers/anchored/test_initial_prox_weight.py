"""The anchor's weight: it has the unit of the rows, and is good wherever mu is."""

import numpy as np
import pytest

from cesaro import losses
from cesaro.dual_form import LOGISTIC
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers import driver
from cesaro.linear.solvers.anchored import initial_prox_weight
from cesaro.linear.solvers.anchored.dual_state import SolverState
from cesaro.linear.solvers.anchored.prox_weight import ProxWeightRule
from cesaro.linear.solvers.anchored.solver import AnchoredSolver, run_epoch
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import NULL_SLOT


def problem(rng, n=3000, d=12, loss=None, mu=1e-4, scale=1.0, bias=0.0, spread=1.0):
    X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-spread, spread, d)
    y = np.where(X @ rng.normal(size=d) + np.abs(X).sum(1).mean() * rng.normal(size=n) > 0, 1.0, -1.0)
    v = rng.uniform(0.5, 2.0, n)
    return Problem(make_rows(scale * X, bias), y, v, loss or losses.Hinge(), mu)


def epochs_until(tol, given, K=None):
    """How many epochs a proof takes; with K from the second one on, in units of mean |x|^2, or with the solver's own."""
    settings = Settings(tol=tol, max_iter=500, seed=0)
    solver = AnchoredSolver(given, settings, None, fresh=True)
    if K is not None:
        solver._second_weight = lambda changes: K * solver.current.mean_square
    driver.run_to_end(solver, settings, None, NULL_SLOT)
    return solver.epoch


@pytest.mark.parametrize("scale", [1e-2, 1e2])
@pytest.mark.parametrize("loss", [losses.Hinge(), losses.LogLoss()], ids=repr)
def test_the_weights_have_the_unit_of_the_squares_of_x(loss, scale):
    found = []
    for unit in (1.0, scale):
        given = problem(np.random.default_rng(1), loss=loss, scale=unit, mu=1e-4 * unit**2)
        solver = AnchoredSolver(given, Settings(), None, fresh=True)
        first = solver.current.prox_weight
        solver.advance([0])
        found.append(np.array([first, solver.current.prox_weight]) / unit**2)
    np.testing.assert_allclose(*found, rtol=1e-9)


@pytest.mark.parametrize("mu", [1e-2, 1e-4, 1e-5])
@pytest.mark.parametrize("loss", [losses.Hinge(), losses.SquaredHinge(), losses.LogLoss()], ids=repr)
@pytest.mark.parametrize("d", [6, 100])
def test_a_proof_takes_hardly_more_epochs_than_with_the_best_of_all_weights(mu, loss, d):
    given = problem(np.random.default_rng(2), 6000, d, loss, mu, spread=0.5)
    best = min(epochs_until(1e-3, given, K) for K in 4.0 ** np.arange(-3, 5))
    assert epochs_until(1e-3, given) <= 1.3 * best + 1


def test_rows_that_share_their_columns_with_more_that_moved_get_a_stronger_anchor():
    def after(moved, penalty=0.0):
        return initial_prox_weight.second_weight(7.0, 3.0, 1.0, moved, penalty, wide=False)

    assert after(400.0) == pytest.approx(10.0 * after(4.0))
    assert after(1600.0) == after(1e6) == pytest.approx(2.0 * after(400.0))
    assert after(4.0, penalty=99.0) == pytest.approx(after(4.0) * 100.0**0.4)


def test_wide_rows_keep_their_anchor_unless_it_is_very_strong():
    assert initial_prox_weight.second_weight(7.0, 3.0, 1.0, 4.0, 0.0, wide=True) == 7.0
    assert initial_prox_weight.second_weight(70.0, 3.0, 1.0, 4.0, 0.0, wide=True) == pytest.approx(10.0)


def test_the_logistic_loss_has_the_unit_of_its_curvature_where_the_dual_values_are():
    given = problem(np.random.default_rng(4), 300, loss=losses.LogLoss())
    state = SolverState(given, 0)
    p = np.random.default_rng(5).normal(size=300)
    b = -given.loss.slope(p, given.y)
    state.load_dual_values(b)
    step = 1e-5
    curvature = (given.loss.slope(p + step, given.y) - given.loss.slope(p - step, given.y)) / (2.0 * step)
    expected = state.mean_square * np.average(curvature, weights=given.v)
    assert initial_prox_weight.unit(state.mean_square, LOGISTIC, state.record) == pytest.approx(expected, rel=1e-6)


def test_an_anchor_that_the_sweeps_outgrow_is_weaker_and_one_that_lets_them_swing_is_tightened():
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
    for wide, penalty, held in ((True, 0.0, True), (True, 1.0, False), (False, 0.0, False)):
        rule = ProxWeightRule(wide)
        for _ in range(20):
            rule.observe(0.6, 1.0)  # a drift through the epoch, or an oscillation
        assert (rule.factor(1.0, penalty) > 1.0) is held


def test_a_rule_that_was_both_too_strong_and_too_weak_changes_less_and_less():
    rule, factors = ProxWeightRule(wide=True), []
    for oscillation in 15 * (0.01, 100.0):
        for _ in range(20):
            rule.observe(oscillation, 1.0)
        factors.append(abs(np.log(rule.factor(1.0, 1.0))))
    assert factors[0] > 0.2
    assert factors[-1] < 0.05
