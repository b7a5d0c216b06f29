"""The two searches, shared epochs and one by one: both score like exact fits, and the model says which it was."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from estimator_data import searched_data as data
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, StratifiedKFold

from cesaro.linear import (
    DualAveragingClassifier,
    DualAveragingClassifierCV,
    DualAveragingRegressor,
    DualAveragingRegressorCV,
)
from cesaro.linear.estimators import cross_validated
from cesaro.linear.model_selection import search
from cesaro.linear.problem import scales
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.solvers.anchored import one_vs_rest


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
    kept = cross_validated.in_one_pass

    def without_held_out(*args):
        found = kept(*args)
        assert found.held_out is not None
        return found._replace(held_out=None)

    monkeypatch.setattr(cross_validated, "in_one_pass", without_held_out)
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


def test_columns_of_very_different_scales_are_searched_by_exact_fits():
    X, y, _ = data(n=700)
    X = X * [1e-3, 1.0, 1e3, 1.0, 1.0]
    alphas, model = [1e-1, 1e-4], DualAveragingClassifierCV([1e-1, 1e-4], random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer = GridSearchCV(DualAveragingClassifier(random_state=0), {"alpha": alphas}).fit(X, y)
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], peer.cv_results_["mean_test_score"], atol=0.005)


def texts(n=700, seed=0):
    """Rows of length 1 with few or very many words, frequent and rare, and which of two topics they are about."""
    rng = np.random.default_rng(seed)
    words = np.minimum(3000 * rng.random((n, 400)) ** 3, 2999).astype(int)
    topic = rng.integers(2, size=n)
    words[:, ::3] = 2 * (words[:, ::3] // 2) + topic[:, None]
    X = np.zeros((n, 3002))
    for row, (here, length) in enumerate(zip(words, np.where(rng.random(n) < 0.5, 6, 400), strict=True)):
        np.add.at(X[row], here[:length], 1.0)
    X[0, 3000], X[0, 3001] = 0.01, 400.0  # a rare word beside a very frequent one
    return sp.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True)), topic


def test_the_rarest_words_of_texts_do_not_make_a_search_one_by_one():
    X, y = texts()
    sizes = abs(X).max(axis=0).toarray().ravel()
    assert sizes.max() > 1000 * sizes[sizes > 0].min()
    alphas = np.geomspace(1e-1, 1e-4, 4)
    how = {"penalize_intercept": True, "random_state": 0}
    found = DualAveragingClassifierCV(alphas, cv=3, **how).fit(X, y)
    assert found.search_ == "shared epochs"
    exact = GridSearchCV(DualAveragingClassifier(tol=1e-6, **how), {"alpha": alphas}, cv=3).fit(X, y)
    np.testing.assert_allclose(scored(found), scored(exact), atol=0.01)
    tiny = DualAveragingClassifierCV([1e-1, 1e-13], cv=3, max_iter=3, tol=0, random_state=0).fit(X, y)
    assert tiny.search_.startswith("one by one: the largest entries")  # a penalty so small lets any word count


def test_what_small_columns_can_move_is_counted_over_a_row_with_weights_of_rows():
    dense = np.array([[4.0, 0.0, 0.01], [0.0, 0.02, -0.03], [2.0, 0.0, 0.0]])
    v = np.array([1.0, 3.0, 2.0])
    rows = make_rows(sp.csr_array(dense))
    means = v @ np.abs(dense) / v.sum()
    most = (np.abs(dense)[:, 1:] @ means[1:]).max() / scales.NEGLIGIBLE
    assert scales.uneven_factor(rows, v, 0.99 * most) == pytest.approx(4.0 / 0.02)
    assert scales.uneven_factor(rows, v, 1.01 * most) == 1.0


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


TWICE = [(np.arange(2).repeat(200), np.arange(400, 600))]


def scored(model):
    return model.cv_results_["mean_test_score"]


@pytest.mark.parametrize(
    ("n", "how", "said"),
    [
        (600, {}, "shared epochs"),
        (500, {}, "one by one: 500 rows are few"),
        (600, {"radius": 3.0}, "one by one: of the solver's settings, or the radius"),
        (600, {"solver": "sc-pda"}, "one by one: of the solver's settings, or the radius"),
        (600, {"l1_ratio": 1.0}, "one by one: l1_ratio=1"),
        (
            600,
            {"cv": TWICE},
            "one by one: a fold names a row twice",
        ),
    ],
    ids=["enough rows", "few rows", "radius", "solver", "l1", "a row twice"],
)
def test_the_model_says_which_search_it_was_and_why(n, how, said):
    X, y, _ = data(n=n)
    y[:2] = 0, 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert DualAveragingClassifierCV(**({"alphas": 2, "cv": 2} | how), random_state=0).fit(X, y).search_ == said


def test_the_model_names_the_scale_of_columns_and_the_unit_of_targets():
    X, _, t = data(n=600)
    sizes = np.abs(X).max(axis=0)
    alike = X / sizes * [0.011, 1.0, 1.0, 1.0, 1.0]
    apart = X / sizes * [0.005, 1.0, 1.0, 1.0, 1.0]
    assert DualAveragingRegressorCV([0.1, 0.01], cv=2).fit(alike, t).search_ == "shared epochs"
    assert DualAveragingRegressorCV([0.1, 0.01], cv=2).fit(apart, t).search_ == "shared epochs"  # it hardly matters
    said = DualAveragingRegressorCV([0.1, 1e-6], cv=2).fit(apart, t).search_
    assert said == "one by one: the largest entries of two columns differ by a factor of 200"
    said = DualAveragingRegressorCV([0.1, 0.01], cv=2, loss="quantile").fit(X, np.column_stack([t, 7 * t])).search_
    assert said == "one by one: the targets differ in the unit of alpha"


def test_with_several_l1_ratios_it_is_the_search_of_the_best():
    X, _, t = data(n=600, noise=0.1)
    for ratios in ([0.0, 1.0], [1.0, 0.0]):
        model = DualAveragingRegressorCV([1e-1, 1e-3], l1_ratio=ratios, cv=2, random_state=0).fit(X, t)
        assert model.search_.startswith("one by one" if model.l1_ratio_ == 1.0 else "shared")


@pytest.mark.parametrize("n", [400, 700], ids=["one by one", "shared epochs"])
@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_columns_without_entries_change_nothing_and_are_left_out(n, scoring, fit_intercept, monkeypatch):
    rng = np.random.default_rng(0)
    X, places = (
        sp.random_array((n, 30), density=0.2, rng=rng, format="csr"),
        np.sort(rng.choice(900, 30, replace=False)),
    )
    wide = sp.csr_array((X.data, places[X.indices], X.indptr), shape=(n, 900))
    y = np.argmax(X @ rng.normal(size=(30, 3)) + rng.normal(size=(n, 3)), axis=1)
    how = {"cv": 3, "scoring": scoring, "fit_intercept": fit_intercept, "random_state": 0}
    model = DualAveragingClassifierCV([1e-1, 1e-3], **how).fit(X, y)
    seen = []
    for name in ("in_one_pass", "one_at_a_time"):
        home = cross_validated if name == "in_one_pass" else search
        real = getattr(home, name)
        monkeypatch.setattr(
            home, name, lambda what, rows, *more, real=real: seen.append(rows.d) or real(what, rows, *more)
        )
    same = DualAveragingClassifierCV([1e-1, 1e-3], **how).fit(wide, y)
    assert seen == [30]
    assert same.search_ == model.search_
    np.testing.assert_allclose(scored(same), scored(model), atol=0.01)
    np.testing.assert_allclose(same.coef_[:, places], model.coef_, atol=1e-6)
    assert np.count_nonzero(same.coef_) == np.count_nonzero(same.coef_[:, places])


def test_where_time_is_short_columns_without_entries_are_left_out_too():
    rng = np.random.default_rng(0)
    X = sp.random_array((3000, 30), density=0.2, rng=rng, format="csr")
    wide = sp.csr_array((X.data, 20 * X.indices + 7, X.indptr), shape=(3000, 600))
    y = X @ rng.normal(size=30) > 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = DualAveragingClassifierCV([1e-2, 1e-3], scoring="accuracy", time_limit=0.0, random_state=0).fit(wide, y)
    assert model.search_ == "shared epochs"
    assert model.best_score_ > 0.7


def test_one_by_one_the_classes_of_a_fold_and_an_alpha_share_their_epochs(monkeypatch):
    rng = np.random.default_rng(2)
    X = sp.random_array((400, 150), density=0.1, rng=rng, format="csr")
    y = np.argmax(X @ rng.normal(size=(150, 8)) + 0.3 * rng.normal(size=(400, 8)), axis=1)
    monkeypatch.setattr("cesaro.linear.solvers.anchored.polish.pays", lambda *_: False)
    calls, solve = [], one_vs_rest.solve
    monkeypatch.setattr(one_vs_rest, "solve", lambda problems, *a: calls.append(len(problems)) or solve(problems, *a))
    found = DualAveragingClassifierCV([1e-2, 1e-3], cv=3, tol=1e-6, random_state=0).fit(X, y)
    assert calls == [8] * (3 * 2 + 1)
    theirs = GridSearchCV(DualAveragingClassifier(tol=1e-9, random_state=0), {"alpha": [1e-2, 1e-3]}, cv=3).fit(X, y)
    np.testing.assert_allclose(scored(found), scored(theirs), atol=1e-12)
    two = DualAveragingClassifierCV([1e-2, 1e-3], cv=3, tol=1e-6, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(scored(two), scored(found))
