"""DA, dual averaging (Nesterov 2009)."""

from abc import ABC
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.methods.method import ConvexMethod
from cesaro.methods.schedule import StepWeights
from cesaro.outputs import Average
from cesaro.vectors import combine
from cesaro.weights import Power, Uniform, Weights


class State(NamedTuple):
    x: np.ndarray  # x_t
    s: np.ndarray  # sum_k a_k g_k / A_t
    x1: np.ndarray  # the prox center, 0 in print


class DualAveragingMethod(ConvexMethod, ABC):
    """What dual averaging has in common: subgradients count the same, and the prox weight grows like sqrt(t)."""

    rate = "1/sqrt(t)"
    weights = Uniform()

    def gamma(self, weights: Weights) -> Weights:
        return Power(0.5)


@complete(ConvexMethod)
@dataclass(frozen=True)
class DA(DualAveragingMethod):
    """x_{t+1} = P_Q( x_1 - sum_k a_k g_k / gamma_t ),   d(x) = |x - x_1|^2 / 2, gamma not decreasing.    equation (7), Lemma 2

    Output: the a-weighted average (the printed bound needs gamma_{k-1} under |g_k|^2). Rate: 1/sqrt(t).

    References
    ----------
    Nesterov: Primal-dual subgradient methods for convex problems, Mathematical Programming 120, 2009,
    doi 10.1007/s10107-007-0149-x.
    """

    def output(self, weights: Weights) -> Average:
        return Average(weights)

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0, np.zeros_like(x0), x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        s = combine((1.0 - now.share, state.s), (now.share, g))
        return State(domain.project(combine((1.0, state.x1), (-now.scale, s))), s, state.x1)
