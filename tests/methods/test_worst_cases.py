"""The worst cases of methods over all functions on R^n, by semidefinite programming (PEPit).

Without a constraint what a method asks and answers is linear in x_1, g_1, g_2, ...: a run on unit vectors has the coefficients.
"""

import math

import numpy as np
import pytest

from cesaro.domains import Everywhere
from cesaro.methods import GDA, PIWA, EpochGD, KnownHorizon, LinearDecay, OptimalRDA, Schedule
from cesaro.outputs import Last

PEPit = pytest.importorskip("PEPit")
functions = pytest.importorskip("PEPit.functions")

SOLVED = 2e-4  # the accuracy of a semidefinite program


def coefficients(method, steps):
    """The points asked, one row each, and the answer, in terms of x_1, g_1, ..., g_steps."""
    unit, memory, asked = np.eye(steps + 1), None, []
    schedule, output = Schedule(method.weights, method.gamma(method.weights), 0.0, steps), method.output(method.weights)
    state = method.start(unit[0], 0.0)
    for t in range(1, steps + 1):
        asked.append(state.x)
        memory = output.update(memory, state, t, 0.0)
        state = method.step(state, unit[t], schedule.at(t), Everywhere())
    return asked, getattr(state, output.of) if isinstance(output, Last) else output.point(memory)


def worst_case(method, steps):
    """The largest f(answer) - f* over all 1-strongly convex f with |g| <= 1 at the points asked and the answer, and all starts.

    Where a method needs no mu: over all convex f with Lipschitz constant 1, and all starts at the distance 1.
    """
    problem, convex = PEPit.PEP(), not method.needs_mu
    kind = functions.ConvexLipschitzFunction if convex else functions.StronglyConvexFunction
    f = problem.declare_function(kind, **({"M": 1.0} if convex else {"mu": 1.0}))
    best, known = f.stationary_point(), [problem.set_initial_point()]
    asked, answer = coefficients(method, steps)
    for row in [*asked, answer]:
        point = sum((float(c) * vector for c, vector in zip(row, known, strict=False)), start=0 * best)
        known.append(f.gradient(point))
        if not convex:
            problem.add_constraint(known[-1] ** 2 <= 1)
    if convex:
        problem.set_initial_condition((known[0] - best) ** 2 <= 1)
    problem.set_performance_metric(f(point) - f(best))
    return float(problem.solve(verbose=0))


@pytest.mark.parametrize("N", [1, 2, 5])
def test_the_worst_case_of_linear_decay_is_its_bound(N):
    assert worst_case(LinearDecay(), N) * math.sqrt(N + 1) == pytest.approx(1.0, abs=SOLVED)


@pytest.mark.parametrize(
    ("method", "steps", "bound"),
    [
        (GDA(1.0), 5, 2 / 6),
        (PIWA(1.0), 5, 3 / 6),
        (PIWA(1.0, 3.0), 2, 3.5 * (1 + 4) / (1 + 8)),
        (EpochGD(1.0), 4, 16 / 8),
        (EpochGD(1.0), 12, 16 / 16),
    ],
    ids=repr,
)
def test_no_worst_case_is_above_what_is_proved(method, steps, bound):
    assert 0.1 * bound < worst_case(method, steps) <= bound * (1 + SOLVED)


@pytest.mark.parametrize("method", [KnownHorizon(1.0), OptimalRDA(1.0)], ids=repr)
@pytest.mark.parametrize(("steps", "below"), [(1, 0.501), (4, 0.87), (12, 1.1)])
def test_worst_cases_of_the_methods_with_measured_constants_are_about_one_over_t(method, steps, below):
    """In units of M^2/mu: far below the constants 5 and 4 of the docstrings, and growing slowly."""
    assert 0.9 * below < steps * worst_case(method, steps) <= below
