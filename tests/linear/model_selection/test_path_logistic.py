"""The logistic step of searches: vectors of models against the scalar formulas, one model at a time."""

import numpy as np
import pytest
from numba import njit

from cesaro.compiled.vector_ops import padded
from cesaro.linear.model_selection.path_kernels import implicit_step
from cesaro.linear.problem.scalar_losses import conjugate, dual_form, dual_update
from cesaro.losses import LogLoss


@njit
def step(loss, a, q, y, m, g, G, mu, mask, cut):
    return implicit_step(loss, a, q, False, y, m, g, G, mu, mask, cut, (0, 0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_model_makes_the_implicit_step_of_the_logistic_loss(dtype):
    rng, loss = np.random.default_rng(0), dual_form(LogLoss())
    L = padded(4000, dtype)
    y, mask = rng.choice([-1.0, 1.0], L).astype(dtype), (rng.random(L) < 0.9).astype(dtype)
    mu = (10.0 ** rng.uniform(-6, 0, L)).astype(dtype)
    G = (10.0 ** rng.uniform(-1, 4, L)).astype(dtype)
    m = (G * rng.normal(size=L) * 10.0 ** rng.uniform(-2, 1.5, L)).astype(dtype)
    g, cut, a, q = np.zeros(L, dtype), np.zeros(L, dtype), 1.5, 0.8
    limit = 3e-6 if dtype == np.float32 else 1e-10  # the scalar search ends at 1e-5, squared
    after = G + dtype(a) * mu * mask
    expected = np.array([
        dual_update(loss, float(y[k]), float(m[k] / after[k]), a * q / float(after[k]), 0.0) for k in range(L)
    ])  # fmt: skip
    grown = G.copy()
    assert step(loss, a, q, y, m, g, grown, mu, mask, cut)
    np.testing.assert_allclose(grown, after, rtol=1e-6)
    np.testing.assert_allclose(g, a * mask * expected, rtol=0, atol=limit)
    exact = np.array([conjugate(loss, -float(b), float(label)) for b, label in zip(expected, y, strict=True)])
    np.testing.assert_allclose(cut, -a * mask * exact, rtol=0, atol=limit)
    assert (y * g >= 0.0).all()
    assert (y * g <= a).all()
