"""Data of any scale and shape give an answer or a clear error."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from estimator_data import SOLVERS, data, objective
from sklearn.exceptions import ConvergenceWarning

from cesaro.linear import DualAveragingClassifier, DualAveragingRegressor
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import make_problem
from cesaro.linear.problem.scales import ScaleError, rescaled
from cesaro.losses import CLASSIFICATION, Hinge


@pytest.mark.parametrize("alpha", [1e-12, 1e-4, 1e12])
@pytest.mark.parametrize("scale", [1e-150, 1e-10, 1e10, 1e150])
@pytest.mark.parametrize("estimator", [DualAveragingClassifier, DualAveragingRegressor])
def test_no_scale_gives_silent_garbage(estimator, scale, alpha):
    X, y, t = data(n=60)
    model = estimator(alpha=alpha, max_iter=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X * scale, y if estimator is DualAveragingClassifier else t)
    assert np.isfinite(model.coef_).all()
    zero = 1.0 if estimator is DualAveragingClassifier else np.var(t) / 2
    assert model.objective_ <= zero * (1 + 1e-12)
    assert 0.0 <= model.lower_bound_ <= model.objective_ * (1 + 1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("loss", sorted(CLASSIFICATION))
def test_no_scale_gives_silent_garbage_whatever_the_solver(solver, loss):
    X, y, _ = data(n=40)
    zero = float(CLASSIFICATION[loss]().value(0.0, 1.0))
    for scale, alpha in [(1e150, 1e-12), (1e150, 1e12), (1e-150, 1e-12), (1e-150, 1e12)]:
        model = DualAveragingClassifier(loss, solver=solver, alpha=alpha, tol=0, max_iter=5).fit(X * scale, y)
        assert np.isfinite(model.coef_).all()
        assert model.lower_bound_ <= model.objective_ <= zero


@pytest.mark.parametrize(
    "X",
    [np.ones((6, 1)), np.zeros((6, 2)), np.vstack([np.zeros((3, 2)), np.ones((3, 2))]), np.eye(6)[:, :1]],
    ids=["constant", "nothing", "empty rows", "one column"],
)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_degenerate_features_give_proved_answers(X, fit_intercept):
    y = np.array([0, 0, 0, 1, 1, 1])
    model = DualAveragingClassifier(fit_intercept=fit_intercept).fit(X, y)
    assert model.relative_gap_ <= 1e-3
    assert DualAveragingRegressor(fit_intercept=fit_intercept).fit(X, y).relative_gap_ <= 1e-3


def test_a_million_features_are_no_trouble():
    X = sp.random_array((50, 10**6), density=2e-5, rng=np.random.default_rng(0), format="csr")
    y = np.arange(50) % 2
    model = DualAveragingClassifier().fit(X, y)
    assert model.coef_.shape == (1, 10**6)
    assert model.relative_gap_ <= 1e-3
    assert objective(model, X, 2 * y - 1) == pytest.approx(model.objective_, rel=1e-9)


def test_targets_whose_loss_overflows_are_refused():
    with pytest.raises(ValueError, match="Divide y"):
        DualAveragingRegressor().fit([[1.0], [2.0]], [1e200, -1e200])


def test_a_class_of_weight_zero_is_never_predicted():
    X, y, _ = data()
    model = DualAveragingClassifier(class_weight={0: 0.0, 1: 1.0}, alpha=1e-3).fit(X, y)
    assert (model.predict(X) == 1).all()
    assert model.relative_gap_ <= 1e-3


def test_one_row_is_enough_for_a_regressor():
    model = DualAveragingRegressor(alpha=1e-3).fit([[1.0, 2.0]], [3.0])
    assert model.predict([[1.0, 2.0]])[0] == pytest.approx(3.0)


@pytest.mark.parametrize("solver", SOLVERS)
def test_rows_without_any_entry_give_the_zero_model(solver):
    model = DualAveragingClassifier(solver=solver, fit_intercept=False, tol=0, max_iter=3)
    assert model.fit(np.zeros((20, 5)), [0, 1] * 10).objective_ == 1.0
    assert not model.coef_.any()


def test_targets_and_sums_of_duplicates_that_overflow_are_clear_errors():
    X, _, t = data()
    with pytest.raises(ValueError, match="too large"):
        DualAveragingRegressor().fit(X, t * 1e153)
    twice = sp.csr_array((np.full(2, 1e308), np.zeros(2, np.int32), np.array([0, 2, 2])), shape=(2, 3))
    with pytest.raises(ValueError, match="row 0, column 0"):
        DualAveragingRegressor().fit(twice, [0.0, 1.0])


@pytest.mark.parametrize("size", [2.0**1023, 2.0**-1000, 5e-324])
@pytest.mark.parametrize("solver", SOLVERS)
def test_only_the_ratios_of_sample_weights_count_even_where_their_sum_is_no_number(solver, size):
    X, y, t = data(n=60)
    for estimator, target in ((DualAveragingClassifier, y), (DualAveragingRegressor, t)):
        model = estimator(solver=solver, alpha=1e-2, tol=0, max_iter=5, random_state=0)
        plain = (m := model.fit(X, target)).coef_.copy(), m.objective_, m.lower_bound_
        model.fit(X, target, np.full(len(X), size))
        np.testing.assert_array_equal(model.coef_, plain[0])
        assert (model.objective_, model.lower_bound_) == plain[1:]
    heavy = DualAveragingClassifier(solver=solver, tol=0, max_iter=5, random_state=0, class_weight={0: size, 1: size})
    assert 0.0 < heavy.fit(X, y).objective_ < 1.0


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_is_too_large_or_too_small_for_squares_is_refused_and_named(solver):
    X, y, t = data(n=40)
    classifier, regressor = DualAveragingClassifier(solver=solver), DualAveragingRegressor(solver=solver)
    for factor in (1e160, 1e-160, 1e300, 1e-300):
        with pytest.raises(ScaleError, match=r"entry of X .* too (large|small)"):
            classifier.fit(X * factor, y)
    for factor in (1e-200, 1e-153, 1e153, 1e300):
        with pytest.raises(ScaleError, match=r"target .* too (large|small)"):
            regressor.fit(X, t * factor)
    with pytest.raises(ScaleError, match=r"alpha is .* too small"):
        DualAveragingClassifier(solver=solver, alpha=5e-324).fit(X, y)
    with pytest.raises(ScaleError, match="too large"):
        classifier.partial_fit(X * 1e200, y, classes=[0, 1])


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_reach_whose_square_is_no_number_is_no_crash(solver):
    X, y, t = data(n=40)
    for more in ({"radius": 1.0}, {"radius": None}, {"radius": 1e140}):
        for scale, alpha in ((1e149, 1e-4), (1e-149, 1e-4), (1.0, 1e-150), (1e149, 1e-150), (1e-149, 1e150)):
            model = DualAveragingClassifier(solver=solver, alpha=alpha, tol=0, max_iter=3, **more).fit(X * scale, y)
            assert 0.0 <= model.lower_bound_ <= model.objective_ <= 1.0
            DualAveragingRegressor(solver=solver, alpha=alpha, tol=0, max_iter=3, **more).fit(X * scale, t)


def test_one_large_entry_anywhere_is_seen():
    X, y, _ = data(n=5000, d=6)
    X[1234, 3] = 1e140
    problem = make_problem(make_rows(X), 2.0 * y - 1.0, np.ones(len(y)), Hinge(), 1e-3, 0.0, np.inf)
    scaled, unit = rescaled(problem)
    assert np.abs(scaled.rows.data).max() <= 2.0
    np.testing.assert_array_equal(scaled.rows.data * (1.0 / unit), X.ravel())
    model = DualAveragingClassifier(max_iter=3, tol=0).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.lower_bound_ <= model.objective_ <= 1.0


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("anchor", [0.0, 1.0, 1000.0])
def test_the_ball_is_kept_whatever_the_anchor_weights_and_scales(solver, anchor):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y, _ = data(n=40, d=4, seed=seed)
        X, v = X * 10.0 ** rng.uniform(-6, 6, 4), 10.0 ** rng.uniform(-8, 8, 40)
        loss = sorted(CLASSIFICATION)[seed % 4]
        model = DualAveragingClassifier(
            loss, alpha=1.7e-3, radius=0.61, anchor=anchor, solver=solver, max_iter=1 + seed, tol=0, random_state=seed
        ).set_params(fit_intercept=False)
        assert np.linalg.norm(model.fit(X, y, v).coef_) <= 0.61 * (1.0 + 1e-15)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_warm_start_outside_the_ball_is_put_into_it(solver):
    X, y, _ = data(n=60)
    model = DualAveragingClassifier(solver=solver, radius=10.0, tol=0, max_iter=5, warm_start=True, fit_intercept=False)
    before = np.linalg.norm(model.fit(X, y).coef_)
    after = np.linalg.norm(model.set_params(radius=0.1 * before, max_iter=1).fit(X, y).coef_)
    assert 0.0 < after <= 0.1 * before * (1.0 + 1e-15)


def test_rows_that_all_rest_divide_nothing_by_zero():
    X, y, _ = data(n=50)
    model = DualAveragingRegressor("epsilon_insensitive", epsilon=10.0).fit(X, X[:, 0])
    assert (model.objective_, model.lower_bound_, model.coef_.any()) == (0.0, 0.0, False)
    for seed in range(20):
        DualAveragingClassifier(tol=0, max_iter=60, alpha=10.0, random_state=seed).fit(X, y)
        DualAveragingRegressor("quantile", tol=0, max_iter=60, random_state=seed).fit(X, X[:, 0])
