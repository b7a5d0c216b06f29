"""The dual value is a lower bound at any dual point, with an L1 term or in a ball too."""

import numpy as np
from independent_optimum import dense, optimum
from linear_problems import a_problem

from cesaro import losses
from cesaro.linear.bounds.dual_bound import dual_bound


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
