"""L1 alone, `l1_ratio=1`, in the estimators: scikit-learn's models, exact zeros, searches, files, and what is refused."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from estimator_data import data
from sklearn.datasets import dump_svmlight_file, load_diabetes
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression, QuantileRegressor

from cesaro.linear import (
    DualAveragingClassifier,
    DualAveragingClassifierCV,
    DualAveragingRegressor,
    DualAveragingRegressorCV,
)
from cesaro.losses import CLASSIFICATION, REGRESSION

FREE = {"l1_ratio": 1.0, "penalize_intercept": False}


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_regressor_is_the_lasso(intercept, weighted):
    X, _, t = data(n=120, d=15, noise=2.0)
    v = np.random.default_rng(0).uniform(0.1, 3, len(t)) if weighted else None
    ours = DualAveragingRegressor(alpha=0.3, **FREE, fit_intercept=intercept, tol=1e-10).fit(X, t, v)
    theirs = Lasso(alpha=0.3, fit_intercept=intercept, tol=1e-10, max_iter=10**5).fit(X, t, v)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    np.testing.assert_array_equal(ours.coef_ == 0.0, theirs.coef_ == 0.0)


def test_the_classifier_is_logistic_regression_with_l1():
    X, y, _ = data(n=150, d=12, noise=2.0)
    ours = DualAveragingClassifier("log_loss", alpha=0.02, **FREE, fit_intercept=False, tol=1e-10).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions would rather have l1_ratio
        theirs = LogisticRegression(
            C=1 / (0.02 * 150), penalty="l1", solver="liblinear", fit_intercept=False, tol=1e-9, max_iter=10**4
        ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_array_equal(ours.coef_ == 0.0, theirs.coef_ == 0.0)


@pytest.mark.parametrize("ratio", [0.5, 1.0])
def test_columns_of_any_scale_are_solved_in_a_few_epochs(ratio):
    X, y = load_diabetes(return_X_y=True, scaled=False)
    X = X * np.array([1e3, 1, 1, 1e-3, 1, 1, 1, 1e2, 1, 1])
    model = DualAveragingRegressor(alpha=0.5, l1_ratio=ratio, penalize_intercept=False, tol=1e-6).fit(X, y)
    theirs = ElasticNet(alpha=0.5, l1_ratio=ratio, tol=1e-12, max_iter=10**6).fit(X, y)
    assert model.n_iter_ <= 20
    assert model.relative_gap_ <= 1e-6
    np.testing.assert_allclose(model.predict(X), theirs.predict(X), atol=1e-2 * np.std(y))


@pytest.mark.parametrize("loss", sorted(CLASSIFICATION))
def test_every_loss_of_classifiers_has_a_proof_with_l1_alone(loss):
    X, y, _ = data(n=100, classes=3)
    model = DualAveragingClassifier(loss, alpha=0.05, **FREE, tol=1e-3).fit(X, y)
    assert (model.relative_gap_ <= 1e-3).all()
    assert (model.coef_ == 0.0).any()


@pytest.mark.parametrize("loss", sorted(REGRESSION))
def test_every_loss_of_regressors_has_a_proof_with_l1_alone(loss):
    X, _, t = data(n=100)
    model = DualAveragingRegressor(loss, alpha=0.1, **FREE, tol=1e-3).fit(X, np.column_stack([t, -t]))
    assert (model.relative_gap_ <= 1e-3).all()


@pytest.mark.parametrize("ratio", [0.5, 1.0])
def test_the_support_is_about_the_optimum_s_with_kinks_too(ratio):
    X = sp.random(400, 600, 0.05, random_state=0, format="csr")
    y = X @ np.where(np.arange(600) < 12, 1.0, 0.0) > 0.2
    penalty = {"alpha": 0.015 / ratio, "l1_ratio": ratio, "penalize_intercept": False}
    model = DualAveragingClassifier("hinge", **penalty, tol=1e-3, random_state=0)
    support = np.count_nonzero(model.fit(X, y).coef_)
    tight = np.count_nonzero(model.set_params(tol=1e-6).fit(X, y).coef_)
    assert 0 < 0.9 * tight - 2 <= support <= 1.1 * tight + 2 < 60


def test_columns_of_any_scale_are_solved_with_kinks_too():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    X = X * np.array([1e3, 1, 1, 1e-3, 1, 1, 1, 1e2, 1, 1])
    for ratio in (0.5, 1.0):
        model = DualAveragingRegressor("quantile", alpha=0.05, l1_ratio=ratio, penalize_intercept=False, tol=1e-4)
        assert model.fit(X, y).relative_gap_ <= 1e-4
        assert np.mean(y <= model.predict(X)) == pytest.approx(0.5, abs=0.02)


def test_the_quantile_regressor_is_scikit_learn_s():
    X, _, t = data(n=120, d=8, noise=2.0)
    ours = DualAveragingRegressor("quantile", quantile=0.8, alpha=0.05, **FREE, tol=1e-7).fit(X, t)
    theirs = QuantileRegressor(quantile=0.8, alpha=0.05, solver="highs").fit(X, t)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    np.testing.assert_array_equal(ours.coef_ == 0.0, np.abs(theirs.coef_) < 1e-9)


def test_a_penalty_of_the_intercept_is_l2_and_so_none_with_l1_alone():
    X, _, t = data(n=80)
    free, asked = (
        DualAveragingRegressor(alpha=0.1, l1_ratio=1.0, penalize_intercept=penalized, tol=1e-8).fit(X, t + 50.0)
        for penalized in (False, True)
    )
    np.testing.assert_array_equal(free.coef_, asked.coef_)
    np.testing.assert_array_equal(free.intercept_, asked.intercept_)


def test_no_label_is_certified_and_a_warning_says_so():
    X, y, _ = data()
    model = DualAveragingClassifier("log_loss", alpha=0.01, **FREE, tol=1e-8).fit(X, y)
    with pytest.warns(UserWarning, match="no label is certified: l1_ratio=1"):
        labels, proved = model.predict_certified(X)
    np.testing.assert_array_equal(labels, model.predict(X))
    assert not proved.any()


def test_what_needs_strong_convexity_is_refused():
    X, y, t = data()
    with pytest.raises(ValueError, match="no L2 term"):
        DualAveragingClassifier(l1_ratio=1.0, solver="sc-rda").fit(X, y)
    with pytest.raises(ValueError, match="no L2 term"):
        DualAveragingRegressor(l1_ratio=1.0).partial_fit(X, t)


def test_a_warm_start_along_alpha_begins_at_the_last_model():
    X, _, t = data(n=200, d=40, noise=3.0)
    cold = [DualAveragingRegressor(alpha=a, **FREE, tol=1e-9).fit(X, t) for a in (0.3, 0.2, 0.14)]
    warm = DualAveragingRegressor(**FREE, warm_start=True, tol=1e-9)
    for each in cold:
        warm.set_params(alpha=each.alpha).fit(X, t)
        np.testing.assert_allclose(warm.coef_, each.coef_, atol=1e-5)
    again = warm.fit(X, t)
    assert again.n_iter_ == 1


@pytest.mark.parametrize("n", [150, 690])
def test_a_search_over_alpha_finds_what_single_fits_find(n):
    X, y, t = data(n=n, d=10, noise=2.0)
    alphas = [0.05, 0.3]
    search = DualAveragingRegressorCV(alphas=alphas, cv=3, **FREE, tol=1e-6).fit(X, t)
    for k, alpha in enumerate(alphas):
        single = DualAveragingRegressor(alpha=alpha, **FREE, tol=1e-9).fit(X[n // 3 :], t[n // 3 :])
        found = search.cv_results_["split0_test_score"][k]
        assert found == pytest.approx(single.score(X[: n // 3], t[: n // 3]), abs=1e-4)
    labels = DualAveragingClassifierCV(loss="log_loss", alphas=alphas, cv=3, **FREE).fit(X, y)
    assert labels.best_score_ > 0.7


def test_a_search_over_alpha_begins_each_fit_at_the_last(monkeypatch):
    from cesaro.linear.model_selection import search

    starts = []

    def spy(problems, at_zero, settings, begin_from, report, measure):
        starts.append((problems[0].l1, [start is not None for start in begin_from]))
        return solve_all(problems, at_zero, settings, begin_from, report, measure=measure)

    solve_all = search.solve_all
    monkeypatch.setattr(search, "solve_all", spy)
    X, _, t = data(n=100)
    DualAveragingRegressorCV(alphas=[0.01, 1.0, 0.1], cv=2, **FREE).fit(X, t)
    assert starts == [(1.0, [False] * 2), (0.1, [True] * 2), (0.01, [True] * 2)]


def test_a_file_in_memory_and_one_read_in_blocks_agree_with_fit(tmp_path):
    X, y, _ = data(n=3000, d=8)
    X = sp.csr_matrix(np.round(X, 3))
    dump_svmlight_file(X, y, str(tmp_path / "rows.svm"), zero_based=False)
    model = DualAveragingClassifier("log_loss", alpha=0.01, **FREE, tol=1e-4, random_state=0)
    whole = model.fit(X, y).objective_
    inside = DualAveragingClassifier(**model.get_params()).fit_file(tmp_path / "rows.svm", cache=tmp_path)
    blocks = DualAveragingClassifier(**model.get_params()).fit_file(tmp_path / "rows.svm", cache=tmp_path, memory=3e5)
    assert inside.objective_ == whole
    assert blocks.relative_gap_ <= 1e-4
    assert blocks.objective_ == pytest.approx(whole, rel=2e-4)


def test_to_sklearn_is_an_elastic_net_of_l1_alone():
    X, _, t = data()
    model = DualAveragingRegressor(alpha=0.1, **FREE).fit(X, t)
    assert model.to_sklearn().l1_ratio == 1.0
    np.testing.assert_allclose(model.to_sklearn().predict(X), model.predict(X))
