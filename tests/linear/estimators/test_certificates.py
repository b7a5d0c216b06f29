"""What the estimators claim of their gaps and labels is true, and their history tells how they came to it."""

import numpy as np
import pytest
import scipy.sparse as sp
from estimator_data import SOLVERS, data, objective

from cesaro.linear import ConvergenceDisplay, DualAveragingClassifier, DualAveragingRegressor
from cesaro.linear.estimators.certified_predictions import certified_labels, row_norms
from cesaro.losses import CLASSIFICATION, REGRESSION


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("loss", sorted(CLASSIFICATION))
def test_no_classifier_claims_a_gap_smaller_than_the_truth(solver, loss):
    for seed, alpha in enumerate([1e-3, 1e-2, 1.0]):
        X, y, _ = data(n=80, seed=seed)
        v = np.random.default_rng(seed).uniform(0.5, 2, len(y))
        penalized = solver != "anchored"
        best = DualAveragingClassifier(loss, alpha=alpha, tol=1e-12, penalize_intercept=penalized).fit(X, y, v)
        model = DualAveragingClassifier(loss, alpha=alpha, solver=solver, tol=0, max_iter=7, random_state=seed)
        model.fit(X, y, v)
        truth = objective(model, X, 2 * y - 1, v) - best.objective_
        assert model.objective_ == pytest.approx(objective(model, X, 2 * y - 1, v), rel=1e-9)
        assert model.dual_gap_ == pytest.approx(model.objective_ - model.lower_bound_)
        assert model.dual_gap_ >= truth - 1e-11
        assert model.lower_bound_ <= best.objective_ * (1 + 1e-11)


@pytest.mark.parametrize("solver", SOLVERS)
def test_classes_against_the_rest_have_each_a_gap_that_holds(solver):
    X, y, _ = data(n=150, classes=4, seed=3)
    penalized = solver != "anchored"
    best = DualAveragingClassifier(alpha=1e-2, tol=1e-12, penalize_intercept=penalized).fit(X, y)
    model = DualAveragingClassifier(alpha=1e-2, solver=solver, tol=0, max_iter=9, random_state=1).fit(X, y)
    assert (model.dual_gap_ >= model.objective_ - best.objective_ - 1e-11).all()
    for k in range(4):
        one = DualAveragingClassifier(alpha=1e-2, solver=solver, tol=0, max_iter=9, random_state=1).fit(X, y == k)
        assert model.objective_[k] < 1.2 * one.objective_
        w = np.append(model.coef_[k], model.intercept_[k])
        value = (
            1e-2 / 2 * (w @ w - (not penalized) * w[-1] ** 2)
            + np.maximum(0, 1 - np.where(y == k, 1, -1) * (X @ w[:-1] + w[-1])).mean()
        )
        assert value == pytest.approx(model.objective_[k], rel=1e-9)


@pytest.mark.parametrize("loss", sorted(REGRESSION))
def test_no_regressor_claims_a_gap_smaller_than_the_truth(loss):
    for seed, alpha in enumerate([1e-3, 1.0]):
        X, _, t = data(n=80, seed=seed)
        best = DualAveragingRegressor(loss, alpha=alpha, tol=1e-12).fit(X, t)
        model = DualAveragingRegressor(loss, alpha=alpha, tol=0, max_iter=5, random_state=seed).fit(X, t)
        assert model.objective_ == pytest.approx(objective(model, X, t - model._center), rel=1e-9)
        assert model.dual_gap_ >= model.objective_ - best.objective_ - 1e-11


def test_the_elastic_net_is_sparse_and_its_gap_holds():
    X, y, _ = data(n=300, d=20)
    model = DualAveragingClassifier(alpha=0.05, l1_ratio=0.9, tol=1e-4).fit(X, y)
    tight = DualAveragingClassifier(alpha=0.05, l1_ratio=0.9, tol=1e-7, max_iter=20_000).fit(X, y)
    assert model.objective_ == pytest.approx(objective(model, X, 2 * y - 1), rel=1e-9)
    assert model.lower_bound_ <= tight.objective_ <= model.objective_ * (1 + 1e-9)
    assert np.mean(np.abs(tight.coef_) < 1e-6) > 0.2


def test_a_ball_is_kept_and_its_gap_holds():
    X, y, _ = data()
    free = DualAveragingClassifier(alpha=1e-2, tol=1e-8, fit_intercept=False).fit(X, y)
    radius = 0.5 * np.linalg.norm(free.coef_)
    model = DualAveragingClassifier(alpha=1e-2, radius=radius, tol=1e-4, fit_intercept=False).fit(X, y)
    assert np.linalg.norm(model.coef_) <= radius * (1 + 1e-9)
    assert model.lower_bound_ >= free.objective_
    assert model.relative_gap_ <= 1e-4


def test_the_relative_gap_is_over_the_objective_but_never_over_less_than_a_thousandth_of_its_start():
    X, y, _ = data(classes=3)
    model = DualAveragingClassifier(tol=0, max_iter=3).fit(X, y)
    np.testing.assert_allclose(model.relative_gap_, model.dual_gap_ / np.maximum(model.objective_, 1e-3))
    assert model.objective_.shape == model.lower_bound_.shape == (3,)
    two = DualAveragingClassifier(tol=0, max_iter=3).fit(X, y == 1)
    assert isinstance(two.dual_gap_, float)
    easy = DualAveragingClassifier(alpha=1e-5, tol=0.1).fit(np.sign(X), X[:, 0] > 0)
    assert easy.objective_ < 1e-3
    assert easy.relative_gap_ == pytest.approx(easy.dual_gap_ / 1e-3)


@pytest.mark.filterwarnings("ignore:.*label.* certified")  # by the loosest of the tolerances
def test_certified_labels_are_those_of_the_optimum():
    certified = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X, y, _ = data(n=40, d=3, classes=2 + seed % 3, seed=seed, noise=rng.uniform(0.1, 3))
        loss, alpha = sorted(CLASSIFICATION)[seed % 4], 10.0 ** rng.uniform(-3, 0)
        rough = DualAveragingClassifier(loss, alpha=alpha, tol=10.0 ** rng.uniform(-6, -1), random_state=seed).fit(X, y)
        exact = DualAveragingClassifier(loss, alpha=alpha, tol=1e-12).fit(X, y)
        Z = rng.normal(size=(200, 3)) * 10.0 ** rng.uniform(-2, 2, size=(200, 1))
        labels, proved = rough.predict_certified(Z)
        np.testing.assert_array_equal(labels, rough.predict(Z))
        np.testing.assert_array_equal(labels[proved], exact.predict(Z)[proved])
        certified += proved.mean() / 200
    assert certified > 0.3


def test_nothing_is_certified_without_a_proof():
    X, y, _ = data()
    model = DualAveragingClassifier().partial_fit(X, y, classes=[0, 1])
    assert model.dual_gap_ == np.inf
    with pytest.warns(UserWarning, match="partial_fit proves nothing"):
        assert not model.predict_certified(X)[1].any()


def test_the_history_ends_where_the_model_is_and_can_be_plotted():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    X, y, _ = data(classes=3)
    model = DualAveragingClassifier(alpha=1e-3).fit(X, y)
    history = model.history_
    assert {"epoch", "time", "objective", "lower_bound", "active", "model"} <= set(history)
    assert len({len(column) for column in history.values()}) == 1
    for k in range(3):
        mine = history["model"] == k
        assert history["objective"][mine][-1] == pytest.approx(model.objective_[k])
        assert history["lower_bound"][mine][-1] == pytest.approx(model.lower_bound_[k])
        assert (np.diff(history["epoch"][mine]) > 0).all()
    display = ConvergenceDisplay.from_estimator(model, x="time")
    assert len(display.lines_) == 3
    assert display.ax_.get_yscale() == "log"
    matplotlib.pyplot.close(display.figure_)
    with pytest.raises(ValueError, match=r"draws one model: this fit has 3.*gap"):
        ConvergenceDisplay.from_estimator(model, kind="bounds")
    with pytest.raises(ValueError, match="must be"):
        ConvergenceDisplay.from_estimator(model, kind="curve")


def test_bounds_are_drawn_as_two_curves_that_close():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    X, y, _ = data()
    model = DualAveragingClassifier(alpha=1e-3, random_state=0).fit(X, y)
    display = ConvergenceDisplay.from_estimator(model)
    upper, lower = (line.get_ydata() for line in display.lines_)
    assert (upper >= lower).all()
    assert (np.diff(upper) <= 0).all()
    assert (np.diff(lower) >= 0).all()
    assert len(display.ax_.collections) == 1  # the gap
    low, high = display.ax_.get_ylim()
    assert low < lower[-1] <= upper[-1] < high
    matplotlib.pyplot.close(display.figure_)


@pytest.mark.filterwarnings("ignore:.*label.* certified")
def test_certified_labels_depend_on_the_fit_not_on_later_parameters():
    X, y, _ = data()
    model = DualAveragingClassifier(random_state=0).fit(X, y)
    before = model.predict_certified(X)[1]
    assert np.array_equal(before, model.set_params(fit_intercept=False, intercept_scaling=1e-3).predict_certified(X)[1])


def test_a_huge_row_certifies_nothing_about_the_others():
    X, y, _ = data(n=60, d=3)
    model = DualAveragingClassifier(alpha=1e-2, fit_intercept=False, max_iter=8, tol=0, random_state=0).fit(X, y)
    Z = np.random.default_rng(1).normal(size=(2000, 3))
    alone = model.predict_certified(Z)[1]
    for huge in ([[1e165, 0.0, 0.0]], [[0.0, 1e300, 0.0]]):
        np.testing.assert_array_equal(model.predict_certified(np.vstack([Z, huge]))[1][:-1], alone)
        np.testing.assert_array_equal(model.predict_certified(sp.csr_array(np.vstack([Z, huge])))[1][:-1], alone)
    assert alone.any()
    assert not alone.all()


def test_lengths_of_rows_are_right_whatever_their_size():
    sizes = np.array([5e-324, 1e-300, 1e-200, 1.0, 1e200, 1e307])
    X = sizes[:, None] * np.array([[3.0, 4.0]])
    for matrix in (X, sp.csr_array(X)):
        found = row_norms(matrix, 0.0)
        np.testing.assert_allclose(found[1:], 5.0 * sizes[1:], rtol=1e-14)
        assert (found[1:] >= 5.0 * sizes[1:]).all()
    np.testing.assert_allclose(row_norms(np.zeros((2, 3)), 2.0), 2.0)


def test_a_score_that_overflows_is_not_certified():
    scores = np.array([np.inf, -np.inf, np.nan, 1.0])
    assert certified_labels(scores, np.ones(4), 0.0, 1.0, 0.0, 5)[1].tolist() == [False, False, False, True]
    several = np.array([[np.inf, 0.0, 1.0], [5.0, 0.0, 1.0], [5.0, -np.inf, 1.0]])
    assert certified_labels(several, np.ones(3), np.zeros(3), 1.0, np.zeros(3), 5)[1].tolist() == [False, True, False]
