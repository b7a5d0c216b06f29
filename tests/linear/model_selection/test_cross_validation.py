"""The cross-validated estimators: time limits, interrupts, seeds, classes' weights, several l1_ratios."""

import time
import warnings

import numpy as np
import pytest
from estimator_data import searched_data as data
from sklearn.exceptions import ConvergenceWarning

from cesaro.linear import DualAveragingClassifierCV, DualAveragingRegressorCV
from cesaro.linear.model_selection import search


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


def test_the_objectives_at_zero_are_found_once_for_all_alphas(monkeypatch):
    X, y, _ = data(n=300, classes=3)
    told, real, seen = [], search.value_at_zero, []
    monkeypatch.setattr(search, "value_at_zero", lambda problem: told.append(problem) or real(problem))

    def solve(problems, at_zero, *rest, **more):
        seen.extend(zip(problems, at_zero, strict=True))
        return solve_all(problems, at_zero, *rest, **more)

    solve_all = search.solve_all
    monkeypatch.setattr(search, "solve_all", solve)
    DualAveragingClassifierCV(alphas=7, cv=4, class_weight={0: 5.0, 1: 1.0, 2: 1.0}, loss="squared_hinge").fit(X, y)
    assert len(told) == 4 * 3
    assert len(seen) == 4 * 3 * 7
    assert [value for _, value in seen] == [real(problem) for problem, _ in seen]


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


def test_an_l1_ratio_that_is_given_twice_is_searched_twice():
    X, y, _ = data()
    twice = DualAveragingClassifierCV(alphas=3, l1_ratio=[0.5, 0.5, 0.1], random_state=0).fit(X, y)
    once = DualAveragingClassifierCV(alphas=3, l1_ratio=[0.5, 0.1], random_state=0).fit(X, y)
    assert len(twice.cv_results_["mean_test_score"]) == 9
    assert (twice.alpha_, twice.l1_ratio_, twice.best_score_) == (once.alpha_, once.l1_ratio_, once.best_score_)
