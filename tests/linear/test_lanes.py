"""Lanes are models: each computes what it would alone."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cesaro import losses
from cesaro.linear.solvers.averaging import kernels as recursion
from cesaro.linear.solvers.averaging import lanes
from cesaro.linear.solvers.averaging.solver import SOLVERS

plain = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("plain.py"))))
NAMES = {name: getattr(recursion, name) for name in ("How", "ANCHOR", "SCALE", "SQUARE", "DONE", "OUT", "CUT", "step")}
LANES = SimpleNamespace(**NAMES, Lanes=lanes.Lanes, visit_lanes=lanes.visit_lanes, fold_lanes=lanes.fold_lanes)


def different(case, rng, count):
    """The case again with other mu, targets, row weights (some held out) and anchors."""
    found = [case]
    for _ in range(count - 1):
        p = case.problem
        classes = type(p.loss) in losses.CLASSIFICATION.values()
        y = rng.choice([-1.0, 1.0], len(p.y)) if classes else rng.normal(size=len(p.y))
        v = p.v * rng.integers(0, 2, len(p.v))
        v[case.orders[0][0]] = 1.0
        problem = p._replace(mu=float(rng.uniform(0.2, 2.0)), y=y, v=v)
        found.append(case._replace(problem=problem, anchor=float(rng.uniform(0.1, 3.0))))
    return found


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("loss", plain.LOSSES, ids=repr)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.sampled_from([1, 3, 9]),
    ball=st.booleans(),
    weights=st.booleans(),
    bias=st.sampled_from([0.0, 2.0]),
    cubic=st.booleans(),
)
def test_every_lane_is_the_printed_formula_of_its_own_model(solver, loss, seed, count, ball, weights, bias, cubic):
    cubic = cubic and not SOLVERS[solver].primal
    case = plain.make_case(seed, loss, solver, ball=ball, weights=weights, bias=bias, cubic=cubic)
    cases = different(case, np.random.default_rng(seed), count)
    for mine, got in zip(cases, plain.run_lanes(LANES, cases), strict=True):
        alone = mine._replace(orders=[order[mine.problem.v[order] > 0] for order in case.orders])
        if plain.steady(alone, unit=len(case.orders[0])):
            plain.compare(mine, got, plain.printed(alone, unit=len(case.orders[0])))
