"""Numbers behind the paper's smaller statements: lemmas, constants, equations and remarks. The proofs are in docs/proofs.md.

An entry that ends in `ratio` is what was reached over what is allowed, the largest of all; more than 1 disproves. One that ends
in `excess` is by how much a left side is above its right side, relative to the size of its terms; more than rounding disproves.
"""

import math
from collections import defaultdict
from typing import Any

import numpy as np

from cesaro.domains import Ball, Box, Domain, Halfspace, Simplex
from cesaro.methods import GDA, PAPSG, PAPSGSC, PSG, SCPDA, SCRDA, AnytimePrinted, MirrorDescent, Schedule
from cesaro.reproduce.theorems.counterexamples import last_point
from cesaro.reproduce.theorems.recursions import definition_1, recursions_distance
from cesaro.reproduce.theorems.runs import Iterates, KnownProblem, random_problem, run_method
from cesaro.weights import Linear, Power, Uniform

STEPS = 100
EDITION = 3  # of what is computed here: numbers that another one has saved are not taken
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
        note_last_points(largest, problem)
        note_primal_averages(largest, problem)
        note_identities(largest, problem)
        largest.note("recursions distance", recursions_distance(problem))
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
    t, minimum, mu = np.arange(1.0, STEPS + 1), problem.minimum, problem.mu
    A = np.cumsum(t)
    gda = run_method(GDA(mu), problem, Linear(), STEPS)
    allowed = 2 * gradient_scale(gda, mu) / (t + 1)
    largest.note("gda constant ratio", np.cumsum(t * (gda.value - minimum)) / A / allowed)
    far = np.linalg.norm(gda.x - problem.w, axis=1)
    largest.note("m0 ratio", mu * far / np.sqrt(gda.gg))
    last = run_method(SCPDA(mu), problem, Linear(), STEPS)
    gap, C = last.value - minimum, 28 / 13 * gradient_scale(last, mu)
    largest.note("sc-pda constant ratio", gap * (t + 1) / C)
    largest.note("corollary 3 ratio", np.cumsum(gap) / t * t / (C * np.log(t + 1)))
    largest.note("remark 4 ratio", np.cumsum(t * gap) / A * (t + 1) / (2 * C))
    one = run_method(SCPDA(mu), problem, Uniform(), STEPS)
    allowed = gradient_scale(one, mu) * (2 + np.log(t)) / (2 * t)
    largest.note("sc-pda weights 1 ratio", (one.value - minimum) / allowed)
    printed = run_method(AnytimePrinted(mu), problem, Uniform(), STEPS)
    allowed = gradient_scale(printed, mu) * (1 + np.log(t)) / (2 * t)
    largest.note("equation 16 uniform average ratio", np.cumsum(printed.value - minimum) / t / allowed)
    largest.note("equation 16 last point ratio", (printed.value - minimum) / allowed)


def gradient_scale(path: Iterates, mu: float) -> np.ndarray:
    """M^2/mu, where M is the largest subgradient met so far."""
    return np.asarray(np.maximum.accumulate(path.gg) / mu)


def note_last_points(largest: Largest, problem: KnownProblem) -> None:
    """The last points of GDA, which keep a logarithm: (1.5) of docs/proofs.md."""
    t = np.arange(1.0, STEPS + 1)
    before = np.cumsum(1 / t) - 1 / t  # H_{t-1}
    for weights, name, allowed in (
        (Uniform(), "equation 16 last point proved ratio", (2 * before + 1) / (2 * t)),
        (Linear(), "gda last point ratio", (before + 2 * t / (t + 1)) / t),
    ):
        path = run_method(GDA(problem.mu), problem, weights, STEPS)
        largest.note(name, (path.value - problem.minimum) / (gradient_scale(path, problem.mu) * allowed))


def note_primal_averages(largest: Largest, problem: KnownProblem) -> None:
    """PA-PSG: (14) for (12) and for (13) as printed, and (13) with weights theta_t eta_t."""
    t, minimum = np.arange(1.0, STEPS + 1), problem.minimum
    start = float((problem.x0 - problem.w) @ (problem.x0 - problem.w)) / 2
    a = t**-0.5
    for name, path in (
        ("equation 14 ratio", run_method(PAPSG(), problem, Power(-0.5), STEPS)),
        ("equation 14 for (13) ratio", equation_13_as_printed(problem, a)),
    ):
        allowed = (start + np.cumsum(a**2 * path.gg) / 2) / np.cumsum(a)
        largest.note(name, (path.value - minimum) / allowed)
    own = PAPSGSC(problem.mu)
    path = run_method(own, problem, own.weights, STEPS)
    noise = (t + 1 + np.log(t)) * gradient_scale(path, problem.mu) / problem.mu
    allowed = 2 * problem.mu / (t * (t + 3)) * (start + noise)
    largest.note("equation 13 separate weights ratio", (path.value - minimum) / allowed)


def equation_13_as_printed(problem: KnownProblem, a: np.ndarray) -> Iterates:
    """PA-PSG for strongly convex functions with one sequence, a_t as the step and as the weight."""
    x = w = problem.x0
    A, found = np.cumsum(a), []
    for t in range(len(a)):
        value, g = problem.f(x)
        found.append((x, value, g @ g))
        w = problem.domain.project((w - a[t] * (g - problem.mu * x)) / (1 + problem.mu * a[t]))
        if t + 1 < len(a):
            x = (A[t] * x + a[t + 1] * w) / A[t + 1]
    return Iterates(*(np.array(each) for each in zip(*found, strict=True)))


def note_identities(largest: Largest, problem: KnownProblem) -> None:
    """Recursions that are printed as the same."""
    psg, mirror = (run_method(method, problem, Power(-0.5), STEPS).x for method in (PSG(), MirrorDescent()))
    largest.note("equation 6 distance", np.abs(psg - mirror))
    gda, printed = (run_method(kind(problem.mu), problem, Uniform(), STEPS).x for kind in (GDA, AnytimePrinted))
    largest.note("equation 15 distance", np.abs(gda - printed))
    own = run_method(SCPDA(problem.mu), problem, Uniform(), STEPS).x
    largest.note("equation 15 distance to the original", np.abs(gda - own))
    largest.note("sc-rda distance", sc_rda_distance(problem))


def sc_rda_distance(problem: KnownProblem) -> float:
    """Between SC-RDA and (15) as printed, from the same subgradients: at a tie rounding would choose another."""
    rda, printed, schedule, most = SCRDA(problem.mu), AnytimePrinted(problem.mu), Schedule(Uniform(), Uniform()), 0.0
    one, other = rda.start(problem.x0, 0.0), printed.start(problem.x0, 0.0)
    for t in range(1, STEPS + 1):
        g = problem.f(other.x)[1]
        one = rda.step(one, g + problem.mu * (one.x - other.x), schedule.at(t), problem.domain)
        other = printed.step(other, g, schedule.at(t), problem.domain)
        most = max(most, float(np.abs(one.x - other.x).max()))
    return most


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
        "last point": [list(last_point(weights, 200)) for weights in (Uniform(), Linear())],
        "leading constants": leading_constants(),
        "definition 1 ratio": definition_1(0.25),
    }
