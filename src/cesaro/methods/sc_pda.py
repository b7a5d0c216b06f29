"""SC-PDA, primal-dual averaging for strongly convex problems (Tao et al. 2021, Algorithm 2)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.methods.method import StronglyConvexMethod
from cesaro.methods.schedule import StepWeights
from cesaro.vectors import combine
from cesaro.weights import Linear


class State(NamedTuple):
    x: np.ndarray  # x_t, the primal average, where the next subgradient is taken
    v: np.ndarray  # the dual average before projection, as in GDA


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class SCPDA(StronglyConvexMethod):
    """Primal-dual averaging: subgradients are taken at the primal average.

        w_t = P_Q( (1/Gamma_t) sum_k gamma_k [ x_k - a_k / (mu gamma_k) g_k ] ),
        x_{t+1} = (A_t x_t + a_{t+1} w_t) / A_{t+1}.                                                    equation (23)

    Output: the last x (Theorem 2, with Gamma~ in place of Gamma). Rate: 1/t.

    References
    ----------
    Tao, Li, Pan, Tao: Gradient descent averaging and primal-dual averaging for strongly convex optimization, AAAI 2021,
    arXiv 2012.14558.
    """

    rate = "1/t"
    weights = Linear()

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0, x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        v = combine((1.0 - now.dual, state.v), (now.dual, state.x), (-now.step / self.mu, g))
        return State(combine((1.0 - now.primal, state.x), (now.primal, domain.project(v))), v)
