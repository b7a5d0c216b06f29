"""The anchor from the data. With weights constant in an epoch the first step, 1/(mu (gamma_0 + 1)), is the largest, so

    gamma_0 = mean|x|^2 / (eta mu) - 1      makes it   eta / mean|x|^2.

Which eta is best depends on the data (0.03 .. 3): candidates run as lanes over a sample of the rows; the best objective
there wins.
"""

import numpy as np
from numba import njit

from cesaro.compiled.flags import SCALAR
from cesaro.linear.problem.csr import square
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.averaging.kernels import ANCHOR, DONE, OUT, SCALE, SQUARE, How, step
from cesaro.linear.solvers.averaging.lanes import Lanes, fold_lanes, lane_losses, visit_lanes

CANDIDATES = 3.0 ** np.arange(-5, 5)


@njit(**SCALAR)
def mean_square(rows, v):
    """mean |x|^2 over the rows that exist, the intercept's feature included."""
    total, weight = 0.0, 0.0
    for i in range(v.shape[0]):
        if v[i] > 0.0:
            total += v[i] * square(rows, np.uint32(i))
            weight += v[i]
    return total / weight


def for_step(eta, R: float, mu: float):
    """gamma_0 of the largest step eta / R."""
    return np.maximum(0.0, R / (eta * mu) - 1.0)


def choose(problem: Problem, how: How, last: bool, share: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """(eta, mean |x|^2): eta by one epoch over a sample of the rows; `share` are the row weights with mean 1."""
    R = mean_square(problem.rows, share)
    exist = np.flatnonzero(share)
    size = min(len(exist), 5000, max(len(exist) // 10, 500))
    order = rng.choice(exist, size, replace=False, shuffle=True).astype(np.uint32)
    L, d = len(CANDIDATES), problem.rows.d
    zero = np.zeros(L, dtype=np.uint32)
    lanes = Lanes(np.full(L, problem.mu), zero, zero)
    W, S, work = np.zeros((d + 1, 2 * L)), np.zeros((8, L)), np.zeros((2, 2 * L))
    S[ANCHOR], S[SCALE] = for_step(CANDIDATES, R, problem.mu), 1.0
    Y, V, how = problem.y[:, None], share[:, None], how._replace(total=float(size))
    visit_lanes(problem.rows, Y, V, order, 1.0, how, lanes, W, S, work, 0)
    fold_lanes(W, S)
    if last:
        scale = [step(how, how.radius, problem.mu, S[ANCHOR, k] + S[DONE, k], 1.0, S[SQUARE, k])[0] for k in range(L)]
        points = W[:, :L] * scale
    else:
        points = np.ascontiguousarray(W[:, L:] / S[OUT])
    total = np.zeros(L)
    lane_losses(problem.rows, Y, V, order, how, lanes, points, work[0, :L], total)
    with np.errstate(over="ignore", invalid="ignore"):  # a candidate may explode: then it loses
        found = total / share[order].sum() + problem.mu / 2 * np.square(points).sum(axis=0)
    found[~np.isfinite(found)] = np.inf
    eta = float(CANDIDATES[np.argmin(found)])
    shorter = size / len(exist)  # a longer run wants smaller steps, all the more if they are averaged where they start
    return (eta if size >= 100 else min(eta, 1.0)) * (shorter if how.primal else shorter**0.5), R
