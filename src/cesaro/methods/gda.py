"""GDA, gradient descent averaging (Tao et al. 2021, Algorithm 1)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.methods.method import StronglyConvexMethod
from cesaro.methods.schedule import StepWeights
from cesaro.outputs import Average
from cesaro.vectors import combine
from cesaro.weights import Linear, Weights


class State(NamedTuple):
    x: np.ndarray  # x_t, where the next subgradient is taken
    v: np.ndarray  # (gamma_0 x_1 + sum_k gamma_k x_k - (a_k / mu) g_k) / Gamma_t


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class GDA(StronglyConvexMethod):
    """x_{t+1} = P_Q( v_t ),   v_t = (1/Gamma_t) sum_k gamma_k [ x_k - a_k / (mu gamma_k) g_k ].        equation (19)

    Output: the a-weighted average (Theorem 1; with the uniform one, Corollary 1, there is a logarithm in the rate). Rate: 1/t.

    References
    ----------
    Tao, Li, Pan, Tao: Gradient descent averaging and primal-dual averaging for strongly convex optimization, AAAI 2021,
    arXiv 2012.14558.

    Without a constraint and with weights t: Lacoste-Julien, Schmidt, Bach: A simpler approach to obtaining an O(1/t)
    convergence rate for the projected stochastic subgradient method, arXiv 1212.2002, 2012.
    """

    rate = "1/t"
    weights = Linear()

    def output(self, weights: Weights) -> Average:
        return Average(weights)

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0, x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        v = combine((1.0 - now.dual, state.v), (now.dual, state.x), (-now.step / self.mu, g))
        return State(domain.project(v), v)
