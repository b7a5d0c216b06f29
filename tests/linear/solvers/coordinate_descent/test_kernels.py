"""The parts of coordinate descent: curvatures, an epoch, the copied columns, feasible dual points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cesaro import losses
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.coordinate_descent import kernels
from cesaro.linear.solvers.coordinate_descent.dual_point import balance
from cesaro.linear.solvers.coordinate_descent.local_model import LocalModel, Penalty
from cesaro.linear.solvers.coordinate_descent.working_set import ColumnPool

SMOOTH = sorted(name for name, loss in losses.ALL.items() if not dual_form(loss()).linear)


def curvature(loss, p, y, damping):
    r, h = np.empty(1), np.empty(1)
    kernels.linearise(np.array([y]), np.ones(1), dual_form(loss), np.array([p]), damping, r, h)
    assert r[0] == pytest.approx(-loss.slope(p, y), rel=1e-12, abs=1e-300)
    return h[0]


@pytest.mark.parametrize("name", SMOOTH)
@settings(deadline=None)  # the first call compiles
@given(p=st.floats(-20, 20), q=st.floats(-20, 20), positive=st.booleans())
def test_the_damped_curvature_is_that_of_a_parabola_above_the_loss(name, p, q, positive):
    loss, y = losses.ALL[name](), 1.0 if positive else -1.0
    above = loss.value(p, y) + loss.slope(p, y) * (q - p) + curvature(loss, p, y, 1.0) / 2 * (q - p) ** 2
    assert loss.value(q, y) <= above * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("p", [-3.3, -0.7, 0.41, 0.97, 2.6])
def test_the_curvature_without_damping_is_the_second_derivative(name, p):
    loss, h = losses.ALL[name](), 1e-5
    for y in (-1.0, 1.0):
        second = (loss.slope(p + h, y) - loss.slope(p - h, y)) / (2 * h)
        assert curvature(loss, p, y, 0.0) == pytest.approx(second, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("M", [None, 0.0, 0.3])
def test_an_epoch_minimises_over_one_weight_after_the_other_with_the_best_intercept(M):
    rng = np.random.default_rng(0)
    n, d, mu, l1 = 12, 4, 0.05, 0.08
    X, y, s = rng.normal(size=(n, d)), rng.normal(size=n), np.full(n, 1.0 / n)
    model = LocalModel(y, s, dual_form(losses.SquaredError()), Penalty(mu, l1, M or 0.0), M is not None)
    model.centre()
    pool = ColumnPool(make_rows(X), np.full(d, n, np.uint32))
    pool.add(np.arange(d))
    columns, w, chosen = np.zeros((d, 3)), np.zeros(d), np.arange(d, dtype=np.uint32)
    model.measure(pool.entries, chosen, columns)
    pull = 0.0 if M is None else 1.0 / (model.bends + M)
    _, shift = kernels.descend(*pool.entries, chosen, columns, w, model.r, model.h, 0.0, pull, mu, l1)

    def value(w, c):
        intercept = (M or 0.0) / 2 * c * c
        return mu / 2 * w @ w + l1 * np.abs(w).sum() + s @ (X @ w + c - y) ** 2 / 2 + intercept

    def best_intercept(w):
        return 0.0 if M is None else s @ (y - X @ w) / (1.0 + M)

    slow = np.zeros(d)
    for j in range(d):
        trials = np.linspace(-2, 2, 400_001) if j == 0 else slow[j] + np.linspace(-2, 2, 40_001)
        moved = [np.where(np.arange(d) == j, t, slow) for t in trials[:: 200 if j == 0 else 20]]
        at = min(moved, key=lambda w: value(w, best_intercept(w)))[j]
        fine = [np.where(np.arange(d) == j, t, slow) for t in at + np.linspace(-2e-3, 2e-3, 2001)]
        slow = min(fine, key=lambda w: value(w, best_intercept(w)))
    np.testing.assert_allclose(w, slow, atol=5e-6)
    assert model.c - shift == pytest.approx(best_intercept(w), abs=1e-12)


def test_copied_columns_are_the_columns_whenever_they_were_copied():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 9)) * (rng.random((20, 9)) < 0.5)
    pool = ColumnPool(make_rows(X), np.count_nonzero(X, axis=0).astype(np.uint32))
    for columns in ([4, 7], [0, 4], [8, 1, 2]):
        pool.add(np.array(columns))
    assert sorted(pool.columns) == [0, 1, 2, 4, 7, 8]
    for j in pool.columns:
        p = np.zeros(20)
        kernels.add_columns(*pool.entries, pool.place[[j]], np.ones(1), p)
        np.testing.assert_array_equal(p, X[:, j])


def test_a_balanced_dual_point_sums_to_zero_and_no_value_grows_or_changes_sides():
    r = np.random.default_rng(4).normal(size=50) + 0.3
    balanced = r.copy()
    balance(balanced)
    assert abs(balanced.sum()) < 1e-14
    assert (balanced / r <= 1.0).all()
    assert (balanced / r >= 0.0).all()
