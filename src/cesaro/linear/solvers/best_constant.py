"""The best model without features: what is known of a class before any of its rows was looked at."""

import numpy as np

from cesaro.linear.problem.problem import Problem

FARTHEST, HALVINGS = 30.0, 60  # of a score, where the probability of a class is below 1e-13; how often that is halved


def best_constant(problem: Problem) -> tuple[np.ndarray, float] | None:
    """w, 0 but for the intercept, and its objective; None if w = 0 is as good, or there are no intercept or no labels."""
    bias, total = problem.rows.bias, float(problem.v.sum())
    if not bias or not (np.abs(problem.y) == 1.0).all():
        return None
    labels, loss = np.array([1.0, -1.0]), problem.loss
    parts = np.array([problem.v @ (problem.y > 0.0), problem.v @ (problem.y < 0.0)]) / total
    mu, radius = (problem.mu, problem.radius) if problem.penalize_intercept else (0.0, np.inf)

    def slope(weight: float) -> float:
        return float(bias * (parts @ loss.slope(bias * weight, labels)) + mu * weight)

    def value(weight: float) -> float:
        return float(parts @ loss.value(bias * weight, labels) + mu / 2.0 * weight**2)

    at_zero = slope(0.0)
    near, far = 0.0, -float(np.sign(at_zero)) * min(FARTHEST / abs(bias), radius)
    for _ in range(HALVINGS):
        middle = 0.5 * (near + far)
        near, far = (middle, far) if slope(middle) * at_zero > 0.0 else (near, middle)
    if not value(far) < value(0.0):
        return None
    w = np.zeros(problem.rows.width)
    w[-1] = far
    return w, value(far)
