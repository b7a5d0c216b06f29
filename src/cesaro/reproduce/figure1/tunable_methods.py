"""The paper's methods on a support vector machine with a step size and an anchor that can be tuned, sample by sample, in O(d).

    GDA, Pegasos, SC-RDA   x_{t+1} = x_t - c r_t (x_t + l_t/mu),                       r_t = gamma_t / Gamma_t
    SC-PDA                 v_t = (1 - r_t) v_{t-1} + r_t (x_t - c (x_t + l_t/mu)),     x_{t+1} = (A_t x_t + a_{t+1} v_t)/A_{t+1}
    PA-PSG                 v_t = (v_{t-1} - eta_t l_t) / (1 + mu eta_t),               eta_t = 1 / (mu t/(2c) + mu gamma_0)

c is the paper's step size a_k/(mu gamma_k) in units of 1/mu: 1 is the value that its theorems are about, a = gamma. l_t is the
subgradient of the loss of the row that was drawn, and gamma_0 the anchor.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from cesaro.linear.problem.problem import Problem

DUAL, PRIMAL, PROXIMAL = 0, 1, 2  # GDA's recursion, SC-PDA's, PA-PSG's


class PlainMethod(NamedTuple):
    """A method of the figure."""

    recursion: int
    linear: bool  # gamma_t = t, else 1
    output: str  # "weighted", "uniform" or "last"
    ball: bool = False  # projects on |x| <= 1/sqrt(mu)


METHODS = {
    "GDA": PlainMethod(DUAL, True, "weighted"),
    "GDA, uniform average": PlainMethod(DUAL, True, "uniform"),
    "SC-PDA": PlainMethod(PRIMAL, True, "last"),
    "Pegasos": PlainMethod(DUAL, False, "last"),
    "Pegasos, with its ball": PlainMethod(DUAL, False, "last", ball=True),
    "PA-PSG": PlainMethod(PROXIMAL, False, "last"),
    "SC-RDA": PlainMethod(DUAL, False, "uniform"),
}


class PlainRun:
    """A run of one method; `advance` takes as many samples as there are rows, drawn independently or reshuffled."""

    def __init__(
        self, problem: Problem, method: str, seed: int, step: float = 1.0, anchor: float = 0.0, reshuffled: bool = False
    ) -> None:
        self.problem, self.method = problem, METHODS[method]
        self.rng, self.reshuffled = np.random.default_rng(seed), reshuffled
        self.step, self.anchor = step, anchor
        self.vectors = np.zeros((3, problem.rows.d))  # x, v (PA-PSG: w), the output average
        self.sums = np.array([0.0, anchor, 0.0, 1.0])  # t, Gamma_t, A_t, and PA-PSG's A_t/a_t
        self.radius = problem.mu**-0.5 if self.method.ball else 0.0

    def advance(self) -> None:
        """One epoch."""
        n = self.problem.rows.n
        self.take_samples(self.rng.permutation(n) if self.reshuffled else self.rng.integers(n, size=n))

    def take_samples(self, samples: np.ndarray) -> None:
        """Take these rows, one after the other."""
        p, method = self.problem, self.method
        average = ("last", "uniform", "weighted").index(method.output)
        what = (method.recursion, method.linear, average, self.step, self.anchor, self.radius)
        rows = p.rows
        take(rows.data, rows.col, rows.ptr, p.y, p.mu, samples.astype(np.int64), what, self.vectors, self.sums)

    def output(self) -> np.ndarray:
        """The last point, or the average of those at which subgradients were taken."""
        return self.vectors[0 if self.method.output == "last" else 2]


@njit(cache=True, nogil=True, fastmath=True)
def take(data, col, ptr, y, mu, samples, what, vectors, sums):
    """Advance the vectors by one subgradient for every sample."""
    recursion, linear, average, c, anchor, radius = what
    x, v, mean = vectors[0], vectors[1], vectors[2]
    t, Gamma, A, total = sums[0], sums[1], sums[2], sums[3]
    for i in samples:
        t += 1.0
        gamma = t if linear else 1.0
        margin = 0.0
        for j in range(ptr[i], ptr[i + 1]):
            margin += data[j] * x[col[j]]
        l = -y[i] if y[i] * margin < 1.0 else 0.0  # noqa: E741
        Gamma += gamma
        A += gamma
        if average:
            share = 1.0 / t if average == 1 else gamma / A
            for k in range(x.shape[0]):
                mean[k] += share * (x[k] - mean[k])
        r = gamma / Gamma
        if recursion == 0:
            keep, rate = 1.0 - c * r, -c * r / mu * l
            for k in range(x.shape[0]):
                x[k] *= keep
            for j in range(ptr[i], ptr[i + 1]):
                x[col[j]] += rate * data[j]
            if radius > 0.0:
                norm = np.sqrt(np.sum(x * x))
                if norm > radius:
                    x *= radius / norm
            continue
        if recursion == 1:
            following = (t + 1.0) if linear else 1.0
            keep, from_x, rate, share = 1.0 - r, r * (1.0 - c), -c * r / mu * l, following / (A + following)
        else:
            eta = 1.0 / (mu * (t / (2.0 * c) + anchor))
            next_eta = 1.0 / (mu * ((t + 1.0) / (2.0 * c) + anchor))
            keep, from_x = 1.0 / (1.0 + mu * eta), 0.0
            rate, total = -keep * eta * l, 1.0 + total * keep * eta / next_eta
            share = 1.0 / total
        for k in range(x.shape[0]):
            v[k] = keep * v[k] + from_x * x[k]
        for j in range(ptr[i], ptr[i + 1]):
            v[col[j]] += rate * data[j]
        for k in range(x.shape[0]):
            x[k] += share * (v[k] - x[k])
    sums[0], sums[1], sums[2], sums[3] = t, Gamma, A, total
