"""The anchored solver on rows of any scale, shape and type."""

import numpy as np
import pytest
import scipy.sparse as sp
from independent_optimum import objective, optimum
from linear_problems import classes, make
from solving import by_anchored

from cesaro import losses


@pytest.mark.parametrize("power", [-150, -100, -10, 10, 100, 150])
@pytest.mark.parametrize("mu", [1e-12, 1e-3, 1e12])
@pytest.mark.parametrize("loss", [losses.Hinge(), losses.LogLoss(), losses.SquaredError()], ids=repr)
def test_extreme_scales_give_finite_answers_not_worse_than_zero(power, mu, loss):
    X, y = classes(np.random.default_rng(6), 40, 3)
    for bias in (0.0, 1.0):
        problem = make(X * 10.0**power, y, loss, mu, bias=bias)
        fit = by_anchored(problem, max_iter=30)
        assert np.isfinite(fit.w).all()
        zero = float(loss.value(np.zeros(40), y).mean())
        assert 0.0 <= fit.lower_bound <= fit.objective <= zero
        assert objective(problem, fit.w) <= zero * (1 + 1e-9)


@pytest.mark.parametrize("scale", [1e-100, 1e-2, 1e2, 1e100])
def test_scaling_X_and_mu_together_changes_nothing_but_the_unit_of_w(scale):
    X, y = classes(np.random.default_rng(7), 100, 4)
    fit, scaled = by_anchored(make(X, y), tol=1e-7), by_anchored(make(X * scale, y, mu=1e-2 * scale**2), tol=1e-7)
    assert scaled.objective == pytest.approx(fit.objective, rel=2e-7)
    np.testing.assert_allclose(scaled.w * scale, fit.w, atol=1e-3)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (5, 1)])
def test_one_row_and_one_feature(shape):
    rng = np.random.default_rng(8)
    problem = make(rng.normal(size=shape), np.ones(shape[0]), mu=0.1, bias=1.0)
    fit = by_anchored(problem, tol=1e-6)
    assert fit.status == "converged"
    assert fit.objective == pytest.approx(optimum(problem)[1], rel=1e-5)


def test_empty_rows_and_columns_are_harmless():
    X = np.zeros((6, 3))
    X[:3, 0] = [1.0, -1.0, 2.0]
    problem = make(X, np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0]), mu=0.1)
    fit = by_anchored(problem, tol=1e-8)
    assert fit.objective == pytest.approx(optimum(problem)[1], rel=1e-6)
    assert fit.w[1] == fit.w[2] == 0.0
    nothing = by_anchored(make(np.zeros((4, 2)), np.ones(4)), tol=1e-6)
    assert nothing.status == "converged"
    assert not nothing.w.any()


def test_float32_rows_and_sparse_rows_give_the_same_answer_as_dense_ones():
    X, y = classes(np.random.default_rng(10), 300, 8)
    X = (X * (np.abs(X) > 0.5)).astype(np.float32)
    fits = [by_anchored(make(Z, y), tol=1e-7).objective for Z in (X, X.astype(float), sp.csr_array(X.astype(float)))]
    assert max(fits) - min(fits) <= 2e-7 * fits[0]


def test_a_million_features_of_which_few_occur_cost_no_more_than_those():
    rng = np.random.default_rng(15)
    X, y = classes(rng, 300, 40)
    columns = np.sort(rng.choice(10**6, 40, replace=False))
    wide = sp.csr_array((X.ravel(), np.tile(columns, 300), np.arange(0, 12_001, 40)), shape=(300, 10**6))
    few, many = (by_anchored(make(Z, y, bias=1.0), tol=1e-6) for Z in (X, wide))
    assert many.w[columns].tobytes() == few.w[:-1].tobytes()
    assert np.count_nonzero(many.w) <= 41
    assert many.w[-1] == few.w[-1]
    assert by_anchored(make(wide, y, bias=1.0), tol=1e-5, start=many.state).n_iter <= 2
