"""Projection onto the kinks of the rows whose dual value lies strictly inside its box."""

import numpy as np
import pytest
from independent_optimum import dense, objective
from linear_problems import classes, make
from solving import by_anchored

from cesaro import losses
from cesaro.linear.solvers.anchored.dual_state import SolverState
from cesaro.linear.solvers.anchored.kinks import project_onto_kinks, rows_at_a_kink


@pytest.mark.parametrize("loss", [losses.Hinge(), losses.EpsilonInsensitive(0.3), losses.Quantile(0.7)], ids=repr)
def test_a_projected_point_lies_on_the_kinks_of_the_rows_inside_their_box_and_is_better_near_the_optimum(loss):
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
