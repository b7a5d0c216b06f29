"""Pegasos (Shalev-Shwartz, Singer, Srebro 2007), without and with its ball."""

import math
from dataclasses import dataclass

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Ball, Domain, Everywhere
from cesaro.domains.validation import positive
from cesaro.methods.method import StronglyConvexMethod
from cesaro.methods.psg import State
from cesaro.methods.schedule import StepWeights
from cesaro.vectors import combine
from cesaro.weights import Uniform


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class Pegasos(StronglyConvexMethod):
    """x_{t+1} = P( (1 - 1/t) x_t - l_t / (mu t) ),   l = g - mu x, and P on the ball of `radius` too, if one is set.

    A ball of sqrt(f(0)/mu) holds the solution of a regularised non-negative loss (1/sqrt(mu) for the hinge: `PegasosBall`).
    Output: the last x. Rate: log t / t.

    Parameters
    ----------
    radius : float or None
        Of the ball around 0 that every x is projected on, where a domain is given on the part of it inside the ball; None:
        no such ball.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro: Pegasos: primal estimated sub-gradient solver for SVM, ICML 2007,
    doi 10.1145/1273496.1273598.
    """

    radius: float | None = None
    rate = "log t / t"
    weights = Uniform()

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        x = combine((1.0, state.x), (-now.step / self.mu, g))
        return State(domain.project(x) if self.radius is None else project_within(domain, self.radius, x))


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class PegasosBall(Pegasos):
    """Pegasos as printed: every x is projected on the ball of radius 1/sqrt(mu), which holds the solution for the hinge loss.

    Output: the last x. Rate: log t / t. The uniform average is within M^2 (1 + log t) / (2 mu t) of the minimum, if |g| <= M.

    Parameters
    ----------
    radius : float
        Another radius, such as sqrt(f(0)/mu) for another loss.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro: Pegasos: primal estimated sub-gradient solver for SVM, ICML 2007,
    doi 10.1145/1273496.1273598.
    """

    def __post_init__(self) -> None:
        positive("mu", self.mu)
        radius = 1.0 / math.sqrt(self.mu) if self.radius is None else self.radius
        positive("radius", radius)
        object.__setattr__(self, "radius", radius)


def project_within(domain: Domain, radius: float, x: np.ndarray) -> np.ndarray:
    """The nearest point to x of those in the domain with |w| <= radius.

    It is P_Q(x / (1 + c)) for the least c >= 0 that brings it into the ball: c is the multiplier of the ball's constraint, and
    the point's norm does not increase with it.
    """
    if isinstance(domain, Everywhere):
        return Ball(radius).project(x)
    inside = domain.project(x)
    if np.linalg.norm(inside) <= radius:
        return inside
    low, high = 0.0, 1.0  # of 1 / (1 + c)
    if np.linalg.norm(domain.project(0.0 * x)) > radius:
        raise ValueError(
            f"no point of {domain} is in the ball of radius {radius:g} around 0: give Pegasos a larger one."
        )
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if np.linalg.norm(domain.project(middle * x)) <= radius else (low, middle)
    return domain.project(low * x)
