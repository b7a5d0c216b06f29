"""Numbers behind the paper's smaller statements: lemmas, constants, equations and remarks. The proofs are in docs/proofs.md.

An entry that ends in `ratio` is what was reached over what is allowed, the largest of all; more than 1 disproves. One that ends
in `excess` is by how much a left side is above its right side, relative to the size of its terms; more than rounding disproves.
"""

import math
from collections import defaultdict
from typing import Any

import numpy as np

from cesaro.domains import Ball, Box, Domain, Halfspace, Simplex
from cesaro.methods import GDA, PAPSG, PSG, SCPDA, AnytimePrinted, MirrorDescent, Schedule
from cesaro.reproduce.theorems.runs import KnownProblem, random_problem, run_method
from cesaro.weights import Linear, Power, Uniform

STEPS = 100
IRRATIONAL = {"pi": math.pi, "sqrt 2": math.sqrt(2), "e": math.e, "1/sqrt 2": math.sqrt(0.5)}


class Largest:
    """The largest value noted under each name."""

    def __init__(self) -> None:
        self.found: dict[str, float] = defaultdict(lambda: -math.inf)

    def note(self, name: str, value: Any) -> None:
        self.found[name] = max(self.found[name], float(np.max(value)))


def on_random_problems(problems: int) -> dict[str, float]:
    """The largest ratios and excesses over random problems with known solution."""
    largest = Largest()
    for seed in range(problems):
        problem = random_problem(seed)
        note_lemma_3(largest, problem)
        note_constants(largest, problem)
        note_identities(largest, problem)
    return dict(largest.found)


def note_lemma_3(largest: Largest, problem: KnownProblem) -> None:
    """Lemma 3 along a run of SC-PDA as printed, and with the term that is dropped there."""
    mu, method, schedule = problem.mu, SCPDA(problem.mu), Schedule(Linear(), Linear())
    state = method.start(problem.x0, 0.0)
    x_before, f_before, w_before = problem.x0, math.nan, problem.x0
    for t in range(1, STEPS + 1):
        x, A_before = state.x, t * (t - 1) / 2
        value, g = problem.f(x)
        state = method.step(state, g, schedule.at(t), problem.domain)
        w = problem.domain.project(state.v)
        if t > 1:
            left, right = t * g @ (x - w), A_before * (f_before - value) + t * g @ (w_before - w)
            dropped = mu * A_before / 2 * float((x_before - x) @ (x_before - x))
            size = abs(left) + A_before * (abs(f_before) + abs(value)) + abs(right) + 1e-300
            largest.note("lemma 3 excess", (left - right) / size)
            largest.note("lemma 3 with the term excess", (left - right + dropped) / size)
        x_before, f_before, w_before = x, value, w


def note_constants(largest: Largest, problem: KnownProblem) -> None:
    """The bounds with explicit constants, where M is the largest subgradient met so far."""
    t, minimum = np.arange(1.0, STEPS + 1), problem.minimum
    A = np.cumsum(t)

    def m(path: Any) -> np.ndarray:
        return np.asarray(np.maximum.accumulate(path.gg) / problem.mu)  # M^2 / mu

    gda = run_method(GDA(problem.mu), problem, Linear(), STEPS)
    largest.note("gda constant ratio", np.cumsum(t * (gda.value - minimum)) / A * (t + 1) / (2 * m(gda)))
    far = np.linalg.norm(gda.x - problem.w, axis=1)
    largest.note("m0 ratio", problem.mu * far / np.sqrt(gda.gg))
    last = run_method(SCPDA(problem.mu), problem, Linear(), STEPS)
    gap, C = last.value - minimum, 28 / 13 * m(last)
    largest.note("sc-pda constant ratio", gap * (t + 1) / C)
    largest.note("corollary 3 ratio", np.cumsum(gap) / t * t / (C * np.log(t + 1)))
    largest.note("remark 4 ratio", np.cumsum(t * gap) / A * (t + 1) / (2 * C))
    one = run_method(SCPDA(problem.mu), problem, Uniform(), STEPS)
    allowed = m(one) * (2 + np.log(t)) / (2 * t)
    largest.note("sc-pda weights 1 ratio", (one.value - minimum) / allowed)
    printed = run_method(AnytimePrinted(problem.mu), problem, Uniform(), STEPS)
    allowed = m(printed) * (1 + np.log(t)) / (2 * t)
    largest.note("equation 16 uniform average ratio", np.cumsum(printed.value - minimum) / t / allowed)
    largest.note("equation 16 last point ratio", (printed.value - minimum) / allowed)
    primal = run_method(PAPSG(), problem, Power(-0.5), STEPS)
    a = t**-0.5
    allowed = (far[0] ** 2 / 2 + np.cumsum(a**2 * primal.gg) / 2) / np.cumsum(a)
    largest.note("equation 14 ratio", (primal.value - minimum) / allowed)


def note_identities(largest: Largest, problem: KnownProblem) -> None:
    """Recursions that are printed as the same."""
    psg, mirror = (run_method(method, problem, Power(-0.5), STEPS).x for method in (PSG(), MirrorDescent()))
    largest.note("equation 6 distance", np.abs(psg - mirror))
    gda, printed = (run_method(kind(problem.mu), problem, Uniform(), STEPS).x for kind in (GDA, AnytimePrinted))
    largest.note("equation 15 distance", np.abs(gda - printed))
    own = run_method(SCPDA(problem.mu), problem, Uniform(), STEPS).x
    largest.note("equation 15 distance to the original", np.abs(gda - own))


def projections(trials: int = 200, d: int = 3) -> dict[str, float]:
    """Lemma 1 on four domains; the argmin forms (17) and (22) beside (19) and (23); Lemma 2 for two functions d."""
    rng, largest = np.random.default_rng(0), Largest()
    domains: tuple[Domain, ...] = (Ball(1.0), Box(-0.5, 1.0), Simplex(), Halfspace(np.ones(d), 0.3))
    for domain in domains:
        for _ in range(trials):
            v, u, points, g = 2 * rng.normal(size=(4, 5, d))
            u = np.array([domain.project(each) for each in u])
            p = domain.project(v[0])
            largest.note("lemma 1 excess", (u - p) @ (v[0] - p) / (1 + np.abs(v).max()) ** 2)
            a, gamma, mu = rng.uniform(0.1, 2, 5), rng.uniform(0.1, 2, 5), rng.uniform(0.1, 2)

            def model(w: np.ndarray, points: Any = points, ag: Any = a @ g, gamma: Any = gamma, mu: Any = mu) -> float:
                return float(ag @ w + mu / 2 * gamma @ ((w - points) ** 2).sum(axis=1))

            w = domain.project((gamma @ points - a @ g / mu) / gamma.sum())
            largest.note("argmin excess", [(model(w) - model(each)) / (1 + abs(model(w))) for each in u])
            s = v[1]
            w = domain.project(-s)
            largest.note("lemma 2 excess", [s @ w + w @ w / 2 - s @ each - each @ each / 2 for each in u])
    s, H = np.array([1.0, 1.0]), np.array([1.0, 4.0])
    return {**largest.found, "lemma 2 distance with another d": float(np.abs(-s / H + s).max())}


def per_decade(s: float, steps: int, power: int = 1) -> float:
    """By how much T (f - f*) of GDA's uniform average on w^2/2 + max(w, -s w) grows over the last factor of ten in T.

    `power` 1 is a = gamma = t, the step 2/(t+1); 0 is a = gamma = 1, the step 1/t.
    """
    x, total, found = 1.0, 0.0, []
    for t in range(1, steps + 1):
        total += x
        if t in (steps // 10, steps):
            mean = total / t
            found.append(t * (mean * mean / 2 + max(mean, -s * mean)))
        x -= (2.0 / (t + 1) if power else 1.0 / t) * (x + (1.0 if x >= 0 else -s))
    return found[1] - found[0]


def kappa(s: float) -> float:
    """What T (f - f*) / ln T tends to, a = gamma = t."""
    return s - 1 if s > 1 else s * (1 - s)


def equation_13(steps: int) -> list[float]:
    """PA-PSG (13) with a_t = 2/(mu t) on w^2/2 from 1: (f - f*) H_t^2 / (1/2) at a hundredth of the steps, and at the end."""
    x = w = 1.0
    A, H, found = 2.0, 1.0, []
    for t in range(1, steps + 1):
        if t in (steps // 100, steps):
            found.append(x * x * H * H)
        w /= 1 + 2.0 / t
        a = 2.0 / (t + 1)
        A, H = A + a, H + 1.0 / (t + 1)
        x += a / A * (w - x)
    return found


def leading_constants(t: int = 20_000) -> dict[str, list[float]]:
    """t times Theorem 1's bound for weights t^p over M^2/mu, beside (p+1)^2/(2p)."""
    k, found = np.arange(1.0, t + 1), {}
    for p in (0.5, 1.0, 2.0):
        A = np.cumsum(k**p)
        found[f"{p:g}"] = [float(t * np.sum(k ** (2 * p) / A) / (2 * A[-1])), (p + 1) ** 2 / (2 * p)]
    return found


def all_numbers(problems: int, steps: int) -> dict[str, Any]:
    """Everything above."""
    return {
        "random": on_random_problems(problems),
        "projections": projections(),
        "decade": {
            name: [per_decade(s, steps), kappa(s) * math.log(10), per_decade(s, steps, 0), kappa(s) * math.log(10) / 2]
            for name, s in IRRATIONAL.items()
        },
        "equation 13": equation_13(steps),
        "leading constants": leading_constants(),
    }
