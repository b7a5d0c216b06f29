"""PSG, the projected subgradient method."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cesaro.domains import Domain
from cesaro.methods.method import ConvexMethod
from cesaro.methods.schedule import StepWeights
from cesaro.outputs import Average, Last, Output
from cesaro.vectors import combine
from cesaro.weights import Power, Weights


class State(NamedTuple):
    x: np.ndarray


@dataclass(frozen=True)
class PSG(ConvexMethod):
    """x_{t+1} = P_Q( x_t - a_t g_t ).                                                                   equation (5)

    The weights a_t are the step sizes: 1/sqrt(t), or 1/(mu t) where mu is given. Output: the a-weighted average for mu = 0,
    the last x for mu > 0. Rate: 1/sqrt(t) up to a logarithm, log t / t strongly convex.

    Parameters
    ----------
    mu : float
        Strong convexity of f, 0 if it is merely convex; it sets the default steps and output.

    References
    ----------
    Shor: Minimization methods for non-differentiable functions, Springer 1985.

    Its last point: Shamir, Zhang: Stochastic gradient descent for non-smooth optimization: convergence results and optimal
    averaging schemes, ICML 2013, arXiv 1212.1824.
    """

    rate = "1/sqrt(t), or log t / t"

    @property
    def weights(self) -> Weights:
        return Power(-1, 1 / self.mu) if self.mu else Power(-0.5)

    def output(self, weights: Weights) -> Output:
        return Last() if self.mu else Average(weights)

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        return State(domain.project(combine((1.0, state.x), (-now.eta, g))))
