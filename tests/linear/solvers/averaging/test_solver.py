"""The paper's solvers: what they prove is true, the gap closes, runs stop and resume."""

import numpy as np
import printed_formulas as formulas
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from solving import by_averaging as solve

from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.mean_loss import objective_at as objective
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.averaging.initial_anchor import mean_square
from cesaro.linear.solvers.averaging.solver import AveragingSolver
from cesaro.linear.solvers.averaging.variants import VARIANTS

seeds = st.integers(0, 2**32 - 1)


class Linear:
    """Weights 1, 2, 3, ..."""

    def relative(self, t):
        return (t + 1) / 2


@pytest.mark.parametrize("sampling", ["reshuffle", "replacement"])
@pytest.mark.parametrize("solver", VARIANTS)
@settings(max_examples=20, deadline=None)
@given(
    seed=seeds,
    loss=st.sampled_from(formulas.LOSSES),
    ball=st.booleans(),
    weights=st.booleans(),
    batch=st.sampled_from([1, 3]),
    mu=st.sampled_from([1e-3, 0.03, 1.0]),
    anchor=st.sampled_from(["auto", 0.0, 5.0]),
)
def test_no_point_lies_below_what_a_run_has_proved(sampling, solver, seed, loss, ball, weights, batch, mu, anchor):
    case = formulas.make_case(seed, loss, solver, ball=ball, weights=weights, bias=1.0)
    problem = case.problem._replace(mu=mu)
    fit = solve(
        problem, solver=solver, tol=0, max_iter=20, seed=seed, batch_size=batch, sampling=sampling, anchor=anchor
    )
    other = solve(problem, tol=1e-6, max_iter=300, seed=seed)
    lowest = min(other.objective, fit.objective)
    assert fit.lower_bound <= lowest * (1 + 1e-12)
    assert fit.objective == pytest.approx(objective(problem, fit.w), rel=1e-12)
    assert np.linalg.norm(fit.w) <= problem.radius * (1 + 1e-12)
    assert fit.lower_bound >= 0.0  # losses are not negative
    assert fit.n_iter == 20


@pytest.mark.parametrize("solver", VARIANTS)
@pytest.mark.parametrize("loss", formulas.LOSSES, ids=repr)
def test_the_proved_gap_closes(solver, loss):
    case = formulas.make_case(12, loss, solver, weights=True, bias=1.0)
    fit = solve(case.problem, solver=solver, tol=0.02, max_iter=3000)
    assert fit.status == "converged"
    zero = objective(case.problem, np.zeros(case.X.shape[1]))
    assert fit.objective - fit.lower_bound <= 0.02 * max(fit.objective, 1e-3 * zero)
    assert fit.history["objective"][-1] == fit.objective
    assert (np.diff(fit.history["lower_bound"]) >= 0).all()


@pytest.mark.parametrize("solver", ["gda", "sc-rda"])
def test_an_elastic_net_run_proves_its_gap(solver):
    case = formulas.make_case(3, formulas.LOSSES[0], solver, l1=True, bias=1.0)
    fit = solve(case.problem, solver=solver, tol=0.02, max_iter=3000)
    assert fit.status == "converged"
    assert fit.lower_bound <= solve(case.problem, tol=1e-4, max_iter=500).objective


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("loss", formulas.LOSSES, ids=repr)
def test_no_step_size_is_needed_whatever_the_scale_of_the_rows(size, loss):
    case = formulas.make_case(7, loss, "gda")
    rows = case.problem.rows._replace(data=case.problem.rows.data * size)
    for mu in (1e-8, 1.0, 1e4):
        problem = case.problem._replace(rows=rows, mu=mu)
        fit = solve(problem, tol=0, max_iter=5)
        assert np.isfinite(fit.w).all()
        assert fit.objective <= objective(problem, np.zeros(rows.width))


def test_weights_of_any_kind_do_not_overflow():
    class Doubling:
        def relative(self, t):
            return 2.0 - 2.0 ** (1 - t)

    case = formulas.make_case(5, formulas.LOSSES[0], "gda")
    fit = solve(case.problem, averaging=Doubling(), tol=0, max_iter=1500)
    assert np.isfinite(fit.w).all()
    assert fit.lower_bound <= fit.objective


def test_epoch_weights_are_those_of_the_printed_formula():
    case = formulas.make_case(9, formulas.LOSSES[4], "gda", weights=True)._replace(gammas=[1.0, 2.0, 3.0])
    share = case.problem.v / case.problem.v[case.problem.v > 0].mean()
    run = AveragingSolver(
        case.problem, VARIANTS["gda"]._replace(cubic=False), Linear(), False, np.random.default_rng(0)
    )
    run.begin(None, case.anchor)
    orders = []
    for _ in range(3):
        run.advance()
        orders.append(run.orders.order.copy())
    want = formulas.printed(case._replace(orders=orders, problem=case.problem._replace(v=share)))
    np.testing.assert_allclose(run.output(), want.answer, rtol=0, atol=1e-12)


def test_a_warm_start_goes_on_where_the_run_stopped():
    case = formulas.make_case(4, formulas.LOSSES[0], "gda")
    whole = solve(case.problem, tol=0, max_iter=6, seed=np.random.default_rng(1))
    rng = np.random.default_rng(1)
    half = solve(case.problem, tol=0, max_iter=3, seed=rng)
    rest = solve(case.problem, tol=0, max_iter=3, seed=rng, start=half.state)
    np.testing.assert_allclose(rest.state.zr, whole.state.zr, rtol=1e-12)
    other = solve(case.problem._replace(mu=0.1), tol=0, max_iter=3, start=half.state)
    assert np.isfinite(other.w).all()


def test_the_same_seed_gives_the_same_bits():
    case = formulas.make_case(4, formulas.LOSSES[0], "gda")
    first, second = (solve(case.problem, tol=0, max_iter=6, seed=8) for _ in range(2))
    np.testing.assert_array_equal(first.w, second.w)


def test_ctrl_c_and_the_clock_leave_a_usable_fit():
    def stop(epoch, f, lower):
        if epoch >= 3:
            raise KeyboardInterrupt

    case = formulas.make_case(4, formulas.LOSSES[0], "gda")
    fit = solve(case.problem, tol=0, max_iter=10**6, report=stop)
    assert fit.status == "interrupted"
    assert fit.objective <= objective(case.problem, 0 * fit.w)
    fit = solve(case.problem, tol=0, max_iter=10**7, time_limit=0.05)
    assert fit.status == "time_limit"
    assert fit.objective <= objective(case.problem, 0 * fit.w)


@pytest.mark.parametrize(("solver", "ball"), [("gda", True), ("sc-pda", False), ("pegasos", False)])
def test_an_l1_term_is_refused_where_it_is_not_sparse(solver, ball):
    case = formulas.make_case(4, formulas.LOSSES[0], solver, ball=ball, l1=True)
    with pytest.raises(ValueError, match="L1 term needs"):
        solve(case.problem, solver=solver)


def test_a_row_of_weight_zero_does_not_exist():
    case = formulas.make_case(11, formulas.LOSSES[0], "gda")
    p = case.problem
    absent = np.arange(len(p.y)) % 3 == 0
    garbage = p._replace(v=np.where(absent, 0.0, 1.0), y=np.where(absent, -p.y, p.y))
    alone = p._replace(v=garbage.v)
    np.testing.assert_array_equal(solve(garbage, tol=0, max_iter=4).w, solve(alone, tol=0, max_iter=4).w)


@pytest.mark.parametrize("solver", ["gda", "sc-pda"])
def test_a_run_of_many_rows_that_is_resumed_is_the_run(solver):
    """Many: then the next order depends on who moved w in the one before."""
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.normal(size=(20_000, 4)))
    y = np.where(X @ rng.normal(size=4) + 0.3 * rng.normal(size=20_000) > 0, 1.0, -1.0)
    problem = Problem(make_rows(X), y, np.ones(20_000), formulas.LOSSES[0], 1e-3)

    def fresh(epochs):
        run = AveragingSolver(problem, VARIANTS[solver], Linear(), False, np.random.default_rng(1))
        run.begin(None, 100.0)
        for _ in range(epochs):
            run.advance()
        return run

    whole, half, resumed = fresh(4), fresh(2), fresh(0)
    resumed.resume(half.state())
    for _ in range(2):
        resumed.advance()
    assert 0.05 < whole.orders.still / 20_000 < 0.95
    np.testing.assert_array_equal(np.sort(whole.orders.grouped), np.arange(20_000))
    np.testing.assert_array_equal(resumed.output(), whole.output())


def test_a_pass_puts_the_rows_apart_that_moved_w_and_those_that_did_not():
    case = formulas.make_case(4, formulas.LOSSES[0], "gda")
    run = AveragingSolver(case.problem, VARIANTS["gda"], Linear(), False, np.random.default_rng(0))
    run.begin(None, 1.0)
    run.advance()
    moved = np.flatnonzero(run.targets[:, 1])  # rows whose part of the average is not flushed
    assert 0 < len(moved) < run.count
    np.testing.assert_array_equal(np.sort(run.orders.grouped[run.orders.still :]), moved)
    np.testing.assert_array_equal(np.sort(run.orders.grouped), np.flatnonzero(case.problem.v))


def test_a_start_that_explodes_begins_again_until_the_steps_are_small_enough(monkeypatch):
    case = formulas.make_case(4, formulas.LOSSES[4], "gda", bias=1.0)
    zero = objective(case.problem, np.zeros(case.problem.rows.width))
    monkeypatch.setattr(
        "cesaro.linear.solvers.averaging.solver.first_step", lambda s: (1e8, mean_square(s.problem.rows, s.problem.v))
    )
    assert solve(case.problem, tol=0, max_iter=2).objective < 0.9 * zero


@pytest.mark.parametrize("ball", [False, True])
@pytest.mark.parametrize("solver", VARIANTS)
def test_over_many_columns_blocks_of_rows_are_the_printed_formula_and_a_run_resumed_is_the_run(solver, ball):
    rng = np.random.default_rng(0)
    n, d = 1100, 4200
    X = sp.random_array((n, d), density=0.002, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=d) > 0, 1.0, -1.0)
    problem = Problem(make_rows(X), y, np.ones(n), formulas.LOSSES[0], 0.01, 0.0, 2.0 if ball else np.inf)

    def fresh(epochs, orders):
        run = AveragingSolver(problem, VARIANTS[solver], Linear(), False, np.random.default_rng(1))
        run.begin(None, 100.0)
        for _ in range(epochs):
            run.advance()
            orders.append(run.orders.order.copy())
        return run

    orders = []
    run, half, resumed = fresh(3, orders), fresh(2, []), fresh(0, [])
    resumed.resume(half.state())
    resumed.advance()
    np.testing.assert_array_equal(resumed.output(), run.output())
    cubic = VARIANTS[solver].cubic
    case = formulas.Case(X.toarray(), problem, solver, orders, [1.0, 2.0, 3.0], 100.0, 1, cubic)
    want = formulas.printed(case)
    np.testing.assert_allclose(run.output(), want.answer, rtol=0, atol=1e-11 * np.abs(want.answer).max())
    assert run.bound() <= objective(problem, run.output())


def test_a_bound_of_several_epochs_is_one_of_their_mean():
    case = formulas.make_case(12, formulas.LOSSES[0], "sc-pda")._replace(gammas=[1.0, 2.0, 3.0])
    run = AveragingSolver(case.problem, VARIANTS["sc-pda"], Linear(), False, np.random.default_rng(0))
    run.begin(None, case.anchor)
    orders = []
    for _ in range(3):
        run.advance()
        orders.append(run.orders.order.copy())
    run.bound()
    want = formulas.printed(case._replace(orders=orders))
    planes = run.cuts.planes
    np.testing.assert_allclose(planes.S[2], want.s, rtol=0, atol=1e-12)
    assert planes.c[2] == pytest.approx(want.c, rel=1e-12)
