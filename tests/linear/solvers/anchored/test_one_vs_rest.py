"""Classes that share their epochs: the bounds are true, the models those of each class by itself, threads change nothing."""

import gc
import time

import numpy as np
import pytest
import scipy.sparse as sp
from solving import by_anchored

from cesaro import DualAveragingClassifier, losses
from cesaro.linear.bounds.intercept_interval import (
    intercept_reach,
    intercept_reaches,
    predictions,
    predictions_of_models,
    write_columns,
)
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.mean_loss import objective_at
from cesaro.linear.problem.problem import ONE_VS_REST, Problem
from cesaro.linear.problem.scalar_losses import dual_update, fenchel_young
from cesaro.linear.solvers.anchored import class_kernels, one_vs_rest
from cesaro.linear.solvers.anchored.one_vs_rest import OneVsRestSolver
from cesaro.linear.solvers.driver import Solver
from cesaro.linear.solvers.settings import Settings

LOSSES = [kind() for kind in losses.CLASSIFICATION.values()]


def wide_rows(n=300, d=120, classes=6, seed=0):
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=0.1, rng=rng, format="csr")
    return X, np.argmax(X @ rng.normal(size=(d, classes)) + 0.3 * rng.normal(size=(n, classes)), axis=1)


def problems(loss, seed=0, bias=1.0, mu=1e-3):
    X, y = wide_rows(seed=seed)
    v, rows = np.random.default_rng(seed).choice([0.0, 1.0, 2.0], len(y)), make_rows(X, bias)
    return [Problem(rows, np.where(y == k, 1.0, -1.0), v, loss, mu, least_unit=ONE_VS_REST) for k in range(6)]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_values_are_those_of_the_points_and_bounds_are_below_every_optimum(loss, bias):
    for seed in range(3):
        given = problems(loss, seed, bias)
        for tol in (1e-1, 1e-3, 1e-6):
            for problem, fit in zip(given, one_vs_rest.solve(given, Settings(tol=tol, seed=seed)), strict=True):
                best = by_anchored(problem, tol=1e-10, max_iter=20_000)
                assert fit.objective == pytest.approx(objective_at(problem, fit.w), rel=1e-10)
                assert fit.lower_bound <= best.objective * (1.0 + 1e-11)
                assert best.lower_bound <= fit.objective * (1.0 + 1e-11)
                assert fit.status == "converged"
                assert fit.objective - fit.lower_bound <= tol * max(fit.objective, ONE_VS_REST)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("tol", [1e-7, 1e-9])
def test_what_single_precision_cannot_prove_each_class_proves_by_itself(loss, tol):
    given = problems(loss)
    for fit in one_vs_rest.solve(given, Settings(tol=tol)):
        assert fit.status == "converged"
        assert fit.objective - fit.lower_bound <= tol * max(fit.objective, ONE_VS_REST)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_epochs_keep_h_to_the_dual_values_which_are_feasible(loss):
    given = problems(loss)
    solver = OneVsRestSolver(given, Settings())
    for _ in range(3):
        solver.advance(list(range(6)))
    rows, record = given[0].rows, solver.record
    X = np.zeros((rows.n, rows.d + 1))
    for i in range(rows.n):
        X[i, rows.col[rows.ptr[i] : rows.ptr[i + 1]]] = rows.data[rows.ptr[i] : rows.ptr[i + 1]]
    X[:, -1] = rows.bias
    for c in range(6):  # h = K w_0 + sum v b x, and b is feasible
        w = np.append(solver.C[:, c], solver.intercept[c])
        h = np.append(solver.H[:, c], solver.h_intercept[c])
        np.testing.assert_allclose(
            h, solver.K[c] * w + X.T @ (record[:, 0] * solver.b[:, c]), rtol=1e-5, atol=1e-5 * np.abs(h).max()
        )
        assert np.isfinite(loss.conjugate(-solver.b[:, c].astype(float), given[c].y)).all()


def test_a_row_of_an_epoch_takes_the_best_dual_value():
    """The dual after an epoch of one row is the largest that this row's value can make it: a search finds no better."""
    rows, Y = make_rows(np.array([[2.0, -1.0]]), 1.0), np.array([[1.0] + [-1.0] * 15], np.float32)
    H, b, A = np.zeros((2, 16), np.float32), np.zeros((1, 16), np.float32), np.zeros((2, 16), np.float32)
    intercept, K, work, gaps = np.zeros(16), np.full(16, 2.0), np.zeros((6, 16), np.float32), np.zeros(16)
    for loss in LOSSES:
        H[:], b[:], intercept[:] = 0.0, 0.0, 0.0
        class_kernels.run_epoch_classes(
            rows, np.array([[1.0, 6.0]]), Y, np.array([0], np.uint32), H, intercept, b,
            loss.dual().in_single_precision(), K, 0.5, 0.0, 0, A, gaps, work,
        )  # fmt: skip
        for c, y in ((0, 1.0), (1, -1.0)):
            grid = y * np.linspace(1e-6, 1.0 - 1e-6, 4001) * (1.0 if loss.dual().bend == 0.0 else 4.0)
            dual = -loss.conjugate(-grid, np.full_like(grid, y)) - 6.0 * grid**2 / (2.0 * 2.5)
            assert b[0, c] == pytest.approx(grid[np.argmax(dual)], abs=2e-3)
            assert intercept[c] == pytest.approx(b[0, c], rel=1e-6)


@pytest.mark.parametrize("ones", [False, True])
def test_the_intercepts_reaches_are_those_of_each_class_by_itself(ones):
    given = [problem._replace(penalize_intercept=False) for problem in problems(losses.Hinge())]
    if ones:
        rows = given[0].rows._replace(data=np.ones_like(given[0].rows.data))
        given = [problem._replace(rows=rows) for problem in given]
    fits = one_vs_rest.solve(given, Settings(tol=1e-3))
    alone = [intercept_reach(problem, fit) for problem, fit in zip(given, fits, strict=True)]
    np.testing.assert_allclose(intercept_reaches(given, fits), alone, rtol=1e-9)
    assert np.isfinite(alone).all()
    rows, W, P, lengths = given[0].rows, np.zeros((given[0].rows.d + 1, 8)), np.empty((6, 300)), np.empty(300)
    write_columns([fit.w for fit in fits], W)
    predictions_of_models(rows, rows._replace(bias=0.0), W, np.empty(8), P, lengths)
    for fit, p in zip(fits, P, strict=True):
        one, same = np.empty(300), np.empty(300)
        predictions(rows, rows._replace(bias=0.0), fit.w, one, same)
        np.testing.assert_allclose(p, one, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(lengths, same)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("bias", [0.3, 1.0])
def test_reaches_from_predictions_that_an_evaluation_has_made_are_those_of_the_answers(loss, bias):
    v = np.random.default_rng(0).uniform(0.5, 2.0, 300)  # rows without weight are none
    given = [problem._replace(penalize_intercept=False, v=v) for problem in problems(loss, bias=bias)]
    found = 0
    for tol in (1e-1, 1e-3):
        fits, plain = (
            one_vs_rest.solve(given, Settings(tol=tol), None, True),
            one_vs_rest.solve(given, Settings(tol=tol)),
        )
        for problem, fit, same in zip(given, fits, plain, strict=True):
            assert same.intercept is None or same.intercept.center.any()
            assert (fit.objective, fit.lower_bound) == (same.objective, same.lower_bound)
            if fit.intercept is not None and not fit.intercept.center.any():
                assert fit.intercept.reach == pytest.approx(intercept_reach(problem, fit), rel=1e-6)
                found += 1
    assert found >= 6
    assert all(
        fit.intercept is None for fit in one_vs_rest.solve(given, Settings(tol=1e-1, time_limit=1e6), None, True)
    )


def test_steps_of_the_logistic_loss_are_those_of_one_class_at_a_time():
    rng, dual = np.random.default_rng(0), losses.LogLoss().dual()
    for _ in range(200):
        y, v, q = rng.choice([-1.0, 1.0], 16).astype(np.float32), rng.uniform(0.5, 2.0), 10.0 ** rng.uniform(-3.0, 2.0)
        s, m = 10.0 ** rng.uniform(-2.0, 0.0, 16), rng.normal(size=16) * 10.0 ** rng.uniform(-1.0, 2.0)
        b, gap, delta = (
            (y * rng.uniform(size=16)).astype(np.float32),
            np.zeros(16, np.float32),
            np.zeros(16, np.float32),
        )
        s, m, before = s.astype(np.float32), m.astype(np.float32), b.astype(float)
        class_kernels.step_classes(dual.in_single_precision(), v, q, y, s, 1.0 / s, m, gap, b, delta)
        for c in range(16):
            p, H = float(s[c]) * float(m[c]), q * float(s[c])
            best = dual_update(dual, float(y[c]), p - H * before[c], H, before[c])
            assert b[c] == pytest.approx(best, abs=1e-5)
            assert 0.0 <= y[c] * b[c] <= 1.0
            assert delta[c] == pytest.approx(v * (best - before[c]), abs=3e-5)
            assert gap[c] == pytest.approx(
                v * fenchel_young(dual, p, float(y[c]), before[c], best, H), rel=1e-2, abs=1e-5
            )


@pytest.mark.filterwarnings("ignore:.*label.* certified")  # at the default tol few are
def test_the_classifier_uses_it_on_wide_rows_whatever_the_number_of_threads(monkeypatch):
    X, y = wide_rows(n=400, d=150, classes=40, seed=2)
    monkeypatch.setattr("cesaro.linear.solvers.anchored.polish.pays", lambda *_: False)
    calls, solve = [], one_vs_rest.solve
    monkeypatch.setattr(one_vs_rest, "solve", lambda *a: calls.append(len(a[0])) or solve(*a))
    one = DualAveragingClassifier(alpha=1e-3, random_state=0).fit(X, y)
    assert sum(calls) == len(one.classes_) > 32
    assert max(calls) <= one_vs_rest.TOGETHER
    two = DualAveragingClassifier(alpha=1e-3, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    assert (one.relative_gap_ <= 1e-3).all()
    np.testing.assert_allclose(one.relative_gap_, one.dual_gap_ / np.maximum(one.objective_, 0.1), rtol=1e-12)
    assert (one.predict(X) == y).mean() > 0.9
    monkeypatch.undo()
    labels, proved = DualAveragingClassifier(alpha=1e-3, random_state=0, tol=1e-4).fit(X, y).predict_certified(X)
    exact = DualAveragingClassifier(alpha=1e-3, random_state=0, tol=1e-9).fit(X, y)
    assert proved.mean() > 0.9
    np.testing.assert_array_equal(labels[proved], exact.predict(X)[proved])


@pytest.mark.parametrize("done", [0, 1])
def test_an_interrupt_leaves_a_fitted_model(done, monkeypatch):
    """Before any class is done, and after one is."""
    X, y = wide_rows(n=400, d=150, classes=12, seed=2)
    monkeypatch.setattr("cesaro.linear.solvers.anchored.polish.pays", lambda *_: False)
    running_in, advance, evaluate = [], OneVsRestSolver.advance, OneVsRestSolver.evaluate

    def interrupted(self, running):
        advance(self, running)
        running_in.append(len(running))
        if len(running) == self.models - done:
            raise KeyboardInterrupt

    def proves_the_first(self, running, tol, last):
        found = evaluate(self, running, tol, last)
        if running[0] == 0 and done:
            found.lower_bound[0] = found.objective[0]
        return found

    monkeypatch.setattr(OneVsRestSolver, "advance", interrupted)
    monkeypatch.setattr(OneVsRestSolver, "evaluate", proves_the_first)
    with pytest.warns(UserWarning, match="interrupted"):
        model = DualAveragingClassifier(alpha=1e-3, tol=1e-9, random_state=0).fit(X, y)
    assert running_in[-1] == 12 - done
    assert np.isfinite(model.coef_).all()
    assert (model.lower_bound_ <= model.objective_).all()
    assert model.score(X, y) > 0.8


def test_a_time_limit_covers_the_classes_that_go_on_by_themselves(monkeypatch):
    given, limits, alone = problems(losses.Hinge()), [], one_vs_rest.solve_one
    monkeypatch.setattr(one_vs_rest, "FEWEST", 6)
    monkeypatch.setattr(one_vs_rest, "solve_one", lambda p, s, *more: limits.append(s.ends) or alone(p, s, *more))
    ends = time.perf_counter() + 100.0
    one_vs_rest.solve(given, Settings(tol=1e-6, time_limit=100.0))
    assert len(limits) == 6
    assert len(set(limits)) == 1  # one deadline for all of them
    assert ends <= limits[0] < ends + 1.0


def test_no_solver_is_kept_when_the_fit_is_done():
    """Their vectors are as large as the coefficients; a cycle of references would keep them until Python collects it."""
    X, y = wide_rows(n=600, classes=20)
    DualAveragingClassifier().fit(X, y)
    gc.collect()
    gc.disable()
    try:
        DualAveragingClassifier().fit(X, y)
        DualAveragingClassifier().fit(X, y > 3)
        assert not [thing for thing in gc.get_objects() if issubclass(type(thing), Solver)]
    finally:
        gc.enable()
