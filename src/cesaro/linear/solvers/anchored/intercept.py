"""The intercept as the anchored solver has it: whether it is free, and the constant feature that it is the weight of."""

import math

import numpy as np

from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.problem import Problem, objective
from cesaro.linear.solvers.anchored import kernels
from cesaro.linear.solvers.anchored.kernels import UNKNOWN, Q

RENEWALS = 150.0  # with 50 to 500 a proof takes as many epochs as without an intercept


def is_free(problem: Problem) -> bool:
    """Whether there is an intercept, without a penalty."""
    return problem.rows.bias != 0.0 and not problem.penalize_intercept


def with_suitable_bias(rows: Rows, record: np.ndarray, sample: np.ndarray, penalty: float, wide: bool) -> Rows:
    """The rows with a constant feature for a free intercept: the larger, the less the anchor holds the intercept back.

    Its square is an eighth of the other features', more where these have a `penalty`, n mu, that outweighs their anchor.
    But S over that square is how many rows it takes to renew the intercept: if they are few, it follows each of them, and
    wide rows, which have nothing else in common, all follow it. So there an epoch renews it `RENEWALS` times at most.
    """
    square = kernels.mean_square(rows._replace(bias=0.0), record, sample)
    record[sample, Q] = UNKNOWN
    if square == 0.0:
        return rows
    most = RENEWALS * (square / 2.0 + penalty) / rows.n if wide else math.inf
    return rows._replace(bias=math.sqrt(min(2.0 * square, (square + penalty) / 8.0, most)))


def penalized(w: np.ndarray, free: bool) -> np.ndarray:
    """The weights that the penalty and the ball are about: w (..., width) without a free intercept."""
    return w[..., :-1] if free else w


def objective_of(mean: float, w: np.ndarray, mu: float, l1: float, free: bool) -> float:
    """The objective at w, whose last entry is the intercept's."""
    return float(objective(mean, penalized(w, free), mu, l1, len(w) - 1))


def penalties(problem: Problem, width: int) -> np.ndarray:
    """mu of each weight."""
    mu = np.full(width, problem.mu)
    if is_free(problem):
        mu[-1] = 0.0
    return mu
