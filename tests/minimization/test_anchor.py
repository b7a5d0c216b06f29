"""The anchor, chosen or given, keeps first steps and weights within bounds."""

import math

import numpy as np
import pytest

import cesaro
from cesaro.methods import ALL
from cesaro.weights import Geometric, Linear, Power, Uniform


def test_auto_anchor_tames_a_steep_smooth_function():
    steep = lambda w: (1e6 / 2 * w @ w, 1e6 * w)  # noqa: E731
    for name in ("sc-pda", "gda", "pegasos", "optimal-rda", "sc-rda", "anytime"):
        res = cesaro.minimize(steep, np.full(3, 2.0), mu=1e-3, method=name, max_iter=3000)
        assert res.anchor > 1
        assert res.fun < 0.9 * steep(np.full(3, 2.0))[0]
        assert res.lower_bound <= 0.0


def test_auto_anchor_tames_a_steep_function_that_is_sampled():
    class Steep:
        def value(self, x):
            return 5e5 * x @ x

        def subgradient(self, x):
            return 1e6 * x

        def sample(self, x, rng):
            return 2e6 * x * (rng.random() < 0.5)

    res = cesaro.minimize(Steep(), np.full(3, 2.0), mu=1e-3, method="gda", max_iter=3000, rng=0)
    assert res.anchor > 1
    assert res.fun < Steep().value(np.full(3, 2.0))


class Barrier:
    """Not a number beyond |x| = 1, where long steps lead."""

    def value(self, x):
        with np.errstate(invalid="ignore"):
            return -np.log(1 - x * x).sum()

    def subgradient(self, x):
        return 2 * x / (1 - x * x)

    def sample(self, x, rng):
        return 2 * self.subgradient(x) * (rng.random(x.size) < 0.5)


def test_a_sampled_function_that_is_not_finite_everywhere_stays_where_it_is():
    tamed = cesaro.minimize(Barrier(), np.full(10, 0.5), mu=0.01, max_iter=500, rng=0)
    assert tamed.anchor > 1
    assert tamed.success
    assert tamed.fun < Barrier().value(np.full(10, 0.5))
    lost = cesaro.minimize(Barrier(), np.full(10, 0.5), mu=0.01, max_iter=500, rng=0, anchor=0.0)
    assert not lost.success
    assert math.isfinite(lost.fun)
    assert "nan" in lost.message


@pytest.mark.parametrize("name", ALL)
def test_weights_that_grow_apart_do_not_overflow(name):
    for weights, gamma in ((Linear(), Geometric(0.05)), (Geometric(0.05), Geometric(0.1)), (Power(60), Uniform())):
        run = {"method": name, "mu": 1.0, "weights": weights, "gamma": gamma, "max_iter": 16_000, "anchor": 0.5}
        res = cesaro.minimize(lambda w: (min(w @ w, 1e9) / 2, np.clip(w, -1e9, 1e9)), np.ones(2), **run)
        assert not math.isnan(res.fun)
