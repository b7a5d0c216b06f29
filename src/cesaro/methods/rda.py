"""RDA, regularised dual averaging (Xiao 2010), with r(x) = l1 |x|_1 + mu/2 |x|^2."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Ball, Box, Domain, Everywhere, Nonnegative
from cesaro.methods.da import DualAveragingMethod
from cesaro.methods.method import ConvexMethod
from cesaro.methods.schedule import StepWeights
from cesaro.outputs import Average
from cesaro.vectors import combine
from cesaro.weights import Weights


class State(NamedTuple):
    x: np.ndarray  # x_t
    l: np.ndarray  # noqa: E741   mean of the losses' subgradients


@complete(ConvexMethod)
@dataclass(frozen=True)
class RDA(DualAveragingMethod):
    """x_{t+1} = argmin_Q <(1/t) sum_k l_k, x> + r(x) + (gamma_t / t) |x|^2 / 2.                          equation (9)

    The objective contains r, so the oracle's g = l + mu x + l1 sign(x) (sign(0) = 0), and l is what is averaged.
    The prox center is 0, as printed, wherever x_1 is. Output: the uniform average. Rate: 1/sqrt(t).

    Parameters
    ----------
    l1 : float
        Weight of |x|_1 in r.

    References
    ----------
    Xiao: Dual averaging methods for regularized stochastic learning and online optimization, JMLR 11, 2010.
    """

    l1: float = 0.0

    def output(self, weights: Weights) -> Average:
        return Average(weights)

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0, np.zeros_like(x0))

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        mean = combine((1.0 - now.share, state.l), (now.share, loss_part(g, state.x, self.mu, self.l1)))
        return State(shrink(-mean, self.l1, self.mu + (1.0 / now.scale if now.scale else math.inf), domain), mean)


def loss_part(g: np.ndarray, x: np.ndarray, mu: float, l1: float) -> np.ndarray:
    """l = g - mu x - l1 sign(x)."""
    rest = combine((1.0, g), (-mu, x))
    return rest - l1 * np.sign(x) if l1 else rest


def shrink(u: np.ndarray, l1: float, curvature: float, domain: Domain) -> np.ndarray:
    """argmin_Q  curvature/2 |x|^2 - <u, x> + l1 |x|_1: soft threshold, scale, project."""
    if not l1:
        return domain.project(u / curvature)
    centered = isinstance(domain, Ball) and not np.any(domain.center)
    if not (centered or isinstance(domain, Everywhere | Box | Nonnegative)):
        raise ValueError(
            f"l1 > 0 needs a box or a ball around 0, where soft threshold and projection commute: got {domain}."
        )
    return domain.project(np.sign(u) * np.maximum(np.abs(u) - l1, 0.0) / curvature)
