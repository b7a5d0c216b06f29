"""What a certified label rests on, held against fractions: predictions, objectives, changes of dual values."""

import math
from fractions import Fraction

import numpy as np
import pytest

from cesaro.linear import DualAveragingClassifier
from cesaro.linear.bounds.free_intercept import Plane, balanced, certain_sign
from cesaro.linear.bounds.intercept_interval import least_objective, predictions, upper_bound
from cesaro.linear.bounds.rounding import objective_error
from cesaro.linear.estimators.certified_predictions import LEAST, certified_labels, distances, row_norms
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.coordinate_descent.kernels import mean_loss_along
from cesaro.losses import Hinge, SquaredError, SquaredHinge


def dot(x, w):
    return sum((Fraction(a) * Fraction(b) for a, b in zip(x, w, strict=True)), Fraction(0))


def root(square):
    """Its square root to thirty digits."""
    return Fraction(math.isqrt(int(square * 10**60)), 10**30)


@pytest.mark.parametrize(("loss", "power"), [(Hinge(), 1), (SquaredHinge(), 2)])
def test_no_model_near_another_has_less_than_what_is_said_of_all_of_them(loss, power):
    """Predictions that are small differences of large numbers."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X, y = 1e3 * rng.normal(size=(6, 3)), np.array([1.0, -1.0] * 3)
        problem = Problem(make_rows(X, 1.0), y, np.ones(6), loss, 1e-6, penalize_intercept=False)
        w, r = np.append(rng.normal(size=3), 0.1), 1e3 * rng.uniform()
        p, lengths = np.empty(6), np.empty(6)
        predictions(problem.rows, problem.rows._replace(bias=0.0), w, p, lengths)
        t = float(-y[seed % 6] * r * lengths[seed % 6] - p[seed % 6])
        margins = [
            int(label) * (dot(x, w[:-1]) + Fraction(w[-1]) + Fraction(t)) + Fraction(r) * root(dot(x, x))
            for x, label in zip(X, y, strict=True)
        ]
        penalty = Fraction(problem.mu) / 2 * max(Fraction(0), root(dot(w[:-1], w[:-1])) - Fraction(r)) ** 2
        exact = penalty + sum(max(Fraction(0), 1 - margin) ** power for margin in margins) / 6
        assert Fraction(least_objective(problem, w, r)(p, lengths, t)) <= exact
        assert least_objective(problem, w, r)(p, lengths, t) >= float(exact) - 1e-6 * (1.0 + float(exact))


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7])
def test_an_objective_whose_losses_are_summed_one_after_the_other_is_no_further_off_than_is_said(value):
    n = 10**6
    p, s = np.full(n, 1.0 - value), np.full(n, 1.0 / n)
    problem = Problem(make_rows(np.ones((n, 1)), 0.0), np.ones(n), np.ones(n), Hinge(), 1e-3)
    summed = mean_loss_along(problem.y, s, dual_form(Hinge()), p, np.zeros(n), 0.0)
    off = abs(Fraction(summed) - n * Fraction(float(s[0])) * (1 - Fraction(float(p[0]))))
    assert off <= Fraction(objective_error(problem, np.zeros(2), summed))


@pytest.mark.parametrize("outside", [1e-12, 1e-6])
def test_a_point_that_rounding_left_outside_the_ball_does_not_lower_the_bound_of_the_optimum(outside):
    problem = Problem(make_rows(np.ones((1, 1)), 0.0), np.ones(1), np.ones(1), Hinge(), 1e-3, radius=0.5)

    def objective(w):
        return Fraction(problem.mu) / 2 * Fraction(w) ** 2 + 1 - Fraction(w)

    w = 0.5 * (1.0 + outside)
    assert objective(w) < objective(0.5)  # the optimum
    assert Fraction(upper_bound(problem, np.array([w]), float(objective(w)))) >= objective(0.5)
    assert upper_bound(problem, np.array([w]), float(objective(w))) < float(objective(0.5)) + 5.0 * outside + 1e-12


def test_of_a_row_that_is_too_small_for_its_digits_nothing_is_certified():
    X = np.array([[0.0, 0.0], [5e-324, 3e-320], [3e-200, 4e-200]])
    assert (row_norms(X, 0.0) >= [LEAST, LEAST, 5e-200]).all()
    scores = np.array([1e-305, 1e-305, 1e-199])
    _, proved = certified_labels(scores, row_norms(X, 0.0), 0.0, 1.0, np.zeros(1), 6)
    assert proved.tolist() == [False, False, True]


def test_a_distance_whose_squares_underflow_is_not_below_the_true_one():
    X, centers = np.array([[1e-170, 0.0], [3e-180, 4e-180], [3.0, 4.0]]), np.zeros((1, 2))
    found = distances(X, row_norms(X, 0.0), centers)[:, 0]
    assert (found >= [1e-170, 5e-180, 5.0]).all()
    assert found[2] < 5.0 + 1e-12


def test_the_rounding_of_a_free_intercept_is_not_scaled_by_a_short_row():
    """Scores 1 + 3 ulp and 1 for a row of length 1e-16, whose own parts are rounded away: exactly they are 2.01 ulp apart."""
    X, y = np.eye(3), np.arange(3)
    model = DualAveragingClassifier(alpha=1.0, max_iter=2, tol=0.0).fit(X, y)
    ulp = 2.0**-52
    model.coef_ = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    model.intercept_ = np.array([1.0 + 3.0 * ulp, 1.0, -9.0])
    model.dual_gap_, model.objective_, model._rounding = np.zeros(3), np.ones(3), 0.0
    model._row_centers = None
    x = np.array([[0.99 * ulp / 2.0, 0.0, 0.0]])
    model._intercept_reach = np.full(3, 1.2 * ulp)  # together 2.4 ulp
    assert not model.predict_certified(x)[1].any()
    model._intercept_reach = np.full(3, 1e-16 * ulp)
    model.intercept_[1] = 0.5
    assert model.predict_certified(x)[1].all()


def of_squares(seed):
    """Rows of squared errors whose conjugates are differences of large numbers; dual values at which they vanish, nearly."""
    rng = np.random.default_rng(seed)
    y = 10.0 ** rng.uniform(4, 8, 5)
    problem = Problem(make_rows(rng.normal(size=(5, 2)), 1.0), y, np.ones(5), SquaredError(), 1.0)
    return problem, 2.0 * y * (1.0 + 1e-15 * rng.integers(-4, 5, 5)), np.arange(5, dtype=np.uint32)


def conjugate(b, y):
    return Fraction(b) ** 2 / 2 - Fraction(b) * Fraction(y)


@pytest.mark.parametrize("direction", [-1.0, 1.0])
@pytest.mark.parametrize("off", [1e-12, 1e-9, 1e-3])
def test_one_dual_value_more_lowers_the_dual_by_no_more_than_is_counted(direction, off):
    for seed in range(200):
        problem, b, order = of_squares(seed)
        columns = (b, problem.y, problem.v, dual_form(problem.loss), order, 5)
        fall, far = certain_sign(problem.rows, *columns, direction, off)
        need = Fraction(off) * 5
        exact = conjugate(Fraction(b[0]) + Fraction(direction) * need, problem.y[0]) - conjugate(b[0], problem.y[0])
        assert Fraction(fall) >= exact / 5
        assert Fraction(far) ** 2 >= (need / 5) ** 2 * (1 + dot(problem.rows.data[:2], problem.rows.data[:2]))


def test_dual_values_that_are_changed_to_balance_give_no_larger_dual_than_their_own():
    for seed in range(200):
        problem, b, order = of_squares(seed)
        g = np.array([0.0, 0.0, 1e-3 * (-1.0) ** seed])
        plane = Plane(0.0, g.copy(), 0.0)
        total = 1.0  # the sum that is asked for: only few rows change, nothing is made certain
        found = balanced(plane, problem.rows, b, problem.y, problem.v, dual_form(problem.loss), order, 5, total)
        excess = g[2] * 5 - total
        exact, left = Fraction(0), excess
        for k in range(5):
            side = math.copysign(1.0, excess)
            part = min(side * left, abs(excess) / 5)
            new = b[k] - side * part
            exact += conjugate(b[k], problem.y[k]) - conjugate(new, problem.y[k])
            left += new - b[k]
        assert Fraction(found.D) <= exact / 5
