"""Functions made against statements of the paper, and what the methods do on them.

Theorem 2 as printed, equation (8) with gamma_k, and Corollary 1 for the uniform average (docs/paper.md). One is made for a
remark: that the last point of dual averaging keeps the logarithm.
"""

import math
from collections.abc import Sequence

import numpy as np

from cesaro.domains import Ball
from cesaro.methods import DA, GDA, PDA, SCPDA, Method
from cesaro.reproduce.theorems.runs import KnownProblem, run_method, theorem_bound
from cesaro.weights import Linear, Uniform, Weights

FEW = 10  # steps


def against_theorem_2() -> KnownProblem:
    """max( -4/9 + w + w^2/2 , -(w + 2/3) + (w + 2/3)^2/2 ): minimum -4/9 at 0, where +1 is the subgradient taken."""

    def f(x: np.ndarray) -> tuple[float, np.ndarray]:
        w = float(x[0])
        left, right = -4 / 9 + w + w**2 / 2, -(w + 2 / 3) + (w + 2 / 3) ** 2 / 2
        return max(left, right), np.array([1 + w if left >= right else w - 1 / 3])

    return KnownProblem(f, 1.0, -4 / 9, np.zeros(1))


def kink_problem() -> KnownProblem:
    """w^2/2 + max(w, -pi w): minimum 0 at 0; a run passes the kink at times that never repeat."""

    def f(x: np.ndarray) -> tuple[float, np.ndarray]:
        w = float(x[0])
        return w * w / 2 + max(w, -math.pi * w), np.array([w + (1.0 if w >= 0 else -math.pi)])

    return KnownProblem(f, 1.0, 0.0, np.ones(1))


def theorem_2_as_printed(steps: int) -> dict[str, list[float]]:
    """SC-PDA on the function made against Theorem 2: what it reaches and what it is allowed."""
    problem = against_theorem_2()
    path = run_method(SCPDA(problem.mu), problem, Linear(), steps)
    printed, corrected = (theorem_bound(path.gg, Linear(), problem.mu, kind) for kind in (False, True))
    reached = path.value - problem.minimum
    return {"reached": reached.tolist(), "printed": printed.tolist(), "corrected": corrected.tolist()}


def equation_8_as_printed(steps: int) -> dict[str, list[float]]:
    """DA on |w| from its minimum 0 with a = 1, gamma = t: equation (8) has gamma_k where gamma_{k-1} is needed."""
    found = against_dual_averaging(DA(), steps)
    return {**found, "reached": (np.cumsum(found["reached"]) / np.arange(1.0, steps + 1)).tolist()}


def equation_11_as_printed(steps: int) -> dict[str, list[float]]:
    """The same function against PDA's last point: equation (11) has the same bound."""
    return against_dual_averaging(PDA(), steps)


def against_dual_averaging(method: Method, steps: int) -> dict[str, list[float]]:
    """A method on |w| from 0, where +1 is the subgradient taken, with a = 1 and gamma = t: its values, and both bounds."""
    problem = KnownProblem(lambda x: (abs(float(x[0])), np.where(x >= 0, 1.0, -1.0)), 0.0, 0.0, np.zeros(1))
    path, t = run_method(method, problem, Uniform(), steps, gamma=Linear()), np.arange(1.0, steps + 1)
    before = np.maximum(t - 1, 1)  # gamma_{k-1}, gamma_0 = gamma_1
    return {
        "reached": path.value.tolist(),
        "printed": (np.cumsum(path.gg / (2 * t)) / t).tolist(),
        "corrected": (np.cumsum(path.gg / (2 * before)) / t).tolist(),
    }


def corollary_1_on_the_kink(times: Sequence[int]) -> dict[str, list[float]]:
    """t (f - f*) after t steps, for the points that Corollaries 1 to 3 speak of."""
    problem, steps = kink_problem(), times[-1]
    t = np.arange(1.0, steps + 1)
    at = np.array(times) - 1

    def scaled(points: np.ndarray) -> list[float]:
        return [(k + 1) * float(problem.f(points[k : k + 1])[0]) for k in at]

    gda = run_method(GDA(1.0), problem, Linear(), steps).x[:, 0]
    linear, uniform = (run_method(SCPDA(1.0), problem, weights, steps).x[:, 0] for weights in (Linear(), Uniform()))
    return {
        "GDA, uniform average": scaled(np.cumsum(gda) / t),
        "GDA, weighted average": scaled(np.cumsum(t * gda) / np.cumsum(t)),
        "SC-PDA, last point": scaled(linear),
        "SC-PDA, last point, weights 1": scaled(uniform),
        "SC-PDA, uniform average": scaled(np.cumsum(linear) / t),
        "SC-PDA, weighted average": scaled(np.cumsum(t * linear) / np.cumsum(t)),
    }


def against_the_last_point(a: np.ndarray) -> KnownProblem:
    """|x|^2/2 + the largest <h_i, x> on the unit ball of R^T, after Harvey et al. 2019; its minimum is below f(0) = 0.

    h_i has b_j = a_j / (2 (a_j + ... + a_T)) before its i-th coordinate, -1 there and 0 after it. The oracle answers with the
    first h_i that is largest: the i-th at the i-th step.
    """
    b = a / (2 * np.cumsum(a[::-1])[::-1])
    rows = np.tril(np.tile(b, (len(a) + 1, 1)), -1)
    np.fill_diagonal(rows, -1.0)

    def f(x: np.ndarray) -> tuple[float, np.ndarray]:
        values = rows @ x
        first = int(np.argmax(values >= values.max() - 1e-12))
        return float(x @ x) / 2 + float(values.max()), x + rows[first]

    return KnownProblem(f, 1.0, 0.0, np.zeros(len(a)), Ball(1.0))


def last_point(weights: Weights, T: int) -> tuple[float, float, float]:
    """GDA's f(x_{T+1}) - f(0) on that function, what is proved of it from below, and the largest |g_k|, k <= T."""
    a = np.array([weights.weight(t) for t in range(1, T + 1)])
    path = run_method(GDA(1.0), against_the_last_point(a), weights, T + 1)
    proved = float(np.sum(a**2 / np.cumsum(a[::-1])[::-1]) / (4 * a.sum()))
    return float(path.value[-1]), proved, float(np.sqrt(path.gg[:-1].max()))
