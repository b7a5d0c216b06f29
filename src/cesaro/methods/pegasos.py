"""Pegasos (Shalev-Shwartz, Singer, Srebro 2007)."""

from dataclasses import dataclass

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Ball, Domain
from cesaro.methods.method import StronglyConvexMethod
from cesaro.methods.psg import State
from cesaro.methods.schedule import StepWeights
from cesaro.vectors import combine
from cesaro.weights import Uniform


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class Pegasos(StronglyConvexMethod):
    """x_{t+1} = P( (1 - 1/t) x_t - l_t / (mu t) ),   l = g - mu x, and P on the ball of `radius` if one is set.

    A ball of sqrt(f(0)/mu) holds the solution of a regularised non-negative loss (1/sqrt(mu) for the hinge).
    Output: the last x. Rate: log t / t.

    Parameters
    ----------
    radius : float or None
        Of the ball that every x is projected on; None: no such ball.
    """

    radius: float | None = None
    rate = "log t / t"
    weights = Uniform()

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        x = combine((1.0, state.x), (-now.step / self.mu, g))
        if self.radius is not None:
            x = Ball(self.radius).project(x)
        return State(domain.project(x))
