"""Rows without redundant arrays: what kernels need not read is left out, and what they compute without it is the same."""

import numpy as np
import pytest
import scipy.sparse as sp
from solving import by_anchored, by_averaging, by_multi_target

from cesaro import losses
from cesaro.linear.problem.csr import LARGE, make_rows, without_redundant_arrays
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.averaging.variants import VARIANTS

N = LARGE + 3


def rows_of_lengths(lengths, d=7):
    """Random rows of these lengths."""
    rng = np.random.default_rng(0)
    col = np.concatenate([np.sort(rng.permutation(d)[:length]) for length in lengths])
    ptr = np.concatenate([[0], np.cumsum(lengths)])
    return make_rows(sp.csr_array((rng.normal(size=len(col)), col, ptr), shape=(len(lengths), d)), bias=1.0)


@pytest.mark.parametrize("length", [0, 1, 3])
def test_the_one_length_of_many_rows_is_known(length):
    assert without_redundant_arrays(rows_of_lengths([length] * N)).length == length
    assert without_redundant_arrays(rows_of_lengths([length] * 5)).length is None


@pytest.mark.parametrize("lengths", [[3, 2, 4], [3, 3, 4], [0, 1]], ids=str)
def test_rows_of_different_lengths_have_none(lengths):
    lengths = (lengths * N)[: N - N % 3]
    assert without_redundant_arrays(rows_of_lengths(lengths)).length is None


def test_only_values_that_are_all_one_are_left_out():
    rows = rows_of_lengths([2, 3])
    assert without_redundant_arrays(rows).data is rows.data
    assert without_redundant_arrays(rows._replace(data=np.ones(5))).data is None
    assert without_redundant_arrays(rows._replace(data=np.array([1.0, 1.0, 1.0, 1.0, -1.0]))).data is not None


@pytest.mark.parametrize("loss", [losses.Hinge(), losses.LogLoss()], ids=repr)
@pytest.mark.parametrize("solver", ["anchored", *VARIANTS])
@pytest.mark.parametrize("radius", [np.inf, 0.5])
def test_rows_of_one_length_are_solved_as_by_their_ends(solver, loss, radius, monkeypatch):
    rows = rows_of_lengths([3] * N)
    y = np.where(rows.data.reshape(N, 3).sum(axis=1) + np.random.default_rng(1).normal(size=N) > 0, 1.0, -1.0)
    problem = Problem(rows, y, np.ones(N), loss, 1e-2, radius=radius)

    def solve():
        if solver == "anchored":
            return by_anchored(problem, tol=0, max_iter=3).w
        return by_averaging(problem, solver=solver, tol=0, max_iter=3).w

    known = solve()
    monkeypatch.setattr("cesaro.linear.problem.csr.LARGE", N + 1)
    np.testing.assert_allclose(known, solve(), rtol=0, atol=1e-12)
    assert np.abs(known).max() > 0.1


@pytest.mark.parametrize("loss", [losses.Hinge(), losses.SquaredError()], ids=repr)
@pytest.mark.parametrize("solver", ["gda", "sc-pda"])
def test_so_are_many_models_at_once(solver, loss, monkeypatch):
    rows, rng = rows_of_lengths([3] * N), np.random.default_rng(1)
    problems = [Problem(rows, rng.choice([-1.0, 1.0], N, p=[0.3, 0.7]), np.ones(N), loss, 1e-2) for _ in range(3)]

    def solve():
        return np.array([fit.w for fit in by_multi_target(problems, solver=solver, tol=0, max_iter=3)])

    known = solve()
    monkeypatch.setattr("cesaro.linear.problem.csr.LARGE", N + 1)
    np.testing.assert_allclose(known, solve(), rtol=0, atol=1e-12)
    assert np.abs(known).max() > 0.1
