"""PA-PSG for strongly convex problems (Tao et al. 2020), with the averaging weights that its rate needs."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.methods.method import StronglyConvexMethod
from cesaro.methods.schedule import StepWeights
from cesaro.vectors import combine
from cesaro.weights import Power, Weights


class State(NamedTuple):
    x: np.ndarray  # x_t, the average, where the next subgradient is taken
    w: np.ndarray  # w_{t-1}
    total: float  # A_t / a_t for the weights a_k = theta_k eta_k


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class PAPSGSC(StronglyConvexMethod):
    """Primal averaging of a proximal subgradient method.

        w_t = P_Q( (w_{t-1} - eta_t l_t) / (1 + mu eta_t) ),   l_t = g_t - mu x_t,                    equation (13)
        x_{t+1} = average of w_0, w_1, ..., w_t with weights theta_k eta_k,   theta_{k+1} = theta_k (1 + mu eta_k).

    The weights are the step sizes eta_t = 2/(mu t). Print has one a_t for step and weight; with a_t = c/(mu t) that is no
    faster than 1/log(t)^2, and the bound that is printed with it gives 1/sqrt(t) at best (docs/proofs.md).
    Output: the last x. Rate: 1/t.

    References
    ----------
    Tao, Pan, Wu, Tao: Primal averaging: a new gradient evaluation step to attain the optimal individual convergence, IEEE
    Transactions on Cybernetics 50, 2020, doi 10.1109/TCYB.2018.2874332.
    """

    rate = "1/t"

    @property
    def weights(self) -> Weights:
        return Power(-1, 2 / self.mu)

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0, x0, 1.0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        shrunk = 1.0 / (1.0 + self.mu * now.eta)
        w = combine((shrunk, state.w), (-shrunk * now.eta, g), (shrunk * self.mu * now.eta, state.x))
        w = domain.project(w)
        total = (
            1.0 + state.total * shrunk * now.eta / now.eta_next
        )  # a_t / a_{t+1} = eta_t / (eta_{t+1} (1 + mu eta_t))
        return State(combine((1.0 - 1.0 / total, state.x), (1.0 / total, w)), w, total)
