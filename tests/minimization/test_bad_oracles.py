"""Oracles and projections that return nonsense, raise, or write where they should not."""

import math

import numpy as np
import pytest
from problems import PROBLEM

import cesaro
from cesaro.domains import Ball


@pytest.mark.parametrize("bad", [np.full(6, math.nan), np.zeros(5), np.zeros((6, 1)), "slope", None])
@pytest.mark.parametrize("when", [1, 8])
@pytest.mark.parametrize("anchor", [0.0, "auto"])
@pytest.mark.parametrize("method", ["gda", "sc-pda"])
def test_a_bad_subgradient_ends_the_run_with_the_last_good_point(bad, when, anchor, method):
    calls = []

    def fun(x):
        calls.append(1)
        value, g = PROBLEM(x)
        return (value, bad) if len(calls) >= when else (value, g)

    res = cesaro.minimize(fun, PROBLEM.x0, mu=PROBLEM.mu, anchor=anchor, method=method)
    assert not res.success
    assert res.status == 4
    assert "subgradient" in res.message
    assert len(calls) <= when + 8
    if when == 1:
        assert (res.fun, res.bound, res.gap) == (PROBLEM(PROBLEM.x0)[0], math.inf, math.inf)
        assert np.array_equal(res.x, PROBLEM.x0)
    else:
        good = cesaro.minimize(PROBLEM, PROBLEM.x0, mu=PROBLEM.mu, anchor=anchor, method=method, max_iter=res.nit - 1)
        assert np.array_equal(res.x, good.x)
        assert res.fun == good.fun
        assert res.lower_bound <= PROBLEM.minimum


def test_an_infinite_value_never_reaches_the_answer():
    res = cesaro.minimize(lambda x: (math.nan, x), np.ones(3), mu=1.0)
    assert res.status == 4
    assert np.array_equal(res.x, np.ones(3))


def test_an_oracle_that_raises_is_heard():
    def fun(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        cesaro.minimize(fun, PROBLEM.x0, mu=1.0)


def test_a_function_that_writes_into_its_argument_harms_nobody():
    def fun(x):
        answer = PROBLEM(x)
        x[:] = math.nan
        return answer

    assert np.array_equal(
        cesaro.minimize(fun, PROBLEM.x0, mu=PROBLEM.mu).x, cesaro.minimize(PROBLEM, PROBLEM.x0, mu=PROBLEM.mu).x
    )


@pytest.mark.parametrize("name", ["sc-pda", "gda", "sc-rda"])
@pytest.mark.parametrize("scale", [1.0, 1e4])  # the second makes "auto" begin again, with the first answer
def test_a_subgradient_buffer_may_be_reused(name, scale):
    buffer = np.empty(6)

    def fun(x):
        value, g = PROBLEM(x)
        return value + scale * (x @ x), g + 2 * scale * x

    def reusing(x):
        value, buffer[:] = fun(x)
        return value, buffer

    clean, reused = (cesaro.minimize(f, PROBLEM.x0, mu=PROBLEM.mu, method=name, max_iter=100) for f in (fun, reusing))
    assert clean.anchor > 1 or scale == 1.0
    assert np.array_equal(reused.x, clean.x)
    assert reused.lower_bound == clean.lower_bound


def test_a_projection_may_work_in_place():
    class Inside:
        def project(self, x):
            x /= max(1.0, np.linalg.norm(x))
            return x

    options = {"mu": PROBLEM.mu, "max_iter": 100}
    for name in ("gda", "sc-pda", "pegasos"):
        own = cesaro.minimize(PROBLEM, PROBLEM.x0, method=name, domain=Inside(), **options)
        assert np.allclose(own.x, cesaro.minimize(PROBLEM, PROBLEM.x0, method=name, domain=Ball(1.0), **options).x)
