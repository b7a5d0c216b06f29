"""The kernels' solvers are the readable methods of cesaro.methods, one row (or batch) at a time.

test_kernels.py ties the kernels to formulas written out in printed_formulas.py; this ties those formulas to the methods.
"""

import numpy as np
import printed_formulas as formulas
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cesaro.domains import Ball, Everywhere
from cesaro.methods import GDA, PAPSGSC, SCPDA, SCRDA, Pegasos, Schedule
from cesaro.outputs import Average, Last
from cesaro.weights import Sequence

METHODS = {
    "gda": (GDA, Average),
    "sc-pda": (SCPDA, Last),
    "pegasos": (Pegasos, Last),
    "pa-psg-sc": (PAPSGSC, Last),
    "sc-rda": (SCRDA, Average),
}


def by_method(case):
    """The same run by the method's own steps: row weights are a = gamma, the anchor is in units of the first."""
    p, (method, output) = case.problem, METHODS[case.solver]
    batches = [
        (order[k : k + case.batch], gamma)
        for order, gamma in zip(case.orders, case.gammas, strict=True)
        for k in range(0, len(order), case.batch)
    ]
    a = [gamma * p.v[batch].sum() for batch, gamma in batches]
    weights = Sequence(lambda t: a[min(t, len(a)) - 1])
    rule = method(p.mu, l1=p.l1) if p.l1 else method(p.mu)
    schedule, domain = (
        Schedule(weights, weights, case.anchor / a[0]),
        Ball(p.radius) if p.radius < np.inf else Everywhere(),
    )
    if method is PAPSGSC:  # eta_t = gamma_t / (mu Gamma_{t-1})
        before = case.anchor + np.cumsum([0.0, *a])
        schedule = Schedule(*[Sequence(lambda t: a[min(t, len(a)) - 1] / (p.mu * before[min(t, len(a)) - 1]))] * 2)
    state, memory = rule.start(np.zeros(case.X.shape[1]), schedule.anchor), None
    answer = Average(weights) if output is Average else Last()
    for t, (batch, gamma) in enumerate(batches, start=1):
        predictions, share = case.X[batch] @ state.x, gamma * p.v[batch] / a[t - 1]
        loss = (share * p.loss.slope(predictions, p.y[batch])) @ case.X[batch]
        memory = answer.update(memory, state, t, np.nan)
        before_step = state
        state = rule.step(state, loss + p.mu * state.x + p.l1 * np.sign(state.x), schedule.at(t), domain)
    if case.solver == "pegasos":
        return state.x
    return answer.point(memory) if output is Average else before_step.x


@pytest.mark.parametrize("solver", METHODS)
@pytest.mark.parametrize("loss", formulas.LOSSES, ids=repr)
@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    ball=st.booleans(),
    l1=st.booleans(),
    weights=st.booleans(),
    batch=st.sampled_from([1, 1, 3]),
    anchor=st.sampled_from([0.7, 20.0]),
)
def test_the_kernels_formulas_are_the_methods(solver, loss, seed, ball, l1, weights, batch, anchor):
    l1 = l1 and solver == "sc-rda"
    ball = ball and not l1
    case = formulas.make_case(seed, loss, solver, ball=ball, l1=l1, weights=weights, batch=batch, anchor=anchor)
    assume(formulas.steady(case))
    want = by_method(case)
    got = formulas.printed(case).answer
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-10 * (1 + np.abs(want).max()))
