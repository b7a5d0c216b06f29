"""The kernels compute the printed formulas."""

from types import SimpleNamespace

import numpy as np
import printed_formulas as formulas
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cesaro.linear.solvers.averaging import elastic_net, minibatch
from cesaro.linear.solvers.averaging import kernels as recursion
from cesaro.linear.solvers.averaging.variants import VARIANTS

KERNELS = SimpleNamespace(recursion=recursion, batches=minibatch, elastic=elastic_net)
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("solver", VARIANTS)
@pytest.mark.parametrize("loss", formulas.LOSSES, ids=repr)
@settings(max_examples=15, deadline=None)
@given(
    seed=seeds,
    ball=st.booleans(),
    weights=st.booleans(),
    batch=st.sampled_from([1, 1, 2, 3]),
    anchor=st.sampled_from([0.0, 0.7, 20.0]),
    bias=st.sampled_from([0.0, 2.0]),
    cubic=st.booleans(),
    ones=st.booleans(),
)
def test_a_kernel_run_is_the_printed_formula(solver, loss, seed, ball, weights, batch, anchor, bias, cubic, ones):
    cubic = cubic and not VARIANTS[solver].primal
    what = {"ball": ball, "weights": weights, "batch": batch, "anchor": anchor, "bias": bias, "cubic": cubic}
    case = formulas.make_case(seed, loss, solver, ones=ones, **what)
    assume(formulas.steady(case))
    formulas.compare(case, formulas.run_kernel(KERNELS, case), formulas.printed(case))


@pytest.mark.parametrize("solver", ["gda", "sc-rda"])
@pytest.mark.parametrize("loss", formulas.LOSSES, ids=repr)
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
    case = formulas.make_case(
        seed, loss, solver, l1=True, weights=weights, batch=batch, anchor=anchor, bias=bias, cubic=cubic
    )
    assume(formulas.steady(case))
    formulas.compare(case, formulas.run_kernel(KERNELS, case), formulas.printed(case))


@pytest.mark.parametrize("solver", VARIANTS)
@settings(max_examples=20, deadline=None)
@given(seed=seeds, ball=st.booleans(), loss=st.sampled_from(formulas.LOSSES))
def test_a_start_away_from_zero_is_the_printed_formula(solver, seed, ball, loss):
    case = formulas.make_case(seed, loss, solver, ball=ball, anchor=2.0)
    w0 = formulas.project(np.random.default_rng(seed).normal(size=case.X.shape[1]), case.problem.radius)
    assume(formulas.steady(case, w0))
    formulas.compare(case, formulas.run_kernel(KERNELS, case, w0), formulas.printed(case, w0))


@pytest.mark.parametrize("solver", ["pegasos", "pa-psg-sc"])
@settings(max_examples=40, deadline=None)
@given(seed=seeds, mu=st.sampled_from([1e-4, 1e-3]), anchor=st.sampled_from([0.0, 3.0]), batch=st.sampled_from([1, 2]))
def test_a_kept_projection_keeps_its_average_inside_whatever_the_steps(solver, seed, mu, anchor, batch):
    case = formulas.make_case(seed, formulas.LOSSES[7], solver, ball=True, anchor=anchor, batch=batch, bias=1.0)
    case = case._replace(problem=case.problem._replace(mu=mu))
    assert np.linalg.norm(formulas.run_kernel(KERNELS, case).answer) <= case.problem.radius * (1 + 1e-9)
