"""The recursions of the related work as they are printed, step by step beside the methods; Definition 1 with a smaller norm."""

import numpy as np

from cesaro.domains import Box
from cesaro.methods import DA, GDA, PAPSG, PDA, PSG, Method, Schedule
from cesaro.reproduce.theorems.runs import KnownProblem, run_method, theorem_bound
from cesaro.weights import Linear, Power, Uniform, Weights

STEPS = 100
RUNS: tuple[tuple[Method, Weights, Weights], ...] = (  # with a_t and gamma_t
    (PSG(), Power(-0.5), Uniform()),
    (DA(), Uniform(), Power(0.5)),
    (PDA(), Uniform(), Power(0.5)),
    (PAPSG(), Power(-0.5), Uniform()),
)


def recursions_distance(problem: KnownProblem) -> float:
    """Between each step of PSG (5), DA (7), PDA (10) and PA-PSG (12) and its formula, at the points of the run."""
    return max(_distance(problem, *run) for run in RUNS)


def _distance(problem: KnownProblem, method: Method, weights: Weights, gamma: Weights) -> float:
    schedule, state, project = Schedule(weights, gamma), method.start(problem.x0, 0.0), problem.domain.project
    w, total, A, most = problem.x0, np.zeros_like(problem.x0), 0.0, 0.0
    for t in range(1, STEPS + 1):
        x, g, a = state.x, problem.f(state.x)[1], weights.weight(t)
        state = method.step(state, g, schedule.at(t), problem.domain)
        A, total, after = A + a, total + a * g, weights.weight(t + 1)
        if isinstance(method, (DA, PDA)):
            w = project(problem.x0 - total / gamma.weight(t))  # d = |w - x_1|^2 / 2
        else:
            w = project((x if isinstance(method, PSG) else w) - a * g)
        printed = w if isinstance(method, (PSG, DA)) else (A * x + after * w) / (A + after)
        most = max(most, float(np.abs(state.x - printed).max()))
    return most


def definition_1(part: float, far: float = 1.0) -> float:
    """What Theorem 1 allows at t = 1 is exceeded by this factor if Definition 1 has the norm sqrt(part) |.|, part < 1.

    On part (w - far)^2/2, which is then 1-strongly convex on [0, far], from 0.
    """
    problem = KnownProblem(
        lambda x: (part / 2 * float((x[0] - far) ** 2), part * (x - far)), 1.0, 0.0, np.zeros(1), Box(0.0, far)
    )
    path = run_method(GDA(1.0), problem, Linear(), 1)
    return float(path.value[0] / theorem_bound(path.gg, Linear(), 1.0, False)[0])
