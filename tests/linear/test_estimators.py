"""The estimators: optima, proofs, warnings, threads, time, and what scikit-learn users expect."""

import io
import os
import pickle
import pkgutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC, LinearSVR

import cesaro.linear
from cesaro.linear import (
    ConvergenceDisplay,
    DualAveragingClassifier,
    DualAveragingClassifierCV,
    DualAveragingRegressor,
    runs,
)
from cesaro.losses import CLASSIFICATION, REGRESSION

ENDLESS = {"alpha": 1e-7, "l1_ratio": 0.3, "tol": 1e-15, "max_iter": 10**7}  # what no solver finishes
SOLVERS = ["anchored", "gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda"]


def data(n=200, d=6, classes=2, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, classes)) + noise * rng.normal(size=(n, classes))
    return X, scores.argmax(axis=1), X @ rng.normal(size=d) + 3.0 + noise * rng.normal(size=n)


def objective(model, X, y, v=None):
    """alpha (1 - r)/2 |w|^2 + alpha r |w|_1 + weighted mean loss, written out once more."""
    w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    b = b - getattr(model, "_center", 0.0)
    loss = model._loss().value(X @ w + b, y)
    squares = w @ w + (b / model.intercept_scaling) ** 2
    penalty = model.alpha * ((1 - model.l1_ratio) / 2 * squares + model.l1_ratio * np.abs(w).sum())
    return penalty + np.average(loss, weights=v)


def test_importing_the_package_imports_neither_numba_nor_scikit_learn():
    code = "import sys, cesaro, cesaro.linear; print([name for name in ('numba', 'sklearn') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_every_public_name_is_there():
    assert set(cesaro.linear.__all__) <= set(dir(cesaro.linear))
    assert all(getattr(cesaro.linear, name).__name__ == name for name in cesaro.linear.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Perceptron'"):
        _ = cesaro.linear.Perceptron


# optima


@pytest.mark.parametrize("alpha", [1e-3, 1e-1])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_hinge_agrees_with_liblinear(alpha, fit_intercept):
    X, y, _ = data()
    ours = DualAveragingClassifier(alpha=alpha, tol=1e-10, fit_intercept=fit_intercept).fit(X, y)
    theirs = LinearSVC(
        loss="hinge", C=1 / (alpha * len(y)), fit_intercept=fit_intercept, tol=1e-10, max_iter=10**6, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-3, atol=1e-4)


def test_the_intercept_is_a_feature_of_the_given_size_as_in_liblinear():
    X, y, _ = data()
    ours = DualAveragingClassifier("squared_hinge", alpha=0.1, tol=1e-12, intercept_scaling=5.0).fit(X + 1, y)
    theirs = LinearSVC(C=1 / (0.1 * len(y)), intercept_scaling=5.0, dual=False, tol=1e-10, max_iter=10**6)
    np.testing.assert_allclose(ours.intercept_, theirs.fit(X + 1, y).intercept_, rtol=1e-5)


def test_log_loss_agrees_with_logistic_regression_class_by_class():
    X, y, _ = data(classes=3)
    alpha = 1e-2
    ours = DualAveragingClassifier("log_loss", alpha=alpha, tol=1e-12, fit_intercept=False).fit(X, y)
    for k in range(3):
        theirs = LogisticRegression(C=1 / (alpha * len(y)), fit_intercept=False, tol=1e-10, max_iter=10**4)
        np.testing.assert_allclose(ours.coef_[k], theirs.fit(X, y == k).coef_[0], rtol=1e-4, atol=1e-6)


def test_squared_error_agrees_with_ridge_and_takes_many_targets():
    X, _, t = data()
    Y = np.column_stack([t, -2 * t + X[:, 0]])
    ours = DualAveragingRegressor(alpha=1e-2, tol=1e-12, fit_intercept=False).fit(X, Y)
    theirs = Ridge(alpha=1e-2 * len(t), fit_intercept=False).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    assert ours.predict(X).shape == Y.shape
    one = DualAveragingRegressor(alpha=1e-2, tol=1e-12, fit_intercept=False).fit(X, t)
    assert one.coef_.shape == (6,)
    np.testing.assert_allclose(one.predict(X), theirs.predict(X)[:, 0], rtol=1e-8)


def test_epsilon_insensitive_agrees_with_liblinear():
    X, _, t = data()
    ours = DualAveragingRegressor("epsilon_insensitive", alpha=1e-2, epsilon=0.5, tol=1e-10, fit_intercept=False)
    theirs = LinearSVR(epsilon=0.5, C=1 / (1e-2 * len(t)), fit_intercept=False, tol=1e-10, max_iter=10**6)
    np.testing.assert_allclose(ours.fit(X, t).coef_, theirs.fit(X, t).coef_, rtol=1e-3, atol=1e-4)


def test_a_large_intercept_is_found_because_targets_are_centred():
    X, _, t = data()
    model = DualAveragingRegressor(alpha=1e-4, tol=1e-8).fit(X, t + 1e6)
    assert model.intercept_ == pytest.approx(1e6 + 3.0, abs=0.5)


def test_the_quantile_loss_splits_the_residuals_in_its_ratio():
    X, _, t = data(n=500)
    model = DualAveragingRegressor("quantile", quantile=0.8, alpha=1e-4, tol=1e-4).fit(X, t)
    assert np.mean(t < model.predict(X)) == pytest.approx(0.8, abs=0.03)


# proofs


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("loss", sorted(CLASSIFICATION))
def test_no_classifier_claims_a_gap_smaller_than_the_truth(solver, loss):
    for seed, alpha in enumerate([1e-3, 1e-2, 1.0]):
        X, y, _ = data(n=80, seed=seed)
        v = np.random.default_rng(seed).uniform(0.5, 2, len(y))
        best = DualAveragingClassifier(loss, alpha=alpha, tol=1e-12).fit(X, y, v)
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
    best = DualAveragingClassifier(alpha=1e-2, tol=1e-12).fit(X, y)
    model = DualAveragingClassifier(alpha=1e-2, solver=solver, tol=0, max_iter=9, random_state=1).fit(X, y)
    assert (model.dual_gap_ >= model.objective_ - best.objective_ - 1e-11).all()
    for k in range(4):
        one = DualAveragingClassifier(alpha=1e-2, solver=solver, tol=0, max_iter=9, random_state=1).fit(X, y == k)
        assert model.objective_[k] < 1.2 * one.objective_
        w = np.append(model.coef_[k], model.intercept_[k])
        value = 1e-2 / 2 * w @ w + np.maximum(0, 1 - np.where(y == k, 1, -1) * (X @ w[:-1] + w[-1])).mean()
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
    assert not model.predict_certified(X)[1].any()


# warnings, time, interruption


def test_a_tolerance_that_is_not_reached_is_a_warning_that_states_the_gap():
    X, y, _ = data()
    with pytest.warns(ConvergenceWarning, match=r"relative gap is \d\.\de-\d\d after 2 epochs, above tol=1e-06"):
        DualAveragingClassifier(tol=1e-6, max_iter=2).fit(X, y)


@pytest.mark.parametrize("tol", [0, None])
def test_no_tolerance_runs_all_epochs_without_a_warning(tol):
    X, y, _ = data()
    assert DualAveragingClassifier(tol=tol, max_iter=9).fit(X, y).n_iter_ == 9


def test_a_time_limit_leaves_a_fitted_model():
    X, y, _ = data(n=3000, d=50, classes=4, noise=3.0)
    start = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        model = DualAveragingClassifier(**ENDLESS, time_limit=0.3).fit(X, y)
    assert time.perf_counter() - start < 3.0
    assert model.score(X, y) > 0.4
    assert np.isfinite(model.coef_).all()


def test_an_interrupted_solver_leaves_a_fitted_model_and_a_warning(monkeypatch):
    X, y, _ = data(classes=3)
    calls = []

    def after_three(self, *args):
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("cesaro.linear.progress.Silence.__call__", after_three)
    with pytest.warns(ConvergenceWarning, match="interrupted.*fitted and usable"):
        model = DualAveragingClassifier(tol=1e-14, max_iter=40).fit(X, y)
    assert model.coef_.shape == (3, 6)
    assert model.score(X, y) > 0.5


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_control_c_leaves_a_fitted_model(n_jobs):
    X, y, _ = data(n=2000, d=30, classes=3, noise=3.0)
    model = DualAveragingClassifier(**ENDLESS, n_jobs=n_jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clone(model).set_params(max_iter=3).fit(X, y)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.warns(ConvergenceWarning, match="interrupted"):
            model.fit(X, y)
    finally:
        timer.cancel()
    assert model.score(X, y) > 0.4


@pytest.mark.parametrize(
    ("n", "place"),
    [(80, "cesaro.linear.progress.Silence.__call__"), (800, "cesaro.linear.path.cross_validate")],
    ids=["one by one", "in lanes"],
)
def test_a_search_that_was_interrupted_says_so(n, place, monkeypatch):
    X, y, _ = data(n=n)
    calls, real = [], pkgutil.resolve_name(place.replace(".Silence.", ":Silence."))

    def interrupted(*args, **kwargs):
        calls.append(args)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return real(*args, **kwargs)

    monkeypatch.setattr(place, interrupted)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = DualAveragingClassifierCV(alphas=3, tol=0).fit(X, y)
    assert len(calls) > 1
    assert np.isfinite(model.coef_).all()


def test_a_warning_names_the_line_that_called_fit():
    X, y, _ = data()
    for model in (DualAveragingClassifier(tol=1e-9, max_iter=2), DualAveragingRegressor(tol=1e-9, max_iter=2)):
        with pytest.warns(ConvergenceWarning) as caught:
            model.fit(X, y)
        assert caught[0].filename == __file__


def test_verbose_writes_objective_and_gap_to_stderr():
    X, y, _ = data()
    stream = io.StringIO()
    with redirect_stderr(stream):
        DualAveragingClassifier(verbose=1).fit(X, y)
    assert "objective" in stream.getvalue()
    assert "relative gap" in stream.getvalue()
    silent = io.StringIO()
    with redirect_stderr(silent):
        DualAveragingClassifier().fit(X, y)
    assert silent.getvalue() == ""


@pytest.mark.skipif(not hasattr(DualAveragingClassifier, "set_callbacks"), reason="scikit-learn without callbacks")
def test_callbacks_of_scikit_learn_see_every_evaluation_and_may_stop_the_fit():
    class Witness:
        seen: tuple = ()

        def setup(self, estimator, context):
            self.seen += ("setup",)

        def teardown(self, estimator, context):
            self.seen += ("teardown",)

        def on_fit_task_begin(self, estimator, context):
            self.seen += (f"begin {context.task_name}",)

        def on_fit_task_end(self, estimator, context):
            self.seen += (f"end {context.task_name}",)
            return context.task_name == "epoch" and self.seen.count("end epoch") == 3

    X, y, _ = data(classes=3)
    witness = Witness()
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = DualAveragingClassifier(alpha=1e-6).set_callbacks(witness).fit(X, y)
    assert witness.seen[:3] == ("setup", "begin fit", "begin model")
    assert witness.seen[-2:] == ("end fit", "teardown")
    assert witness.seen.count("begin model") == witness.seen.count("end model")
    assert witness.seen.count("end epoch") >= 3
    assert model.coef_.shape == (3, 6)


# threads, seeds, state


@pytest.mark.parametrize("solver", ["anchored", "gda"])
def test_the_number_of_jobs_does_not_change_a_bit(solver):
    X, y, _ = data(n=500, classes=5, noise=2.0)
    model = DualAveragingClassifier(alpha=1e-2, solver=solver, tol=0.1, random_state=3)
    one, two = (clone(model).set_params(n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.dual_gap_, two.dual_gap_)


def test_sixteen_fits_at_once_equal_serial_ones():
    sets = [data(n=150 + 20 * k, classes=2 + k % 2, seed=k) for k in range(16)]

    def fit(k):
        X, y, t = sets[k]
        model = DualAveragingClassifier(alpha=1e-4, tol=1e-9, random_state=k).fit(X, y)
        return model.coef_, DualAveragingRegressor(alpha=1e-4, random_state=k).fit(X, t).coef_

    serial = [fit(k) for k in range(16)]
    with ThreadPoolExecutor(16) as pool:
        for (a, b), (c, d) in zip(serial, pool.map(fit, range(16)), strict=True):
            np.testing.assert_array_equal(a, c)
            np.testing.assert_array_equal(b, d)


def test_the_same_seed_gives_the_same_bits_and_another_one_does_not():
    X, y, _ = data(n=2000)
    fits = [DualAveragingClassifier(random_state=seed, tol=0, max_iter=3).fit(X, y).coef_ for seed in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert (fits[0] != fits[2]).any()


def test_a_warm_start_needs_fewer_epochs():
    X, y, _ = data(n=2000, d=20, noise=2.0)
    model = DualAveragingClassifier(alpha=1e-3, tol=1e-4, warm_start=True, random_state=0).fit(X, y)
    cold = model.n_iter_
    assert model.fit(X, y).n_iter_ < cold
    model.fit(X[:1500], 1 - y[:1500])
    assert model.relative_gap_ <= 1e-4


def test_models_survive_pickling_and_cloning():
    X, y, _ = data()
    model = DualAveragingClassifier("log_loss", alpha=1e-2).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert clone(model).get_params() == model.get_params()
    assert len(pickle.dumps(model)) < 10_000


# weights and classes


def test_a_row_of_weight_zero_is_as_if_it_were_not_there():
    X, y, _ = data()
    v = (np.arange(len(y)) % 3 > 0).astype(float)
    weighted = DualAveragingClassifier(random_state=0).fit(X, y, v)
    np.testing.assert_array_equal(weighted.coef_, DualAveragingClassifier(random_state=0).fit(X[v > 0], y[v > 0]).coef_)


def test_class_weights_multiply_sample_weights():
    X, y, _ = data(noise=2.0)
    exact = {"alpha": 1e-2, "tol": 1e-12}
    by_class = DualAveragingClassifier(**exact, class_weight={0: 1.0, 1: 3.0}).fit(X, y)
    by_sample = DualAveragingClassifier(**exact).fit(X, y, np.where(y == 1, 3.0, 1.0))
    np.testing.assert_allclose(by_class.coef_, by_sample.coef_, rtol=1e-7)
    v = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    both = DualAveragingClassifier(**exact, class_weight={0: 1.0, 1: 3.0}).fit(X, y, v)
    product = DualAveragingClassifier(**exact).fit(X, y, v * np.where(y == 1, 3.0, 1.0))
    np.testing.assert_allclose(both.coef_, product.coef_, rtol=1e-7)
    balanced = DualAveragingClassifier(**exact, class_weight="balanced").fit(X[:150], y[:150])
    counts = np.bincount(y[:150])
    by_hand = DualAveragingClassifier(**exact).fit(X[:150], y[:150], (150 / (2 * counts))[y[:150]])
    np.testing.assert_allclose(balanced.coef_, by_hand.coef_, rtol=1e-7)


def test_class_weights_of_unknown_or_negative_kind_are_refused():
    X, y, _ = data()
    with pytest.raises(ValueError, match="not among the classes"):
        DualAveragingClassifier(class_weight={7: 1.0}).fit(X, y)
    with pytest.raises(ValueError, match="not negative"):
        DualAveragingClassifier(class_weight={0: -1.0}).fit(X, y)


def test_labels_may_be_words():
    X, y = make_blobs(random_state=0)
    words = np.array(["one", "two", "three"])[y]
    model = DualAveragingClassifier().fit(X, words)
    assert set(model.predict(X)) <= set(words)
    assert model.score(X, words) > 0.85


@pytest.mark.parametrize("loss", ["log_loss", "modified_huber"])
@pytest.mark.parametrize("classes", [2, 4])
def test_probabilities_sum_to_one_and_prefer_the_predicted_class(loss, classes):
    X, y, _ = data(classes=classes)
    model = DualAveragingClassifier(loss).fit(X, y)
    p = model.predict_proba(X)
    assert p.shape == (len(y), classes)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_allclose(p[np.arange(len(y)), model.predict(X)], p.max(axis=1), atol=1e-12)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p, atol=1e-12)


def test_losses_without_probabilities_do_not_offer_them():
    assert not hasattr(DualAveragingClassifier(), "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba") as caught:
        _ = DualAveragingClassifier("squared_hinge").predict_proba
    assert "loss='squared_hinge'" in str(caught.value.__cause__)


# parameters


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"l1_ratio": 1.0}, "not strongly convex"),
        ({"l1_ratio": 0.5, "radius": 1.0}, "radius"),
        ({"l1_ratio": 0.5, "solver": "sc-pda"}, "sc-rda"),
        ({"checkpoint": "somewhere", "warm_start": True}, "warm_start"),
        ({"checkpoint": 3}, "checkpoint"),
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": -1.0}, "alpha"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1.0}, "tol"),
        ({"loss": "squared_error"}, "loss"),
        ({"solver": "sgd"}, "solver"),
        ({"radius": 0.0}, "radius"),
        ({"anchor": "big"}, "anchor"),
        ({"averaging": "linear"}, "averaging"),
        ({"intercept_scaling": 0.0}, "intercept_scaling"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_by_name(parameters, message):
    X, y, _ = data(n=20)
    with pytest.raises(ValueError, match=message):
        DualAveragingClassifier(**parameters).fit(X, y)


def test_the_signature_is_the_documented_one():
    parameters = DualAveragingClassifier().get_params(deep=False)
    expected = {
        "loss": "hinge", "alpha": 1e-4, "l1_ratio": 0.0, "solver": "anchored", "averaging": "auto", "anchor": "auto",
        "radius": None, "tol": 1e-3, "max_iter": 1000, "time_limit": None, "batch_size": 1, "sampling": "reshuffle",
        "epsilon": 0.1, "fit_intercept": True, "intercept_scaling": 1.0, "class_weight": None, "warm_start": False,
        "checkpoint": None, "n_jobs": None, "random_state": None, "verbose": 0,
    }  # fmt: skip
    assert parameters == expected
    regressor = DualAveragingRegressor().get_params(deep=False)
    del expected["class_weight"]
    assert regressor == expected | {"loss": "squared_error", "quantile": 0.5}


# partial_fit


def test_batches_of_any_size_lead_to_the_optimum():
    X, y, _ = data(n=4000, d=5, noise=0.5)
    best = DualAveragingClassifier(alpha=1e-2, tol=1e-8).fit(X, y)
    model = DualAveragingClassifier(alpha=1e-2, random_state=0)
    for _ in range(3):
        for first, last in [(0, 1), (1, 500), (500, 510), (510, 2500), (2500, 4000)]:
            model.partial_fit(X[first:last], y[first:last], classes=[0, 1])
    assert objective(model, X, 2 * y - 1) < best.objective_ * 1.02
    assert model.relative_gap_ == np.inf
    assert model.n_iter_ == 15


def test_a_small_batch_weighs_little_after_a_large_one():
    X, y, _ = data(n=600)
    model = DualAveragingClassifier(alpha=1e-2, random_state=0).partial_fit(X[:500], y[:500], classes=[0, 1])
    before = model.coef_.copy()
    model.partial_fit(X[500:505], y[500:505])
    assert np.linalg.norm(model.coef_ - before) < 0.03 * np.linalg.norm(before)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize("loss", sorted(CLASSIFICATION))
def test_partial_fit_is_finite_or_says_why_not(loss, scale):
    X, y, _ = data(n=40)
    model = DualAveragingClassifier(loss, alpha=1e-12)
    try:
        model.partial_fit(X * scale, y, classes=[0, 1])
    except ValueError as error:
        assert "scale the features" in str(error)  # noqa: PT017
    else:
        assert np.isfinite(model.coef_).all()


def test_partial_fit_goes_on_from_a_fit():
    X, y, t = data(n=1000)
    model = DualAveragingClassifier(alpha=1e-3).fit(X, y)
    before = model.score(X, y)
    assert model.partial_fit(X[:10], y[:10]).score(X, y) > before - 0.05
    model.fit(X, y)
    assert model.partial_fit(100 * np.sign(model.coef_), [0]).score(X, y) > before - 0.05
    regressor = DualAveragingRegressor(alpha=1e-3).fit(X, t)
    before = regressor.score(X, t)
    assert regressor.partial_fit(X[:100], t[:100]).score(X, t) > before - 0.1


def test_partial_fit_refuses_unknown_labels_and_balanced_weights():
    X, y, _ = data()
    with pytest.raises(ValueError, match="not in classes"):
        DualAveragingClassifier().partial_fit(X, y + 5, classes=[0, 1])
    with pytest.raises(ValueError, match="classes must be passed"):
        DualAveragingClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="compute_class_weight"):
        DualAveragingClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1])


# scale and shape


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


# history


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


def test_a_fit_that_is_worse_than_nothing_is_replaced_by_nothing():
    bad = runs.Fit(np.full(3, np.nan), np.nan, np.nan, 1, {}, "max_iter")
    fit = runs.honest(1.0, bad)
    assert (fit.w == 0.0).all()
    assert (fit.objective, fit.lower_bound) == (1.0, 0.0)
    worse = runs.honest(1.0, runs.Fit(np.ones(3), 1.5, 0.25, 1, {}, "max_iter"))
    assert (worse.w == 0.0).all()
    assert (worse.objective, worse.lower_bound) == (1.0, 0.25)
    good = runs.honest(1.0, runs.Fit(np.ones(3), 0.5, -0.1, 1, {}, "max_iter"))
    assert (good.w == 1.0).all()
    assert (good.objective, good.lower_bound) == (0.5, 0.0)


def test_two_runs_in_a_row_keep_the_better_point_and_the_better_bound():
    history = {"epoch": np.array([1]), "time": np.array([2.0]), "objective": np.array([0.6]), "active": np.array([9])}
    first = runs.Fit(np.zeros(2), 0.5, 0.3, 1, history, "max_iter")
    second = runs.Fit(np.ones(2), 0.6, 0.4, 1, history, "max_iter")
    for joined in (runs._joined(first, second), runs._joined(second, first)):
        assert (joined.w == 0.0).all()
        assert (joined.objective, joined.lower_bound, joined.n_iter) == (0.5, 0.4, 2)
        np.testing.assert_array_equal(joined.history["epoch"], [1, 2])
        np.testing.assert_array_equal(joined.history["time"], [2.0, 4.0])


@pytest.mark.parametrize("solver", SOLVERS)
def test_rows_without_any_entry_give_the_zero_model(solver):
    model = DualAveragingClassifier(solver=solver, fit_intercept=False, tol=0, max_iter=3)
    assert model.fit(np.zeros((20, 5)), [0, 1] * 10).objective_ == 1.0
    assert not model.coef_.any()


def test_a_warm_start_from_other_columns_is_a_cold_one():
    X, y, _ = data()
    model = DualAveragingClassifier(warm_start=True, fit_intercept=False, random_state=0).fit(X, y)
    model.set_params(fit_intercept=True).fit(X[:, :5], y)
    fresh = DualAveragingClassifier(random_state=0).fit(X[:, :5], y)
    np.testing.assert_array_equal(model.coef_, fresh.coef_)


def test_certified_labels_depend_on_the_fit_not_on_later_parameters():
    X, y, _ = data()
    model = DualAveragingClassifier(random_state=0).fit(X, y)
    before = model.predict_certified(X)[1]
    assert np.array_equal(before, model.set_params(fit_intercept=False, intercept_scaling=1e-3).predict_certified(X)[1])


def test_partial_fit_needs_two_classes():
    with pytest.raises(ValueError, match="at least two"):
        DualAveragingClassifier().partial_fit(np.ones((3, 2)), [0, 0, 0], classes=[0])


def test_targets_and_sums_of_duplicates_that_overflow_are_clear_errors():
    X, _, t = data()
    with pytest.raises(ValueError, match="too large"):
        DualAveragingRegressor().fit(X, t * 1e153)
    twice = sp.csr_array((np.full(2, 1e308), np.zeros(2, np.int32), np.array([0, 2, 2])), shape=(2, 3))
    with pytest.raises(ValueError, match="row 0, column 0"):
        DualAveragingRegressor().fit(twice, [0.0, 1.0])
