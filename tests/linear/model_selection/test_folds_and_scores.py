"""The grid, the folds and the scores of a search over alpha."""

import warnings

import numpy as np
import pytest
from estimator_data import searched_data as data
from sklearn.metrics import accuracy_score, make_scorer, r2_score
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold

from cesaro.linear import DualAveragingClassifier, DualAveragingClassifierCV, DualAveragingRegressorCV
from cesaro.linear.model_selection.folds import accuracy, folds_of, grid, r_squared


def test_the_default_grid_has_sixteen_values_from_a_tenth_to_a_tenth_of_a_row():
    X, y, _ = data()
    model = DualAveragingClassifierCV(random_state=0).fit(X, y)
    np.testing.assert_allclose(model.alphas_, np.geomspace(0.1, 1 / (10 * 200), 16))
    assert model.alpha_ in model.alphas_


def test_the_grid_follows_the_weights_as_if_rows_were_repeated():
    np.testing.assert_array_equal(grid(5, np.ones(300))[[0, -1]], [0.1, 0.1 / 300])
    with pytest.raises(ValueError, match="positive"):
        grid([0.1, -1.0], np.ones(10))


def test_the_grid_does_not_depend_on_the_unit_of_the_weights():
    X, y, _ = data(n=60)
    weights = np.full(60, 1 / 60)
    np.testing.assert_array_equal(
        DualAveragingClassifierCV(3, cv=2, random_state=0).fit(X, y, sample_weight=weights).alphas_,
        DualAveragingClassifierCV(3, cv=2, random_state=0).fit(X, y).alphas_,
    )


def test_a_best_alpha_at_the_edge_of_the_grid_is_told():
    X, _, t = data(noise=0.1)
    with pytest.warns(UserWarning, match=r"0.1, is at the edge of the grid: smaller"):
        DualAveragingRegressorCV([10.0, 1.0, 0.1], random_state=0).fit(X, t)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X, _, t = data(n=60, d=40, noise=3.0)
        assert DualAveragingRegressorCV([1e3, 0.3, 1e-9], random_state=0).fit(X, t).alpha_ == 0.3


def test_rows_without_weight_are_neither_learned_from_nor_scored_on():
    v = np.array([1.0, 0.0, 1.0, 1.0, 1.0, 0.0])
    folds = folds_of(KFold(3), np.zeros((6, 1)), None, v, classifier=False)
    np.testing.assert_array_equal(folds[0].test, [0])
    np.testing.assert_array_equal(folds[0].v, [0, 0, 1, 1, 1, 0])
    with pytest.raises(ValueError, match="positive sample weight"):
        folds_of(KFold(6), np.zeros((6, 1)), None, v, classifier=False)


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


def test_a_cv_without_folds_is_named():
    X, y, _ = data()
    with pytest.raises(ValueError, match=r"cv=\[\] gives no folds"):
        DualAveragingClassifierCV(cv=[]).fit(X, y)


def test_scores_are_scikit_learns():
    rng = np.random.default_rng(0)
    v, code, y = rng.uniform(0, 2, 50), rng.integers(0, 3, 50), rng.normal(size=(50, 2))
    margins, guess = rng.normal(size=(50, 4, 3)), rng.normal(size=(50, 4, 2))
    for k in range(4):
        by_hand = accuracy_score(code, margins[:, k].argmax(axis=1), sample_weight=v)
        assert accuracy(margins, code, v)[k] == pytest.approx(by_hand)
        assert r_squared(guess, y, v)[k] == pytest.approx(r2_score(y, guess[:, k], sample_weight=v))
    assert r_squared(np.ones((3, 1, 1)), np.ones((3, 1)), np.ones(3)) == pytest.approx(1.0)


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


def test_rows_of_a_class_without_weight_are_scored_by_what_the_models_say_of_them():
    """The models never predict that class: all its rows are wrong, and none is missing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 4))
    y = np.argmax(X[:, :3] + 0.1 * rng.normal(size=(1500, 3)), axis=1)
    model = DualAveragingClassifierCV([0.1, 0.01], class_weight={0: 0.0, 1: 1.0, 2: 1.0}, random_state=0).fit(X, y)
    assert 0.55 < model.best_score_ <= np.mean(y != 0)
