"""Ctrl-C at any moment: control returns, and there is a whole model or the one from before. Time limits are about as strict."""

import signal
import threading
import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from estimator_data import data
from interrupted_fits import cases, compiled, interrupt
from linear_problems import make
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from cesaro import losses
from cesaro.linear import DualAveragingClassifier, DualAveragingClassifierCV
from cesaro.linear.estimators import intercept_bounds
from cesaro.linear.model_selection import path
from cesaro.linear.solvers import hurried_fits, parallel
from cesaro.linear.solvers.progress import Silence, watched_by
from cesaro.linear.solvers.settings import Settings

ENDLESS = {"alpha": 1e-7, "l1_ratio": 0.3, "tol": 1e-15, "max_iter": 10**7, "random_state": 0}


@pytest.mark.parametrize("name", cases())
def test_an_interrupt_at_a_random_moment_leaves_a_usable_model_or_the_one_from_before(name):
    model, classes = cases()[name]
    X, y, _ = data(n=4000, d=20, classes=classes, noise=3.0)
    compiled(model, X, y)
    rng = np.random.default_rng(list(cases()).index(name))
    for _ in range(2):
        assert interrupt(clone(model), X, y, float(rng.uniform(0.0, 0.3))).usable


def test_an_interrupt_that_python_forgets_ends_the_fit_all_the_same():
    """As in a callback of the garbage collector, whose exceptions are printed and dropped."""
    X, y, _ = data(n=2000, d=30, noise=3.0)
    compiled(DualAveragingClassifier(**ENDLESS), X, y)
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    timer = threading.Timer(0.5, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    try:
        with pytest.warns(ConvergenceWarning, match="interrupted"):
            model = DualAveragingClassifier(**ENDLESS | {"time_limit": 30.0}).fit(X, y)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert model.score(X, y) > 0.4


def test_the_handler_of_ctrl_c_is_the_old_one_afterwards():
    X, y, _ = data()
    before = signal.getsignal(signal.SIGINT)
    DualAveragingClassifier(tol=0, max_iter=2).fit(X, y)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("solver", ["anchored", "gda"])
def test_before_the_first_epoch_it_is_raised_and_nothing_has_changed(solver, monkeypatch):
    X, y, _ = data()
    model = DualAveragingClassifier(solver=solver, tol=0, max_iter=2).fit(X, y)
    before = dict(vars(model))

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    module = {"anchored": "anchored.solver.AnchoredSolver", "gda": "averaging.solver.AveragingSolver"}[solver]
    monkeypatch.setattr(f"cesaro.linear.solvers.{module}.evaluation_due", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert vars(model) == before


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_classes_that_had_not_begun_see_some_rows_and_their_objectives_are_true(n_jobs, monkeypatch):
    X, y, _ = data(n=3000, classes=6, noise=1.0)
    seen, real = [], parallel.Workers.solve_quickly
    monkeypatch.setattr(
        parallel.Workers, "solve_quickly", lambda self, few, how: seen.extend(few) or real(self, few, how)
    )

    class Impatient(Silence):
        def __call__(self, model, epoch, objective, lower_bound):
            if epoch >= 3:
                raise KeyboardInterrupt

    estimator = DualAveragingClassifier(alpha=1e-3, tol=1e-12, max_iter=300, n_jobs=n_jobs, penalize_intercept=True)
    with watched_by(Impatient), pytest.warns(ConvergenceWarning, match="interrupted"):
        estimator.fit(X, y)
    assert len(seen) >= 4
    assert all(problem.rows.n <= 3000 for problem in seen)
    for k, label in enumerate(estimator.classes_):
        scores = np.where(y == label, 1.0, -1.0) * (X @ estimator.coef_[k] + estimator.intercept_[k])
        penalty = 0.5e-3 * (np.square(estimator.coef_[k]).sum() + estimator.intercept_[k] ** 2)
        value = np.maximum(0.0, 1.0 - scores).mean() + penalty
        assert estimator.objective_[k] == pytest.approx(value, rel=1e-9)
        assert estimator.lower_bound_[k] <= value
    assert estimator.score(X, y) > 0.5


def test_a_class_of_which_nothing_is_known_has_the_score_of_its_share_and_not_0(monkeypatch):
    """A score of 0 would be above all those of rows that no other class claims."""
    X, y, _ = data(n=3000, classes=6, noise=1.0)
    monkeypatch.setattr(hurried_fits, "PATIENCE", 0.0)

    class Impatient(Silence):
        def __call__(self, model, epoch, objective, lower_bound):
            if model == 2:
                raise KeyboardInterrupt

    estimator = DualAveragingClassifier("log_loss", alpha=1e-3, tol=1e-12, max_iter=300, random_state=0)
    with watched_by(Impatient), pytest.warns(ConvergenceWarning, match="interrupted"):
        estimator.fit(X, y)
    unknown = ~estimator.coef_.any(axis=1)
    assert unknown.sum() == 2  # the third was interrupted, the fourth has seen a sample
    part = np.bincount(y)[unknown] / len(y)
    np.testing.assert_allclose(estimator.intercept_[unknown], np.log(part / (1.0 - part)))
    score, claimed = estimator.score(X, y), np.isin(estimator.predict(X), estimator.classes_[unknown]).sum()
    estimator.intercept_[unknown] = 0.0
    assert estimator.score(X, y) < score
    assert np.isin(estimator.predict(X), estimator.classes_[unknown]).sum() > 2 * claimed


def test_classes_for_which_no_time_is_left_see_some_rows(monkeypatch):
    X, y, _ = data(n=3000, classes=6, noise=1.0)
    groups, real = [], parallel.hurried
    monkeypatch.setattr(parallel, "hurried", lambda late, *rest: groups.extend(late) or real(late, *rest))
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        model = DualAveragingClassifier(alpha=1e-3, tol=1e-12, time_limit=1e-9).fit(X, y)
    assert [len(group) for group in groups] == [1] * 5
    assert model.score(X, y) > 0.4


@pytest.mark.parametrize("end", ["Ctrl-C", "time"])
def test_a_search_that_must_end_sees_and_scores_few_rows(end, monkeypatch):
    X, y, _ = data(n=40_000, d=6)
    sizes, real = [], path.cross_validate

    def visited(rows, Y, v, *rest, epochs, **more):
        sizes.append(np.count_nonzero(v) * epochs)
        if end == "Ctrl-C" and len(sizes) == 1:
            raise KeyboardInterrupt
        return real(rows, Y, v, *rest, epochs=epochs, **more)

    monkeypatch.setattr(path, "cross_validate", visited)
    limit = None if end == "Ctrl-C" else 1e-9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = DualAveragingClassifierCV(alphas=16, tol=1e-12, max_iter=1000, time_limit=limit).fit(X, y)
    assert sizes[-1] <= 12_500
    assert len(sizes) == (2 if end == "Ctrl-C" else 1)
    assert model.score(X, y) > 0.6


@pytest.mark.parametrize("left", [10.0, 0.05])
def test_the_intercept_is_bounded_after_a_fit_only_where_there_is_time_for_it(left, monkeypatch):
    X, y, _ = data(n=300)
    monkeypatch.setattr(intercept_bounds, "reach_seconds", lambda problem: 1.0)
    problem = make(X, 2.0 * y - 1.0, losses.LogLoss(), mu=1e-3, bias=1.0, penalize_intercept=False)
    fit = parallel.solve(problem._replace(l1=1e-3), Settings(tol=1e-6))
    settings = Settings(deadline=time.perf_counter() + left)
    (bound,) = intercept_bounds.intercept_bounds([problem], [fit], settings)
    assert np.isfinite(bound.reach) == (left > 1.0)


def test_a_search_keeps_its_time_limit():
    X, y, _ = data(n=100_000, d=10)
    model = DualAveragingClassifierCV(alphas=16, tol=1e-12, max_iter=10**6, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clone(model).set_params(time_limit=0.5).fit(X, y)  # compiled
        began = time.perf_counter()
        model.set_params(time_limit=1.0).fit(X, y)
    assert time.perf_counter() - began < 2.5  # other processes may have the machine too


def test_where_models_outgrow_the_cache_a_search_that_must_end_sees_fewer_rows(monkeypatch):
    seen, real = [], path.cross_validate

    def visited(rows, *rest, **more):
        seen.append(rows.n)
        if len(seen) == 1:
            raise KeyboardInterrupt
        return real(rows, *rest, **more)

    monkeypatch.setattr(path, "cross_validate", visited)
    rng = np.random.default_rng(0)
    for d in (2_000, 60_000):  # weights of 80 models: 1 MB, 20 MB
        X = sp.random_array((4000, d), density=100 / d, rng=rng, format="csr")
        X.data[:] = 1.0
        seen.clear()
        with pytest.warns(ConvergenceWarning, match="interrupted"):
            DualAveragingClassifierCV(tol=1e-12).fit(X, rng.integers(2, size=4000))
        assert seen[1] == (1250 if d == 2_000 else 375)
