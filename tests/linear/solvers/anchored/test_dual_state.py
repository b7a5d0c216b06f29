"""The state of the anchored solver: the rows it stores, the order of its evaluation, how it resumes."""

import numpy as np
import pytest
import scipy.sparse as sp
from checkpointed_fits import data
from linear_problems import make
from solving import by_anchored

from cesaro import losses
from cesaro.linear.bounds.rounding import U, norm
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.anchored import kernels, records
from cesaro.linear.solvers.anchored.dual_state import SolverState
from cesaro.linear.solvers.anchored.solver import run_epoch
from cesaro.storage.states import flatten


def test_a_solver_that_resumes_is_where_the_other_was():
    X, y, _ = data(n=30)
    rng, problem = np.random.default_rng(0), Problem(make_rows(X, 1.0), 2.0 * y - 1.0, np.ones(30), losses.Hinge(), 0.1)
    there = {
        "b": rng.random(30),
        "active": rng.permutation(30)[:20].astype(np.uint32),
        "columns": {name: rng.normal(size=10) for name in ("h", "center", "total")},
        "prox_weight": 3.5,
        "noise": 0.25,
        "length": 2.5,
        "dual_floor": -1.5,
        "seed": 12345,
        "gap": 0.125,
        "slack": 0.0625,
        "rule": {"ratio": -0.5, "rate": 0.125, "direction": -1.0, "least": -0.75},
    }
    state = SolverState(problem, 0)
    state.resume(there)
    found, expected = flatten(state.state()), flatten(there)
    assert found.keys() == expected.keys()
    for name, value in found.items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)


@pytest.mark.parametrize("kind", losses.ALL.values())
@pytest.mark.parametrize("more", [{}, {"l1": 0.01}, {"radius": 0.4}], ids=["plain", "l1", "ball"])
def test_rows_of_ones_are_solved_as_with_their_values(kind, more, monkeypatch):
    rng = np.random.default_rng(0)
    X = sp.csr_array((rng.random((60, 6)) < 0.4).astype(float))
    y = rng.choice([-1.0, 1.0], 60) if kind in losses.CLASSIFICATION.values() else rng.normal(size=60)
    problem = make(X, y, kind(), 0.05, bias=1.0, **more)
    assert SolverState(problem, 0).rows.data is None
    without = by_anchored(problem, tol=0, max_iter=5)
    monkeypatch.setattr("cesaro.linear.solvers.anchored.dual_state.without_redundant_arrays", lambda rows: rows)
    np.testing.assert_allclose(without.w, by_anchored(problem, tol=0, max_iter=5).w, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", losses.ALL.values())
def test_an_evaluation_of_rows_of_different_lengths_goes_by_length_and_finds_what_it_finds_as_they_are_stored(kind):
    rng, n = np.random.default_rng(3), 20_000
    X = sp.random_array((n, 30), density=0.2, rng=rng, format="csr")
    y = rng.choice([-1.0, 1.0], n) if kind in losses.CLASSIFICATION.values() else rng.normal(size=n)
    run = SolverState(make(X, y, kind(), v=rng.choice([0.0, 1.0, 2.0], n), bias=1.0), 0)
    length = np.diff(run.rows.ptr)[run.evaluation_order]
    assert (np.diff(length) >= 0).all()
    run.recenter(np.zeros(31), 10.0)
    w, stored = run_epoch(run, first=True).average, np.empty_like(run.found_active)
    what = (w, None, run.loss, run.slack)
    *sorted_, k = kernels.evaluate(run.rows, run.record, run.evaluation_order, *what, run.found_active)
    *plain, count = kernels.evaluate(run.rows, run.record, None, *what, stored)
    assert k == count > 0
    np.testing.assert_array_equal(np.sort(run.found_active[:k]), stored[:k])
    np.testing.assert_allclose(sorted_, plain, rtol=1e-12)


def test_rows_of_one_length_few_rows_and_long_rows_are_evaluated_as_they_are_stored():
    rng = np.random.default_rng(0)
    for X in (np.ones((20_000, 3)), rng.random((500, 9)) < 0.3, long_rows(rng)):
        X = sp.csr_array(X.astype(float))
        assert SolverState(make(X, np.ones(X.shape[0])), 0).evaluation_order is None


def long_rows(rng):
    """Their lengths differ, but are about 100."""
    return rng.random((16_400, 200)) < rng.uniform(0.2, 0.8, (16_400, 1))


@pytest.mark.parametrize("kind", losses.ALL.values())
@pytest.mark.parametrize("more", [{}, {"l1": 0.01}, {"radius": 0.4}, {"penalize_intercept": False}])
def test_rounding_and_the_dual_value_stay_within_what_is_counted(kind, more):
    """What proofs.md, section 11, says of an epoch: of n D at its beginning, of |h|, of the error of g."""
    rng = np.random.default_rng(4)
    X, unit = rng.normal(size=(300, 8)) * 10.0 ** rng.uniform(-2, 1, (300, 1)), 1.0
    y = rng.choice([-1.0, 1.0], 300) if kind in losses.CLASSIFICATION.values() else rng.normal(size=300)
    problem = make(X, y, kind(), 1e-4, bias=unit, **more)
    run = SolverState(problem, 0)
    run.prox_weight = run.mean_square
    for epoch in range(12):
        b = run.record[:, records.B].copy()
        assert -problem.loss.conjugate(-b, y).sum() >= run.dual_floor * (1.0 + 1e-12)
        before, begun = run.noise, norm(run.whole.columns.h)
        assert begun <= run.length * (1.0 + 1e-12)
        done = run_epoch(run, first=epoch == 0)
        run.count_rounding(0)
        longest = (run.noise - before) / (16.0 * U)
        run.noise = before
        assert norm(run.whole.columns.h) <= longest
        run.recenter_at_average(done, run.prox_weight / 2.0, 1.0)
        rows = np.column_stack([X, np.full(300, unit)]).astype(np.longdouble)
        g = run.record[:, records.B].astype(np.longdouble) @ rows / 300
        assert norm((run.g - g).astype(float)) <= run.lost
