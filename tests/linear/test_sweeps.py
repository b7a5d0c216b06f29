"""Anchored dual sweeps: the coordinate step, the bound, the weak spots, the scale, the reference optima."""

import lzma
import runpy
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from compiled import compiled
from sklearn.datasets import load_svmlight_file
from solving import by_anchored

from cesaro import losses
from cesaro.linear.bounds.dual_bound import dual_bound
from cesaro.linear.problem import scalar_losses
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.anchored import kernels
from cesaro.linear.solvers.anchored.kinks import project_onto_kinks, rows_at_a_kink
from cesaro.linear.solvers.anchored.state import SolverState

(dual_update,) = compiled(scalar_losses.dual_update)
_reference = runpy.run_path(str(Path(__file__).with_name("independent.py")))
dense, objective, optimum = (_reference[name] for name in ("dense", "objective", "optimum"))
DATA = Path(__file__).parents[3] / "shared" / "data" / "libsvm"
OPTIMA = {
    ("a9a", 1e-2): 0.380703366164,
    ("a9a", 1e-4): 0.351761800467,
    ("a9a", None): 0.351150385340,
    ("ijcnn1", 1e-2): 0.239837496893,
    ("ijcnn1", 1e-4): 0.175811273709,
    ("ijcnn1", None): 0.171954475680,
    ("w8a", 1e-2): 0.239440835461,
    ("w8a", 1e-4): 0.144325891647,
    ("w8a", None): 0.132764208748,
}
EACH = [losses.ALL[name]() for name in losses.ALL] + [losses.Quantile(0.8), losses.Huber(1.35)]


def classes(rng, n, d, noise=0.5):
    X = rng.normal(size=(n, d))
    return X, np.where(X @ rng.normal(size=d) + noise * rng.normal(size=n) > 0, 1.0, -1.0)


def make(X, y, loss=None, mu=1e-2, v=None, bias=0.0, **more):
    rows = make_rows(X, bias)
    return Problem(rows, y, np.ones(len(y)) if v is None else v, loss or losses.Hinge(), mu, **more)


def a_problem(rng, kind, case):
    """A small random problem: with intercept or without, with weights of which some are 0; plain, L1, or in a ball."""
    n, d = int(rng.integers(1, 16)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7) * 10 ** rng.uniform(-1, 1)
    y = rng.choice([-1.0, 1.0], n) if kind in losses.CLASSIFICATION.values() else 3 * rng.normal(size=n)
    v = rng.choice([0.0, 1.0, 2.5], n)
    v[0] = 1.0
    l1 = 10 ** rng.uniform(-3, 0) if case == "l1" else 0.0
    radius = 10 ** rng.uniform(-1.5, 1) if case == "ball" else np.inf
    mu, bias = 10 ** rng.uniform(-3, 1), float(rng.choice([0.0, 1.0, 3.0]))
    return make(X, y, kind(), mu, v, bias, l1=l1, radius=radius)


def gap(fit):
    return (fit.objective - fit.lower_bound) / max(fit.objective, 1e-3 * fit.history["objective"][0])


@pytest.mark.parametrize("loss", EACH, ids=repr)
def test_the_step_of_every_loss_is_the_maximiser_of_the_dual_in_its_coordinate(loss):
    rng = np.random.default_rng(0)
    form = dual_form(loss)
    for _ in range(60):
        y = rng.choice([-1.0, 1.0]) if form.cap > 0.0 else rng.normal()
        z, H, b = 2 * rng.normal(), 10 ** rng.uniform(-3, 3), 0.1 * y

        def dual(b, y=y, z=z, H=H):
            return loss.conjugate(-b, y) + z * b + H * b**2 / 2

        grid = np.linspace(-5 - abs(y - z), 5 + abs(y - z), 20_001)
        grid = grid[np.argmin(dual(grid))] + np.linspace(-1e-2, 1e-2, 20_001)
        found = dual(np.array(dual_update(form, y, z, H, b)))
        assert found <= dual(grid).min() + 1e-9 * (1 + abs(found))


@pytest.mark.parametrize("loss", EACH, ids=repr)
def test_a_row_of_norm_zero_has_a_finite_feasible_dual_value(loss):
    form = dual_form(loss)
    for y in (-1.0, 1.0):
        assert np.isfinite(loss.conjugate(-dual_update(form, y, 0.0, 0.0, 0.0), y))


def test_the_step_of_log_loss_is_found_from_any_start_and_for_any_pull():
    rng = np.random.default_rng(1)
    for _ in range(500):
        m, H = rng.normal() * 10 ** rng.uniform(-2, 3), 10 ** rng.uniform(-8, 8)
        found = {round(dual_update(dual_form(losses.LogLoss()), 1.0, m, H, b), 7) for b in (0.0, 0.3, 1.0)}
        a = found.pop()
        assert not found or abs(found.pop() - a) < 1e-6
        assert 0.0 <= a <= 1.0


@pytest.mark.parametrize("case", ["plain", "l1", "ball"])
@pytest.mark.parametrize("kind", losses.ALL.values(), ids=lambda kind: kind.__name__)
def test_the_bound_is_never_above_an_independent_optimum_nor_the_objective_below_it(kind, case):
    rng = np.random.default_rng([list(losses.ALL.values()).index(kind), len(case)])
    for seed in range(4):
        problem = a_problem(rng, kind, case)
        _, f = optimum(problem)
        zero = objective(problem, np.zeros(problem.rows.width))
        for tol in (0.3, 1e-5):
            fit = by_anchored(problem, tol=tol, seed=seed, max_iter=2000)
            assert fit.objective == pytest.approx(objective(problem, fit.w), rel=1e-9, abs=1e-12)
            assert np.linalg.norm(fit.w) <= problem.radius * (1 + 1e-9)
            assert fit.lower_bound <= min(f, fit.objective) * (1 + 1e-11)
            assert fit.objective - fit.lower_bound >= fit.objective - f - 1e-11
            assert fit.status == "converged"
            assert gap(fit) <= tol
        assert fit.objective <= f + 2e-5 * max(f, 1e-3 * zero) + 1e-9


def test_the_bound_holds_for_any_dual_values_whatever():
    rng = np.random.default_rng(3)
    for case in ("plain", "l1", "ball"):
        for kind in losses.ALL.values():
            problem = a_problem(rng, kind, case)
            _, f = optimum(problem)
            X, q = dense(problem), problem.v / problem.v.sum()
            for _ in range(5):
                u = problem.loss.slope(rng.normal(size=len(q)) * 3, problem.y) * rng.random(len(q))
                g = np.zeros(problem.rows.d + 1)
                g[: X.shape[1]] = -(q * u) @ X
                D = -q @ problem.loss.conjugate(u, problem.y)
                assert dual_bound(D, g, problem.mu, problem.l1, problem.radius) <= f * (1 + 1e-9) + 1e-12


def test_rows_of_weight_zero_do_not_exist_and_integer_weights_are_repetitions():
    rng = np.random.default_rng(4)
    X, y = classes(rng, 80, 5)
    v = rng.integers(0, 4, 80).astype(float)
    weighted = by_anchored(make(X, y, v=v, bias=1.0), tol=1e-8)
    repeated = by_anchored(make(np.repeat(X, v.astype(int), 0), np.repeat(y, v.astype(int)), bias=1.0), tol=1e-8)
    assert weighted.objective == pytest.approx(repeated.objective, rel=2e-8)
    np.testing.assert_allclose(weighted.w, repeated.w, atol=2e-3)


@pytest.mark.parametrize("loss", EACH, ids=repr)
def test_weak_spots_are_solved_to_1e_6(loss):
    """Few rows with a tiny mu, nearly separable rows, rows whose norms spread over four orders of magnitude."""
    rng = np.random.default_rng(5)
    X, y = classes(rng, 200, 30, 3.0)
    few = make(X, y, loss, 0.1 / 200, bias=1.0)
    C = rng.integers(0, 5, (2000, 12)) + 5 * np.arange(12)
    X = sp.csr_array((np.ones(C.size), C.ravel(), np.arange(0, C.size + 1, 12)), shape=(2000, 60))
    s = X @ rng.normal(size=60)
    separable = make(X, np.where(s > np.median(s), 1.0, -1.0), loss, 0.1 / 2000)
    X, y = classes(rng, 1000, 20, 3.0)
    spread = make(X * 10 ** rng.uniform(-2, 2, (1000, 1)), y, loss, 1e-3)
    for problem in (few, separable, spread):
        fit = by_anchored(problem, tol=1e-3)
        assert fit.status == "converged"
        fit = by_anchored(problem, tol=1e-6, max_iter=20_000, time_limit=20.0)
        assert gap(fit) <= 1e-6


@pytest.mark.parametrize("power", [-150, -100, -10, 10, 100, 150])
@pytest.mark.parametrize("mu", [1e-12, 1e-3, 1e12])
@pytest.mark.parametrize("loss", [losses.Hinge(), losses.LogLoss(), losses.SquaredError()], ids=repr)
def test_extreme_scales_give_finite_answers_not_worse_than_zero(power, mu, loss):
    X, y = classes(np.random.default_rng(6), 40, 3)
    for bias in (0.0, 1.0):
        problem = make(X * 10.0**power, y, loss, mu, bias=bias)
        fit = by_anchored(problem, max_iter=30)
        assert np.isfinite(fit.w).all()
        zero = float(loss.value(np.zeros(40), y).mean())
        assert 0.0 <= fit.lower_bound <= fit.objective <= zero
        assert objective(problem, fit.w) <= zero * (1 + 1e-9)


@pytest.mark.parametrize("scale", [1e-100, 1e-2, 1e2, 1e100])
def test_scaling_X_and_mu_together_changes_nothing_but_the_unit_of_w(scale):
    X, y = classes(np.random.default_rng(7), 100, 4)
    fit, scaled = by_anchored(make(X, y), tol=1e-7), by_anchored(make(X * scale, y, mu=1e-2 * scale**2), tol=1e-7)
    assert scaled.objective == pytest.approx(fit.objective, rel=2e-7)
    np.testing.assert_allclose(scaled.w * scale, fit.w, atol=1e-3)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (5, 1)])
def test_one_row_and_one_feature(shape):
    rng = np.random.default_rng(8)
    problem = make(rng.normal(size=shape), np.ones(shape[0]), mu=0.1, bias=1.0)
    fit = by_anchored(problem, tol=1e-6)
    assert fit.status == "converged"
    assert fit.objective == pytest.approx(optimum(problem)[1], rel=1e-5)


def test_empty_rows_and_columns_are_harmless():
    X = np.zeros((6, 3))
    X[:3, 0] = [1.0, -1.0, 2.0]
    problem = make(X, np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0]), mu=0.1)
    fit = by_anchored(problem, tol=1e-8)
    assert fit.objective == pytest.approx(optimum(problem)[1], rel=1e-6)
    assert fit.w[1] == fit.w[2] == 0.0
    nothing = by_anchored(make(np.zeros((4, 2)), np.ones(4)), tol=1e-6)
    assert nothing.status == "converged"
    assert not nothing.w.any()


def test_the_same_seed_gives_the_same_bits_and_another_seed_another_path():
    X, y = classes(np.random.default_rng(9), 500, 10)
    one, same, other = (by_anchored(make(X, y, mu=1e-4), seed=seed) for seed in (3, np.random.default_rng(3), 4))
    assert one.w.tobytes() == same.w.tobytes()
    assert one.lower_bound == same.lower_bound
    assert one.w.tobytes() != other.w.tobytes()


def test_float32_rows_and_sparse_rows_give_the_same_answer_as_dense_ones():
    X, y = classes(np.random.default_rng(10), 300, 8)
    X = (X * (np.abs(X) > 0.5)).astype(np.float32)
    fits = [by_anchored(make(Z, y), tol=1e-7).objective for Z in (X, X.astype(float), sp.csr_array(X.astype(float)))]
    assert max(fits) - min(fits) <= 2e-7 * fits[0]


def test_an_interrupted_run_leaves_a_usable_fit_and_a_state_to_go_on_from():
    X, y = classes(np.random.default_rng(11), 2000, 20, 3.0)
    problem = make(X, y, mu=1e-5)
    seen = []

    def report(epoch, f, lower):
        seen.append((epoch, f, lower))
        if len(seen) == 3:
            raise KeyboardInterrupt

    fit = by_anchored(problem, tol=1e-9, report=report)
    assert fit.status == "interrupted"
    assert (fit.n_iter, fit.objective, fit.lower_bound) == seen[-1]
    assert fit.objective == pytest.approx(objective(problem, fit.w), rel=1e-12)
    on = by_anchored(problem, tol=1e-4, start=fit.state)
    assert on.status == "converged"
    assert on.history["lower_bound"][1] >= 0.99 * fit.lower_bound


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("done", [False, True])
def test_a_run_interrupted_before_its_first_evaluation_has_a_point_and_a_true_bound(number, done, monkeypatch):
    X, y = classes(np.random.default_rng(11), 2000, 20, 3.0)
    problem, calls, epoch = make(X, y, mu=1e-5), [], kernels.run_epoch

    def interrupted(rows, record, order, *more):
        calls.append(order)
        if len(calls) == number:
            if done:  # Ctrl-C is heard when the kernel has returned
                epoch(rows, record, order, *more)
            raise KeyboardInterrupt
        return epoch(rows, record, order, *more)

    best = by_anchored(problem, tol=1e-9, max_iter=5000)
    monkeypatch.setattr(kernels, "run_epoch", interrupted)
    fit = by_anchored(problem, tol=1e-9, anchor=2e6)
    assert fit.status == "interrupted"
    assert fit.objective == pytest.approx(objective(problem, fit.w), rel=1e-12)
    assert fit.lower_bound <= best.objective
    if number > 1 or done:
        assert fit.objective < 0.99
        assert fit.lower_bound > 0.0


def test_a_time_limit_ends_the_run_and_max_iter_counts_sweeps():
    X, y = classes(np.random.default_rng(12), 2000, 20, 3.0)
    fit = by_anchored(make(X, y, mu=1e-7), tol=1e-12, time_limit=0.0)
    assert fit.status == "time_limit"
    assert np.isfinite(fit.lower_bound)
    fit = by_anchored(make(X, y), tol=0.0, max_iter=7)
    assert (fit.n_iter, fit.status) == (7, "max_iter")
    assert (np.diff(fit.history["epoch"]) > 0).all()
    assert (np.diff(fit.history["objective"]) <= 0).all()
    assert (np.diff(fit.history["lower_bound"]) >= 0).all()


def test_a_warm_start_at_the_optimum_stops_after_the_first_look_and_survives_other_labels():
    X, y = classes(np.random.default_rng(13), 800, 10, 2.0)
    first = by_anchored(make(X, y, mu=1e-3), tol=1e-5)
    again = by_anchored(make(X, y, mu=1e-3), tol=1e-4, start=first.state)
    assert again.n_iter <= 2
    taken = by_anchored(make(X, -y, mu=1e-3), max_iter=0, start=first.state).state.b
    assert np.isfinite(losses.Hinge().conjugate(-taken, -y)).all()
    flipped = by_anchored(make(X, -y, mu=1e-3), tol=1e-5, start=first.state)
    assert flipped.objective == pytest.approx(first.objective, rel=2e-5)
    np.testing.assert_allclose(flipped.w, -first.w, atol=0.05)
    fewer = by_anchored(make(X[:500], y[:500], mu=1e-3), start=first.state)
    assert fewer.status == "converged"


def test_a_million_features_of_which_few_occur_cost_no_more_than_those():
    rng = np.random.default_rng(15)
    X, y = classes(rng, 300, 40)
    columns = np.sort(rng.choice(10**6, 40, replace=False))
    wide = sp.csr_array((X.ravel(), np.tile(columns, 300), np.arange(0, 12_001, 40)), shape=(300, 10**6))
    few, many = (by_anchored(make(Z, y, bias=1.0), tol=1e-6) for Z in (X, wide))
    assert many.w[columns].tobytes() == few.w[:-1].tobytes()
    assert np.count_nonzero(many.w) <= 41
    assert many.w[-1] == few.w[-1]
    assert by_anchored(make(wide, y, bias=1.0), tol=1e-5, start=many.state).n_iter <= 2


def test_without_a_quadratic_term_the_lasso_is_solved_and_proved():
    rng = np.random.default_rng(16)
    X = rng.normal(size=(100, 8))
    y = X[:, 0] + 2 * X[:, 3] + 0.1 * rng.normal(size=100)
    problem = make(X, y, losses.SquaredError(), 0.0, l1=0.1)
    fit = by_anchored(problem, tol=1e-5)
    assert fit.status == "converged"
    assert fit.lower_bound <= optimum(problem)[1] * (1 + 1e-9)
    assert fit.objective <= optimum(problem)[1] * (1 + 1e-4)
    assert np.flatnonzero(np.abs(fit.w) > 1e-3).tolist() == [0, 3]


@pytest.mark.parametrize("anchor", [0.0, 10.0, 1e5])
def test_any_anchor_reaches_the_same_optimum(anchor):
    X, y = classes(np.random.default_rng(14), 300, 5)
    auto, given = by_anchored(make(X, y), tol=1e-5), by_anchored(make(X, y), tol=1e-5, anchor=anchor, max_iter=20_000)
    assert given.status == "converged"
    assert given.objective == pytest.approx(auto.objective, rel=2e-5)


@pytest.mark.skipif(not DATA.exists(), reason="the LIBSVM data sets are not in ../shared/data")
@pytest.mark.parametrize("name", ["a9a", "ijcnn1", "w8a"])
def test_the_reference_optima_are_reached_and_proved(name):
    with lzma.open(DATA / f"{name}.xz") as file:
        X, y = load_svmlight_file(BytesIO(file.read()))
    y = np.where(y > y.min(), 1.0, -1.0)
    for mu in (1e-2, 1e-4, None):
        known, problem = OPTIMA[name, mu], make(X, y, mu=mu or 1 / len(y))
        for tol in (1e-3, 1e-6):
            fit = by_anchored(problem, tol=tol)
            assert fit.status == "converged"
            assert fit.lower_bound <= known * (1 + 1e-11) <= fit.objective * (1 + 2e-11)
            assert fit.objective <= known * (1 + tol)


@pytest.mark.parametrize("loss", [losses.Hinge(), losses.EpsilonInsensitive(0.3), losses.Quantile(0.7)], ids=repr)
def test_a_straightened_point_lies_on_the_kinks_of_the_rows_inside_their_box_and_is_better_near_the_optimum(loss):
    rng = np.random.default_rng(17)
    X, y = classes(rng, 400, 15, 2.0)
    problem = make(X, y, loss, 1e-3, bias=1.0)
    fit = by_anchored(problem, tol=1e-11, max_iter=20_000)
    run = SolverState(problem, 0)
    run.load_dual_values(fit.state.b)
    near = fit.state.w + 1e-4 * rng.normal(size=16)
    w, (rows, kink) = project_onto_kinks(run, near), rows_at_a_kink(run)
    assert 5 < len(rows) <= 16
    np.testing.assert_allclose(dense(problem)[rows] @ w, kink, atol=1e-7)
    assert objective(problem, w) - fit.objective < 0.1 * (objective(problem, near) - fit.objective)
    squared = SolverState(problem._replace(loss=losses.SquaredHinge()), 0)
    assert project_onto_kinks(squared, near) is near


@pytest.mark.parametrize("kind", losses.ALL.values())
@pytest.mark.parametrize("more", [{}, {"l1": 0.01}, {"radius": 0.4}], ids=["plain", "l1", "ball"])
def test_rows_of_ones_are_solved_as_with_their_values(kind, more, monkeypatch):
    rng = np.random.default_rng(0)
    X = sp.csr_array((rng.random((60, 6)) < 0.4).astype(float))
    y = rng.choice([-1.0, 1.0], 60) if kind in losses.CLASSIFICATION.values() else rng.normal(size=60)
    problem = make(X, y, kind(), 0.05, bias=1.0, **more)
    assert SolverState(problem, 0).rows.data is None
    without = by_anchored(problem, tol=0, max_iter=5)
    monkeypatch.setattr("cesaro.linear.solvers.anchored.state.without_redundant_arrays", lambda rows: rows)
    np.testing.assert_allclose(without.w, by_anchored(problem, tol=0, max_iter=5).w, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", losses.ALL.values())
def test_a_look_at_rows_of_different_lengths_goes_by_length_and_sees_what_it_sees_as_they_are_stored(kind):
    rng, n = np.random.default_rng(3), 20_000
    X = sp.random_array((n, 30), density=0.2, rng=rng, format="csr")
    y = rng.choice([-1.0, 1.0], n) if kind in losses.CLASSIFICATION.values() else rng.normal(size=n)
    run = SolverState(make(X, y, kind(), v=rng.choice([0.0, 1.0, 2.0], n), bias=1.0), 0)
    length = np.diff(run.rows.ptr)[run.evaluation_order]
    assert (np.diff(length) >= 0).all()
    run.recenter(np.zeros(31), 10.0)
    w, stored = run.run_epoch(first=True), np.empty_like(run.found_active)
    what = (w, run.loss, run.slack)
    *sorted_, k = kernels.evaluate(run.rows, run.record, run.evaluation_order, *what, run.found_active)
    *plain, count = kernels.evaluate(run.rows, run.record, None, *what, stored)
    assert k == count > 0
    np.testing.assert_array_equal(np.sort(run.found_active[:k]), stored[:k])
    np.testing.assert_allclose(sorted_, plain, rtol=1e-12)


def test_rows_of_one_length_few_rows_and_long_rows_are_looked_at_as_they_are_stored():
    rng = np.random.default_rng(0)
    for X in (np.ones((20_000, 3)), rng.random((500, 9)) < 0.3, long_rows(rng)):
        X = sp.csr_array(X.astype(float))
        assert SolverState(make(X, np.ones(X.shape[0])), 0).evaluation_order is None


def long_rows(rng):
    """Their lengths differ, but are about 100."""
    return rng.random((16_400, 200)) < rng.uniform(0.2, 0.8, (16_400, 1))
