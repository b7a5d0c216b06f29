"""The kernels compute the printed formulas; what a run proves is true."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cesaro.linear import batches, elastic, recursion
from cesaro.linear.kernel import SOLVERS

plain = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("plain.py"))))
KERNELS = SimpleNamespace(recursion=recursion, batches=batches, elastic=elastic)
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("loss", plain.LOSSES, ids=repr)
@settings(max_examples=15, deadline=None)
@given(
    seed=seeds,
    ball=st.booleans(),
    weights=st.booleans(),
    batch=st.sampled_from([1, 1, 2, 3]),
    anchor=st.sampled_from([0.0, 0.7, 20.0]),
    bias=st.sampled_from([0.0, 2.0]),
    cubic=st.booleans(),
)
def test_a_kernel_run_is_the_printed_formula(solver, loss, seed, ball, weights, batch, anchor, bias, cubic):
    cubic = cubic and not SOLVERS[solver].primal
    case = plain.make_case(
        seed, loss, solver, ball=ball, weights=weights, batch=batch, anchor=anchor, bias=bias, cubic=cubic
    )
    plain.compare(case, plain.run_kernel(KERNELS, case), plain.printed(case))


@pytest.mark.parametrize("solver", ["gda", "sc-rda"])
@pytest.mark.parametrize("loss", plain.LOSSES, ids=repr)
@settings(max_examples=15, deadline=None)
@given(
    seed=seeds,
    weights=st.booleans(),
    batch=st.sampled_from([1, 1, 3]),
    anchor=st.sampled_from([0.0, 0.7]),
    bias=st.sampled_from([0.0, 2.0]),
    cubic=st.booleans(),
)
def test_the_lazy_elastic_net_is_the_printed_formula(solver, loss, seed, weights, batch, anchor, bias, cubic):
    case = plain.make_case(
        seed, loss, solver, l1=True, weights=weights, batch=batch, anchor=anchor, bias=bias, cubic=cubic
    )
    plain.compare(case, plain.run_kernel(KERNELS, case), plain.printed(case))


@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=20, deadline=None)
@given(seed=seeds, ball=st.booleans(), loss=st.sampled_from(plain.LOSSES))
def test_a_start_away_from_zero_is_the_printed_formula(solver, seed, ball, loss):
    case = plain.make_case(seed, loss, solver, ball=ball, anchor=2.0)
    w0 = plain.project(np.random.default_rng(seed).normal(size=case.X.shape[1]), case.problem.radius)
    plain.compare(case, plain.run_kernel(KERNELS, case, w0), plain.printed(case, w0))
