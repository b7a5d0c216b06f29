"""Where a free intercept begins, and how closely rows are watched after that."""

import math

import numpy as np
import pytest

from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.anchored.active_rows import slack_after
from cesaro.linear.solvers.anchored.dual_state import SolverState
from cesaro.linear.solvers.anchored.records import B
from cesaro.linear.solvers.anchored.solver import AnchoredSolver, run_epoch
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import Hinge, LogLoss, SquaredHinge


@pytest.mark.parametrize(("loss", "best"), [(Hinge(), -1.0), (LogLoss(), math.log(0.1 / 0.9)), (SquaredHinge(), -0.8)])
def test_a_free_intercept_begins_at_about_the_best_constant_model_and_stays_in_h(loss, best):
    rng = np.random.default_rng(0)
    X, y = 0.1 * rng.normal(size=(400, 3)), np.where(np.arange(400) % 10 == 0, 1.0, -1.0)
    problem = Problem(make_rows(X, 1.0), y, np.ones(400), loss, 1e-3, penalize_intercept=False)
    solver = AnchoredSolver(problem, Settings(), None, fresh=True)
    state = solver.current
    assert state.center[-1] * state.rows.bias == pytest.approx(best, abs=0.1)
    solver.advance([0])
    b = state.record[:, 0]
    np.testing.assert_allclose(state.g[-1], state.rows.bias * b.mean(), atol=1e-12)


def test_rows_are_shrunk_sooner_the_less_w_moves():
    assert [slack_after(move, 2.0) for move in (1e6, 2.0, 0.0)] == pytest.approx([0.4, 0.2, 0.04])
    assert slack_after(1.0, 0.0) == 0.0


@pytest.mark.parametrize("loss", [Hinge(), LogLoss(), SquaredHinge()])
@pytest.mark.parametrize("start", [-100.0, 3.0, 100.0])
def test_what_an_epoch_from_any_start_makes_of_h_and_of_the_dual_value_is_bounded(loss, start):
    rng, n = np.random.default_rng(1), 50
    X, y = 0.1 * rng.normal(size=(n, 3)), np.full(n, -np.sign(start))
    problem = Problem(make_rows(X, 1.0), y, np.ones(n), loss, 1e-3, penalize_intercept=False)
    state = SolverState(problem, 0, own_bias=False)
    state.prox_weight, state.center[-1] = 0.1, start
    run_epoch(state, first=True)
    S = state.prox_weight + n * state.mu
    h = state.whole.columns.h - np.append(np.zeros(3), S * start)
    longest = math.sqrt(2.0 * S * (n * state.at_zero - state.dual_floor))
    assert np.linalg.norm(h) <= longest
    assert np.linalg.norm(h) > 0.01 * longest
    dual = -sum(problem.loss.conjugate(-b, label) for b, label in zip(state.record[:, B], y, strict=True))
    assert dual >= state.dual_floor
