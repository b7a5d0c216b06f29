"""Runs that test the theorems on problems whose minimum is known; the counterexamples are in `counterexamples`.

Everything here is a = gamma, so that the theorems' right-hand sides are  (1/2A_t) sum_k a_k^2/(mu Gamma_k) |g_k|^2,  with
Gamma_k as printed or Gamma~_k as corrected (docs/paper.md), and no distance to the solution is needed.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cesaro.domains import Ball, Domain, Everywhere
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.parallel import solve
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import Hinge
from cesaro.methods import GDA, SCPDA, Method, Schedule
from cesaro.weights import Linear, Weights

STEPS = 200  # on each random problem
Oracle = Callable[[np.ndarray], tuple[float, np.ndarray]]


class KnownProblem(NamedTuple):
    """f with its strong convexity and its minimum over the domain."""

    f: Oracle
    mu: float
    minimum: float
    x0: np.ndarray
    domain: Domain = Everywhere()
    w: Any = None  # the minimiser, where it is known


class Iterates(NamedTuple):
    """What a run met: its points x_k, the values there, |g_k|^2."""

    x: np.ndarray
    value: np.ndarray
    gg: np.ndarray


def random_problem(seed: int) -> KnownProblem:
    """mu/2 |w|^2 + the largest of a few affine functions, two to four of which meet at the solution.

    Their slopes are shifted so that 0 is in the subdifferential there, or, where the ball binds, an inward normal.
    """
    rng = np.random.default_rng(seed)
    d, mu, domain = int(rng.integers(1, 21)), float(10 ** rng.uniform(-2, 0.5)), (Everywhere(), Ball(1.0))[seed % 2]
    z = rng.normal(size=d)
    w, slopes, meet = domain.project(z), rng.normal(size=(8, d)), int(rng.integers(2, 5))
    slopes += w - z - mu * w - rng.dirichlet(np.ones(meet)) @ slopes[:meet]
    heights = -slopes @ w - np.where(np.arange(8) < meet, 0.0, rng.uniform(0, 2, 8))

    def f(x: np.ndarray) -> tuple[float, np.ndarray]:
        pieces = slopes @ x + heights
        top = int(np.argmax(pieces))
        return mu / 2 * float(x @ x) + float(pieces[top]), mu * x + slopes[top]

    return KnownProblem(f, mu, f(w)[0], domain.project(rng.normal(size=d)), domain, w)


def run_method(
    method: Method, problem: KnownProblem, weights: Weights, steps: int, gamma: Weights | None = None
) -> Iterates:
    """`steps` subgradients of a method."""
    schedule, state = Schedule(weights, gamma or weights), method.start(problem.x0, 0.0)
    x, value, gg = np.empty((steps, len(problem.x0))), np.empty(steps), np.empty(steps)
    for t in range(1, steps + 1):
        x[t - 1] = state.x
        value[t - 1], g = problem.f(state.x)
        gg[t - 1] = g @ g
        state = method.step(state, g, schedule.at(t), problem.domain)
    return Iterates(x, value, gg)


def theorem_bound(gg: np.ndarray, weights: Weights, mu: float, corrected: bool) -> np.ndarray:
    """The right-hand side of Theorems 1 and 2 after t = 1, 2, ... steps."""
    a = np.array([weights.weight(t) for t in range(1, len(gg) + 1)])
    A = np.cumsum(a)
    Gamma = A - a + a**3 / (a * (A - a) + a**2) if corrected else A
    bounds: np.ndarray = np.cumsum(a**2 / (mu * Gamma) * gg) / (2 * A)
    return bounds


def ratios(problems: int, steps: int) -> dict[str, Any]:
    """What was reached, over the bound, at every step: the largest and the median over random problems, a = gamma = t."""
    a = np.arange(1.0, steps + 1)
    found: dict[str, list[np.ndarray]] = {"theorem 1": [], "theorem 2 printed": [], "theorem 2 corrected": []}
    for seed in range(problems):
        problem = random_problem(seed)
        path = run_method(GDA(problem.mu), problem, Linear(), steps)
        reached = np.cumsum(a * (path.value - problem.minimum)) / np.cumsum(a)
        found["theorem 1"].append(reached / theorem_bound(path.gg, Linear(), problem.mu, False))
        path = run_method(SCPDA(problem.mu), problem, Linear(), steps)
        reached = path.value - problem.minimum
        found["theorem 2 printed"].append(reached / theorem_bound(path.gg, Linear(), problem.mu, False))
        found["theorem 2 corrected"].append(reached / theorem_bound(path.gg, Linear(), problem.mu, True))
    return {
        name: {"largest": np.max(rows, axis=0).tolist(), "median": np.median(rows, axis=0).tolist()}
        for name, rows in found.items()
    }


def sampled_runs(
    times: Sequence[int], repeats: int, n: int = 100, d: int = 5, mu: float = 0.1
) -> dict[str, list[float]]:
    """SC-PDA on a support vector machine with independent samples: means over so many runs, done at once.

    `explicit` is (28/13) G^2/(mu (t+1)); `violated` the share of the runs in which the printed lemma of Theorem 3 fails at t.
    """
    rng, weights, steps = np.random.default_rng(0), Linear(), times[-1]
    X = rng.normal(size=(n, d))
    y = np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0, 1.0, -1.0)
    fit = solve(Problem(make_rows(X), y, np.ones(n), Hinge(), mu), Settings(tol=1e-12))
    method, schedule = SCPDA(mu), Schedule(weights, weights)
    state, gg, reached, violated = method.start(np.zeros(repeats * d), 0.0), np.empty(steps), [], []
    before = state.x.reshape(repeats, d)

    def values(w: np.ndarray) -> np.ndarray:
        return np.asarray(mu / 2 * (w**2).sum(axis=1) + np.maximum(0.0, 1.0 - y * (w @ X.T)).mean(axis=1))

    for t in range(1, steps + 1):
        x = state.x.reshape(repeats, d)
        i = rng.integers(n, size=repeats)
        active = y[i] * (X[i] * x).sum(axis=1) < 1.0
        g = mu * x - (active * y[i])[:, None] * X[i]
        gg[t - 1] = (g**2).sum(axis=1).mean()
        if t in times:
            reached.append(float(values(x).mean() - fit.lower_bound))
            violated.append(float(np.mean((g * (before - x)).sum(axis=1) > values(before) - values(x) + 1e-12)))
        before = x
        state = method.step(state, g.ravel(), schedule.at(t), Everywhere())
    at = np.array(times) - 1
    printed, corrected = (theorem_bound(gg, weights, mu, kind)[at].tolist() for kind in (False, True))
    explicit = 28 / 13 * np.maximum.accumulate(gg)[at] / (mu * (at + 2))
    found = {"reached": reached, "printed": printed, "corrected": corrected}
    return {**found, "explicit": explicit.tolist(), "violated": violated}
