"""The cross-validated estimators: the grid, the folds, the scores, the final fit."""

import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, make_scorer, r2_score
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, StratifiedKFold

from cesaro.linear import (
    DualAveragingClassifier,
    DualAveragingClassifierCV,
    DualAveragingRegressor,
    DualAveragingRegressorCV,
)
from cesaro.linear.estimators import classifier_cv
from cesaro.linear.model_selection import search
from cesaro.linear.model_selection.folds import accuracy, folds_of, grid, r_squared


def data(n=200, d=5, classes=2, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, classes)) + noise * rng.normal(size=(n, classes))
    return X, scores.argmax(axis=1), X @ rng.normal(size=d) + 3.0 + noise * rng.normal(size=n)


def test_the_default_grid_has_sixteen_values_from_a_tenth_to_a_tenth_of_a_row():
    X, y, _ = data()
    model = DualAveragingClassifierCV(random_state=0).fit(X, y)
    np.testing.assert_allclose(model.alphas_, np.geomspace(0.1, 1 / (10 * 200), 16))
    assert model.alpha_ in model.alphas_


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 5.0, 1: 1.0}])
def test_few_rows_give_what_a_grid_search_of_exact_fits_gives(classes, class_weight):
    X, y, _ = data(classes=classes)
    alphas, exact = [1.0, 1e-1, 1e-2, 1e-3], {"tol": 1e-9, "class_weight": class_weight}
    ours = DualAveragingClassifierCV(alphas=alphas, cv=4, **exact).fit(X, y)
    theirs = GridSearchCV(DualAveragingClassifier(**exact), {"alpha": alphas}, cv=4).fit(X, y)
    for key in ("mean_test_score", "std_test_score", "split2_test_score", "rank_test_score"):
        np.testing.assert_allclose(ours.cv_results_[key], theirs.cv_results_[key], err_msg=key)
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    np.testing.assert_allclose(ours.coef_, theirs.best_estimator_.coef_, rtol=1e-5)


def test_a_regressor_scores_by_r_squared_as_a_grid_search_does():
    X, _, t = data()
    Y = np.column_stack([t, t**2])
    alphas = [10.0, 1.0, 1e-1]
    ours = DualAveragingRegressorCV(alphas=alphas, cv=3, tol=1e-10).fit(X, Y)
    theirs = GridSearchCV(DualAveragingRegressor(tol=1e-10), {"alpha": alphas}, cv=3).fit(X, Y)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-4)
    assert ours.coef_.shape == (2, 5)
    assert ours.predict(X).shape == Y.shape


@pytest.mark.parametrize("cv", [StratifiedKFold(5, shuffle=True, random_state=0), ShuffleSplit(4, random_state=0)])
def test_many_rows_share_their_epochs_and_score_like_exact_fits(cv, monkeypatch):
    X, y, _ = data(n=3000, d=10, noise=2.0)
    alphas = np.geomspace(1e-1, 1e-3, 4)
    exact = GridSearchCV(DualAveragingClassifier(tol=1e-4), {"alpha": alphas}, cv=cv).fit(X, y)
    monkeypatch.setattr(search, "one_at_a_time", None)
    ours = DualAveragingClassifierCV(alphas=alphas, cv=cv, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], exact.cv_results_["mean_test_score"], atol=0.01)
    assert ours.relative_gap_ <= 1e-3


@pytest.mark.parametrize("classes", [2, 4])
def test_held_out_predictions_are_those_of_the_models(classes, monkeypatch):
    X, y, _ = data(n=2500, classes=classes)
    model = DualAveragingClassifierCV(alphas=3, cv=3, random_state=0).fit(X, y)
    kept = classifier_cv.in_one_pass

    def without_held_out(*args):
        found = kept(*args)
        assert found.held_out is not None
        return found._replace(held_out=None)

    monkeypatch.setattr(classifier_cv, "in_one_pass", without_held_out)
    slow = DualAveragingClassifierCV(alphas=3, cv=3, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], slow.cv_results_["mean_test_score"], atol=2e-3)


def test_moderately_many_rows_get_more_passes():
    X, y, _ = data(n=600, d=8, noise=0.3)
    alphas = np.geomspace(1e-1, 1e-4, 4)
    exact = GridSearchCV(DualAveragingClassifier(tol=1e-6), {"alpha": alphas}).fit(X, y)
    ours = DualAveragingClassifierCV(alphas=alphas, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], exact.cv_results_["mean_test_score"], atol=0.01)


def test_many_rows_of_regression_score_like_exact_fits():
    X, _, t = data(n=2500)
    ours = DualAveragingRegressorCV(alphas=[1.0, 1e-2], cv=KFold(4), random_state=0).fit(X, t)
    exact = GridSearchCV(DualAveragingRegressor(), {"alpha": [1.0, 1e-2]}, cv=KFold(4)).fit(X, t)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], exact.cv_results_["mean_test_score"], atol=0.02)
    assert ours.alpha_ == exact.best_params_["alpha"]


@pytest.mark.parametrize("scoring", ["roc_auc", "balanced_accuracy", make_scorer(accuracy_score)])
def test_any_scorer_of_scikit_learn_will_do(scoring):
    X, y, _ = data()
    v = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = DualAveragingClassifierCV(alphas=3, scoring=scoring, random_state=0).fit(X, y, v)
    assert 0.5 < model.best_score_ <= 1.0
    assert model.best_score_ == model.cv_results_["mean_test_score"].max()


def test_a_negative_scorer_of_a_regressor_is_maximised_too():
    X, _, t = data()
    model = DualAveragingRegressorCV(alphas=[100.0, 1e-2], scoring="neg_mean_absolute_error").fit(X, t)
    assert model.alpha_ == 1e-2
    assert model.best_score_ < 0


def test_scores_are_scikit_learns():
    rng = np.random.default_rng(0)
    v, code, y = rng.uniform(0, 2, 50), rng.integers(0, 3, 50), rng.normal(size=(50, 2))
    margins, guess = rng.normal(size=(50, 4, 3)), rng.normal(size=(50, 4, 2))
    for k in range(4):
        by_hand = accuracy_score(code, margins[:, k].argmax(axis=1), sample_weight=v)
        assert accuracy(margins, code, v)[k] == pytest.approx(by_hand)
        assert r_squared(guess, y, v)[k] == pytest.approx(r2_score(y, guess[:, k], sample_weight=v))
    assert r_squared(np.ones((3, 1, 1)), np.ones((3, 1)), np.ones(3)) == pytest.approx(1.0)


def test_the_grid_follows_the_weights_as_if_rows_were_repeated():
    np.testing.assert_array_equal(grid(5, np.ones(300))[[0, -1]], [0.1, 0.1 / 300])
    with pytest.raises(ValueError, match="positive"):
        grid([0.1, -1.0], np.ones(10))


def test_rows_without_weight_are_neither_learned_from_nor_scored_on():
    v = np.array([1.0, 0.0, 1.0, 1.0, 1.0, 0.0])
    folds = folds_of(KFold(3), np.zeros((6, 1)), None, v, classifier=False)
    np.testing.assert_array_equal(folds[0].test, [0])
    np.testing.assert_array_equal(folds[0].v, [0, 0, 1, 1, 1, 0])
    with pytest.raises(ValueError, match="positive sample weight"):
        folds_of(KFold(6), np.zeros((6, 1)), None, v, classifier=False)


def test_class_weights_reach_the_search():
    X, y, _ = data(noise=3.0)
    model = DualAveragingClassifierCV(alphas=2, class_weight={0: 1e6, 1: 1.0}, random_state=0).fit(X, y)
    assert (model.predict(X) == 0).mean() > 0.95
    assert model.cv_results_["mean_test_score"].max() < 0.7


@pytest.mark.parametrize("n", [400, 4000])
def test_a_time_limit_covers_search_and_fit(n):
    X, y, _ = data(n=n, d=20, noise=3.0)
    DualAveragingClassifierCV(tol=0, max_iter=1).fit(X, y)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = DualAveragingClassifierCV(tol=1e-13, max_iter=10**6, time_limit=0.8).fit(X, y)
    assert time.perf_counter() - start < 5.0
    assert np.isfinite(model.coef_).all()
    assert model.best_score_ > 0.5


def test_the_same_seed_gives_the_same_search():
    X, y, _ = data(n=2500)
    one, two = (DualAveragingClassifierCV(alphas=3, random_state=5, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(one.coef_, two.coef_)


@pytest.mark.parametrize("bad", [{"alphas": 0}, {"alphas": [0.0]}, {"cv": 1}, {"scoring": "beauty"}])
def test_searches_that_make_no_sense_are_refused(bad):
    X, y, _ = data(n=30)
    with pytest.raises(ValueError, match=r"alphas|k-fold|cv|scoring"):
        DualAveragingClassifierCV(**bad).fit(X, y)


def test_columns_of_very_different_scales_are_searched_by_exact_fits():
    X, y, _ = data(n=700)
    X = X * [1e-3, 1.0, 1e3, 1.0, 1.0]
    alphas, model = [1e-1, 1e-4], DualAveragingClassifierCV([1e-1, 1e-4], random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer = GridSearchCV(DualAveragingClassifier(random_state=0), {"alpha": alphas}).fit(X, y)
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], peer.cv_results_["mean_test_score"], atol=0.005)


def test_the_grid_does_not_depend_on_the_unit_of_the_weights():
    X, y, _ = data(n=60)
    weights = np.full(60, 1 / 60)
    np.testing.assert_array_equal(
        DualAveragingClassifierCV(3, cv=2, random_state=0).fit(X, y, sample_weight=weights).alphas_,
        DualAveragingClassifierCV(3, cv=2, random_state=0).fit(X, y).alphas_,
    )


def test_a_scorer_sees_the_parameters_of_the_model_and_need_not_take_weights():
    X, y, t = data(n=60)
    seen = []
    scoring = lambda model, X, y: (seen.append((model.alpha, model.tol)), model.score(X, y))[1]  # noqa: E731
    DualAveragingClassifierCV([0.1, 0.01], cv=2, scoring=scoring, tol=1e-2, random_state=0).fit(X, y)
    assert set(seen) == {(0.1, 1e-2), (0.01, 1e-2)}
    model = DualAveragingRegressorCV(3, cv=2, scoring="neg_max_error", random_state=0)
    assert model.fit(X, t, sample_weight=np.ones(60)).best_score_ < 0


def test_scores_that_are_all_nan_are_an_error():
    X, y, _ = data(n=60)
    with pytest.raises(ValueError, match="nan"):
        DualAveragingClassifierCV(2, cv=2, scoring=lambda model, X, y: np.nan).fit(X, y)


def test_ctrl_c_during_a_search_in_one_pass_leaves_a_model(monkeypatch):
    from cesaro.linear.model_selection import path

    X, y, _ = data(n=800)
    real, calls = path.cross_validate, []

    def interrupted(*args, **options):
        calls.append(options["epochs"])
        if len(calls) == 1:
            raise KeyboardInterrupt
        return real(*args, **options)

    monkeypatch.setattr(path, "cross_validate", interrupted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = DualAveragingClassifierCV(3, cv=2, random_state=0).fit(X, y)
    assert calls[1] == 1
    assert model.score(X, y) > 0.6


def test_rows_of_a_class_without_weight_are_scored_by_what_the_models_say_of_them():
    """The models never predict that class: all its rows are wrong, and none is missing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 4))
    y = np.argmax(X[:, :3] + 0.1 * rng.normal(size=(1500, 3)), axis=1)
    model = DualAveragingClassifierCV([0.1, 0.01], class_weight={0: 0.0, 1: 1.0, 2: 1.0}, random_state=0).fit(X, y)
    assert 0.55 < model.best_score_ <= np.mean(y != 0)


def test_a_best_alpha_at_the_edge_of_the_grid_is_told():
    X, _, t = data(noise=0.1)
    with pytest.warns(UserWarning, match=r"0.1, is at the edge of the grid: smaller"):
        DualAveragingRegressorCV([10.0, 1.0, 0.1], random_state=0).fit(X, t)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X, _, t = data(n=60, d=40, noise=3.0)
        assert DualAveragingRegressorCV([1e3, 0.3, 1e-9], random_state=0).fit(X, t).alpha_ == 0.3


def test_several_l1_ratios_are_each_searched_and_the_best_is_fitted():
    X, _, t = data(d=30, noise=3.0)
    alphas, ratios = [1.0, 0.3, 0.1, 0.03], [0.1, 0.5, 0.9]
    model = DualAveragingRegressorCV(alphas, l1_ratio=ratios, cv=4, tol=1e-8, random_state=0).fit(X, t)
    each = [DualAveragingRegressorCV(alphas, l1_ratio=r, cv=4, tol=1e-8, random_state=0).fit(X, t) for r in ratios]
    best = int(np.argmax([one.best_score_ for one in each]))
    assert model.l1_ratio_ == ratios[best]
    assert model.alpha_ == each[best].alpha_
    assert model.best_score_ == pytest.approx(each[best].best_score_, rel=1e-9)
    np.testing.assert_allclose(model.coef_, each[best].coef_, atol=1e-6)
    assert model.cv_results_["params"][5] == {"alpha": 0.3, "l1_ratio": 0.5}
    classifier = DualAveragingClassifierCV([0.1, 0.01], l1_ratio=[0.0, 0.9], random_state=0).fit(X, t > 3.0)
    assert len(classifier.cv_results_["mean_test_score"]) == 4
    with pytest.raises(ValueError, match=r"in \[0, 1\]"):
        DualAveragingRegressorCV(l1_ratio=[0.5, 2.0]).fit(X, t)


def test_rows_of_one_group_stay_together():
    X, y, _ = data(n=120)
    groups = np.arange(120) // 10
    model = DualAveragingClassifierCV([0.1, 0.01], cv=GroupKFold(4), random_state=0).fit(X, y, groups=groups)
    same = GridSearchCV(DualAveragingClassifier(tol=1e-9, random_state=0), {"alpha": [0.1, 0.01]}, cv=GroupKFold(4))
    same.fit(X, y, groups=groups)
    exact = DualAveragingClassifierCV([0.1, 0.01], cv=GroupKFold(4), tol=1e-9, random_state=0).fit(X, y, groups=groups)
    np.testing.assert_allclose(exact.cv_results_["mean_test_score"], same.cv_results_["mean_test_score"])
    assert model.cv_results_["split3_test_score"].shape == (2,)
    with pytest.raises(ValueError, match="groups"):
        DualAveragingClassifierCV([0.1], cv=GroupKFold(4)).fit(X, y)


@pytest.mark.parametrize("n", [120, 800], ids=["one by one", "large enough for shared epochs"])
def test_rows_that_a_fold_names_twice_are_learned_from_twice(n):
    X, y, t = data(n=n)
    rng = np.random.default_rng(0)
    folds = [
        (rng.integers(n // 2, size=n // 2), np.arange(n // 2, n)),
        (rng.integers(n // 2, n, size=n), np.arange(n // 2)),
    ]
    how = {"alphas": [1.0, 1e-3], "cv": folds, "tol": 1e-8}
    for search_, plain, target in (
        (
            DualAveragingClassifierCV(**how, loss="log_loss", scoring="neg_log_loss"),
            DualAveragingClassifier("log_loss", tol=1e-8),
            y,
        ),
        (DualAveragingRegressorCV(**how), DualAveragingRegressor(tol=1e-8), t),
    ):
        exact = GridSearchCV(plain, {"alpha": how["alphas"]}, cv=folds, scoring=search_.scoring).fit(X, target)
        found = search_.fit(X, target)
        np.testing.assert_allclose(
            found.cv_results_["mean_test_score"], exact.cv_results_["mean_test_score"], rtol=1e-5
        )


def test_an_l1_ratio_that_is_given_twice_is_searched_twice():
    X, y, _ = data()
    twice = DualAveragingClassifierCV(alphas=3, l1_ratio=[0.5, 0.5, 0.1], random_state=0).fit(X, y)
    once = DualAveragingClassifierCV(alphas=3, l1_ratio=[0.5, 0.1], random_state=0).fit(X, y)
    assert len(twice.cv_results_["mean_test_score"]) == 9
    assert (twice.alpha_, twice.l1_ratio_, twice.best_score_) == (once.alpha_, once.l1_ratio_, once.best_score_)


def test_a_cv_without_folds_is_named():
    X, y, _ = data()
    with pytest.raises(ValueError, match=r"cv=\[\] gives no folds"):
        DualAveragingClassifierCV(cv=[]).fit(X, y)
