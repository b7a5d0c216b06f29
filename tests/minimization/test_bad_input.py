"""What minimize says of arguments that are wrong."""

import math

import numpy as np
import pytest
from problems import PROBLEM, Sampled

import cesaro
from cesaro.domains import Ball, Simplex
from cesaro.methods import GDA
from cesaro.outputs import Best, Suffix
from cesaro.weights import Linear


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"mu": None}, ValueError, 'use method="pda"'),
        ({"mu": 0.0}, ValueError, "mu must be positive"),
        ({"mu": -1.0}, ValueError, "mu must be positive"),
        ({"mu": math.nan}, ValueError, "mu must be positive"),
        ({"mu": "big"}, TypeError, "mu must be a number"),
        ({"mu": -1.0, "method": "pda"}, ValueError, "not negative"),
        ({"method": "sc_pda"}, ValueError, 'Did you mean "sc-pda"'),
        ({"method": "sgd"}, ValueError, "There are: psg"),
        ({"method": 3}, TypeError, "name or an object"),
        ({"method": GDA(2.0), "mu": 0.5}, ValueError, "contradicts"),
        ({"method": GDA(-2.0), "mu": None}, ValueError, "mu must be positive"),
        ({"tol": -1e-3}, ValueError, "tol must be"),
        ({"tol": math.nan}, ValueError, "tol must be"),
        ({"tol": None}, TypeError, "tol must be a number"),
        ({"max_iter": -1}, ValueError, "max_iter must be"),
        ({"max_iter": 10.5}, TypeError, "whole number"),
        ({"max_iter": None}, TypeError, "whole number"),
        ({"anchor": None}, TypeError, "anchor must be a number"),
        ({"method": GDA(None), "mu": None}, TypeError, "mu must be a number"),
        ({"output": "last"}, TypeError, r"cesaro\.outputs\.Last"),
        ({"output": Suffix}, TypeError, r"cesaro\.outputs\.Last"),
        ({"domain": Ball}, TypeError, r"Ball\(1\.0\)"),
        ({"weights": Linear}, TypeError, r"Linear\(\)"),
        ({"weights": lambda t: None}, ValueError, "weights must be positive"),
        ({"bounds": [(0, 1)] * 3}, ValueError, "does not fit"),
        ({"bounds": [(0, 1)]}, ValueError, "does not fit"),
        ({"bounds": []}, ValueError, "pairs"),
        ({"domain": Ball(1.0, [math.nan] * 6)}, ValueError, "not finite at 0"),
        ({"domain": Ball(1.0, np.zeros(4))}, ValueError, "does not fit"),
        ({"x0": "here"}, TypeError, "real numbers"),
        ({"fun": Sampled(), "output": Best()}, ValueError, "samples"),
        ({"fun": lambda x: (x, x)}, TypeError, "one real number"),
        ({"time_limit": -1.0}, ValueError, "time_limit must be"),
        ({"anchor": -1.0}, ValueError, "anchor must be"),
        ({"anchor": "large"}, ValueError, "anchor must be"),
        ({"weights": lambda t: -1.0}, ValueError, "weights must be positive"),
        ({"gamma": lambda t: math.nan}, ValueError, "weights must be positive"),
        ({"weights": "linear"}, TypeError, r"weights\.Linear"),
        ({"jac": None}, ValueError, "jac must be True"),
        ({"domain": 3}, TypeError, "project"),
        ({"callback": 3}, TypeError, "callback"),
        ({"x0": [math.nan] * 6}, ValueError, "x0 must be finite"),
        ({"x0": np.zeros((2, 0))}, ValueError, "an empty array"),
        ({"fun": 3}, TypeError, "fun must be"),
        ({"fun": lambda x: x @ x}, TypeError, "pass the subgradient as jac"),
    ],
)
def test_bad_input_says_what_was_given_and_what_to_do(options, error, message):
    options = {"fun": PROBLEM, "x0": PROBLEM.x0, "mu": PROBLEM.mu} | options
    with pytest.raises(error, match=message):
        cesaro.minimize(**options)


def test_the_entropy_mirror_refuses_a_start_that_it_cannot_leave():
    method = cesaro.methods.MirrorDescent(mirror=cesaro.methods.Entropy())
    fun = lambda w: (w @ np.arange(3.0), np.arange(3.0))  # noqa: E731
    with pytest.raises(ValueError, match="Begin inside"):
        cesaro.minimize(fun, [1.0, 0.0, 0.0], method=method, domain=Simplex())
    res = cesaro.minimize(fun, np.full(3, 1 / 3), method=method, domain=Simplex(), max_iter=2000)
    assert res.fun < 0.05
    assert 0 <= -res.lower_bound < 0.2
