"""Active rows side by side: the same run as over all rows, whatever becomes of the columns that they do not have."""

import numpy as np
import pytest
import scipy.sparse as sp
from linear_problems import EACH, make

from cesaro import losses
from cesaro.linear.solvers.anchored import active_rows
from cesaro.linear.solvers.anchored.active_rows import ActiveRows
from cesaro.linear.solvers.anchored.dual_state import SolverState
from cesaro.linear.solvers.anchored.solver import AnchoredSolver, run_epoch
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.states import flatten, unflatten


@pytest.fixture(autouse=True)
def at_any_size(monkeypatch):
    monkeypatch.setattr(active_rows, "WIDE", 1)
    monkeypatch.setattr(active_rows, "SPARSE", 10**6)


def a_wide_problem(loss=None, seed=0, n=80, d=150, radius=np.inf, l1=0.0):
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=0.05, rng=rng, format="csr")
    target = X @ rng.normal(size=d)
    known = type(loss or losses.Hinge()) in losses.CLASSIFICATION.values()
    y = np.where(target > 0.0, 1.0, -1.0) if known else 3.0 * target + rng.normal(size=n)
    return make(X, y, loss, 1e-2, rng.choice([0.0, 1.0, 2.0], n), bias=1.0, radius=radius, l1=l1)


def epochs(state, active, how_many=3):
    """Epochs over the same rows in the same order, as `AnchoredSolver.advance` makes them, with the last one's sums."""
    for epoch in range(how_many):
        state.working.active = active.copy()
        state.slack, state.seed = np.inf, 5 + epoch
        done = run_epoch(state)
        moves = state.recenter_at_average(done, 1.5 * state.prox_weight, epoch + 1.0)
    return np.array([*moves, state.gap, state.noise, done.mean_scale])


@pytest.mark.parametrize("loss", EACH, ids=repr)
@pytest.mark.parametrize("radius", [np.inf, 0.7])
def test_epochs_over_rows_set_apart_are_those_over_the_same_rows_among_all(loss, radius):
    problem = a_wide_problem(loss, radius=radius)
    here, there = SolverState(problem, 0), SolverState(problem, 0)
    for state in (here, there):
        state.recenter(np.zeros(151), 3.0)
        state.recenter_at_average(run_epoch(state, first=True), 2.0, 1.0)
    chosen = there.active[:20].copy()
    there.whole.active = chosen
    there.set_apart()
    assert isinstance(there.working, ActiveRows)
    assert there.working.rows.d < 100
    of_all, of_some = epochs(here, chosen), epochs(there, np.arange(20, dtype=np.uint32))
    np.testing.assert_allclose(of_some, of_all, rtol=1e-9, atol=1e-14)
    there.write_back()
    for name in ("h", "center", "total"):
        np.testing.assert_allclose(
            getattr(there.whole.columns, name), getattr(here.whole.columns, name), rtol=1e-10, atol=1e-12
        )
    np.testing.assert_allclose(there.record, here.record, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(np.sort(there.active), np.sort(here.active))


def test_a_run_that_resumes_while_rows_are_set_apart_gives_the_same_bits():
    problem, settings = a_wide_problem(seed=1), Settings(tol=1e-9)
    one = AnchoredSolver(problem, settings, None, fresh=True)
    for _ in range(8):
        one.advance([0])
    assert isinstance(one.current.working, ActiveRows)
    saved = {
        name: np.copy(value) if isinstance(value, np.ndarray) else value for name, value in flatten(one.state()).items()
    }
    other = AnchoredSolver(problem, settings, None, fresh=False)
    other.resume(unflatten(saved))
    for _ in range(4):
        one.advance([0])
        other.advance([0])
    for solver in (one, other):
        solver.current.write_back()
    for name, value in flatten(one.state()).items():
        np.testing.assert_array_equal(flatten(other.state())[name], value, err_msg=name)


def test_rows_in_a_file_and_rows_with_an_l1_term_stay_where_they_are():
    state = SolverState(a_wide_problem(l1=0.01), 0)
    state.recenter(np.zeros(151), 3.0)
    run_epoch(state, first=True)
    state.whole.active = state.active[:5]
    state.set_apart()
    assert state.working is state.whole
