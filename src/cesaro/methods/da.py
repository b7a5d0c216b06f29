"""DA, dual averaging (Nesterov 2009)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cesaro.domains import Domain
from cesaro.methods.method import Method
from cesaro.methods.schedule import StepWeights
from cesaro.outputs import Average
from cesaro.vectors import combine
from cesaro.weights import Power, Uniform, Weights


class State(NamedTuple):
    x: np.ndarray  # x_t
    s: np.ndarray  # sum_k a_k g_k / A_t
    x1: np.ndarray  # the prox center, 0 in print


@dataclass(frozen=True)
class DA(Method):
    """x_{t+1} = P_Q( x_1 - sum_k a_k g_k / gamma_t ),   d(x) = |x - x_1|^2 / 2, gamma not decreasing.    equation (7), Lemma 2

    Output: the a-weighted average (the printed bound needs gamma_{k-1} under |g_k|^2). Rate: 1/sqrt(t).

    Parameters
    ----------
    mu : float
        Strong convexity of f; this method does not need it.
    """

    mu: float = 0.0
    needs_mu = False
    rate = "1/sqrt(t)"
    weights = Uniform()

    def gamma(self, weights: Weights) -> Weights:
        return Power(0.5)

    def output(self, weights: Weights) -> Average:
        return Average(weights)

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0, np.zeros_like(x0), x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        s = combine((1.0 - now.share, state.s), (now.share, g))
        return State(domain.project(combine((1.0, state.x1), (-now.scale, s))), s, state.x1)
