"""The estimators: optima, threads, seeds, weights, parameters, and what scikit-learn users expect."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from estimator_data import data
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC, LinearSVR

import cesaro.linear
from cesaro.linear import DualAveragingClassifier, DualAveragingRegressor


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
    ours = DualAveragingClassifier(alpha=alpha, tol=1e-10, fit_intercept=fit_intercept, penalize_intercept=True).fit(
        X, y
    )
    theirs = LinearSVC(
        loss="hinge", C=1 / (alpha * len(y)), fit_intercept=fit_intercept, tol=1e-10, max_iter=10**6, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-3, atol=1e-4)


def test_the_intercept_is_a_feature_of_the_given_size_as_in_liblinear():
    X, y, _ = data()
    ours = DualAveragingClassifier(
        "squared_hinge", alpha=0.1, tol=1e-12, penalize_intercept=True, intercept_scaling=5.0
    ).fit(X + 1, y)
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
    theirs = LinearSVR(epsilon=0.5, C=t.std() / (1e-2 * len(t)), fit_intercept=False, tol=1e-10, max_iter=10**6)
    np.testing.assert_allclose(ours.fit(X, t).coef_, theirs.fit(X, t).coef_, rtol=1e-3, atol=1e-4)


def test_a_large_intercept_is_found_because_targets_are_centred():
    X, _, t = data()
    model = DualAveragingRegressor(alpha=1e-4, tol=1e-8).fit(X, t + 1e6)
    assert model.intercept_ == pytest.approx(1e6 + 3.0, abs=0.5)


def test_the_quantile_loss_splits_the_residuals_in_its_ratio():
    X, _, t = data(n=500)
    model = DualAveragingRegressor("quantile", quantile=0.8, alpha=1e-4, tol=1e-4).fit(X, t)
    assert np.mean(t < model.predict(X)) == pytest.approx(0.8, abs=0.03)


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


def test_a_warm_start_from_other_columns_is_a_cold_one():
    X, y, _ = data()
    model = DualAveragingClassifier(warm_start=True, fit_intercept=False, random_state=0).fit(X, y)
    model.set_params(fit_intercept=True).fit(X[:, :5], y)
    fresh = DualAveragingClassifier(random_state=0).fit(X[:, :5], y)
    np.testing.assert_array_equal(model.coef_, fresh.coef_)


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
        ({"l1_ratio": 1.0, "solver": "gda"}, "no L2 term"),
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
        "epsilon": 0.1, "fit_intercept": True, "penalize_intercept": False,
        "intercept_scaling": 1.0, "class_weight": None, "warm_start": False,
        "checkpoint": None, "n_jobs": None, "random_state": None, "verbose": 0,
    }  # fmt: skip
    assert parameters == expected
    regressor = DualAveragingRegressor().get_params(deep=False)
    del expected["class_weight"]
    assert regressor == expected | {"loss": "squared_error", "quantile": 0.5}
