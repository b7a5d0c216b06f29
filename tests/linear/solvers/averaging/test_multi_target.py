"""Models that share a schedule compute what they would alone."""

import numpy as np
import printed_formulas as formulas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cesaro import losses
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.mean_loss import objective_at as objective
from cesaro.linear.problem.problem import Problem, differ_in_targets_only
from cesaro.linear.solvers.averaging import multi_target
from cesaro.linear.solvers.averaging.variants import VARIANTS
from cesaro.linear.solvers.settings import Settings


def problems_of(case, rng, count):
    p = case.problem
    classes = type(p.loss) in losses.CLASSIFICATION.values()
    columns = [rng.choice([-1.0, 1.0], len(p.y)) if classes else rng.normal(size=len(p.y)) for _ in range(count)]
    return [p._replace(y=y) for y in columns]


class Linear:
    def relative(self, t):
        return (t + 1) / 2


@pytest.mark.parametrize("solver", VARIANTS)
@pytest.mark.parametrize("loss", formulas.LOSSES, ids=repr)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.sampled_from([1, 3, 17, 70]), weights=st.booleans(), bias=st.booleans())
def test_every_model_is_the_printed_formula_of_its_own_targets(solver, loss, seed, count, weights, bias):
    case = formulas.make_case(seed, loss, solver, weights=weights, bias=float(bias))._replace(gammas=[1.0, 2.0, 3.0])
    problems = problems_of(case, np.random.default_rng(seed), count)
    run = multi_target.MultiTargetSolver(
        problems, VARIANTS[solver]._replace(cubic=False), Linear(), np.random.default_rng(0)
    )
    run.begin(case.anchor)
    orders = []
    for _ in range(3):
        run.advance([])
        orders.append(run.orders.order.copy())
    for k in {0, count // 2, count - 1}:
        mine = case._replace(orders=orders, problem=problems[k]._replace(v=run.weight / (run.weight.sum() / run.count)))
        if not formulas.steady(mine):
            continue
        want = formulas.printed(mine)
        size = 1.0 + np.abs(want.w).max()
        np.testing.assert_allclose(run.outputs()[k], want.answer, rtol=0, atol=1e-10 * size)
        np.testing.assert_allclose(run.planes[k].S[1], want.s, rtol=0, atol=1e-10 * (1 + np.abs(want.s).max()))
        np.testing.assert_allclose(run.planes[k].c[1], want.c, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("solver", VARIANTS)
def test_all_gaps_are_proved(solver):
    case = formulas.make_case(21, formulas.LOSSES[0], solver, weights=True, bias=1.0)
    problems = problems_of(case, np.random.default_rng(2), 5)
    assert differ_in_targets_only(problems)
    for problem, fit in zip(
        problems, multi_target.solve(problems, Settings(solver=solver, tol=0.02, max_iter=3000)), strict=True
    ):
        assert fit.status == "converged"
        assert fit.objective == pytest.approx(objective(problem, fit.w), rel=1e-12)
        zero = objective(problem, 0 * fit.w)
        assert fit.objective - fit.lower_bound <= 0.02 * max(fit.objective, 1e-3 * zero)


def test_problems_that_differ_in_more_than_targets_are_not_alike():
    case = formulas.make_case(21, formulas.LOSSES[0], "gda")
    p = case.problem
    assert not differ_in_targets_only([p, p._replace(mu=1.0)])
    assert not differ_in_targets_only([p, p._replace(v=2 * p.v)])
    assert not differ_in_targets_only([p._replace(radius=1.0)])


def test_ctrl_c_leaves_the_best_points_so_far():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    whole = Problem(make_rows(X), X[:, 0], np.ones(200), losses.Hinge(), 1e-3)
    problems = [whole._replace(y=np.where(X[:, k] > 0, 1.0, -1.0)) for k in range(3)]

    def report(model, epoch, *_):
        if epoch >= 4:
            raise KeyboardInterrupt

    for fit in multi_target.solve(problems, Settings(solver="gda", tol=0.0, max_iter=50), report):
        assert fit.status == "interrupted"
        assert fit.lower_bound <= fit.objective < 0.5
