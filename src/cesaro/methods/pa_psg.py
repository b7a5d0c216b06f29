"""PA-PSG, primal averaging over the projected subgradient method (Tao et al. 2020)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.methods.method import ConvexMethod
from cesaro.methods.schedule import StepWeights
from cesaro.vectors import combine
from cesaro.weights import Power


class State(NamedTuple):
    x: np.ndarray  # x_t, the average, where the next subgradient is taken
    w: np.ndarray  # w_{t-1}, the subgradient method's own point


@complete(ConvexMethod)
@dataclass(frozen=True)
class PAPSG(ConvexMethod):
    """Primal averaging of the projected subgradient method: subgradients are taken at the average.

        w_t = P_Q( w_{t-1} - a_t g_t ),   x_{t+1} = (A_t x_t + a_{t+1} w_t) / A_{t+1}.                  equation (12)

    Output: the last x. Rate: f(x_t) - f* <= (|x_1 - w*|^2/2 + sum a_k^2 |g_k|^2/2) / A_t, equation (14): log t / sqrt(t)
    for the default a_t = 1/sqrt(t), and 1/sqrt(N) for a constant a = c/sqrt(N) over N planned steps.

    References
    ----------
    Tao, Pan, Wu, Tao: Primal averaging: a new gradient evaluation step to attain the optimal individual convergence, IEEE
    Transactions on Cybernetics 50, 2020, doi 10.1109/TCYB.2018.2874332.
    """

    rate = "log t / sqrt(t)"
    weights = Power(-0.5)

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0, x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        w = domain.project(combine((1.0, state.w), (-now.eta, g)))
        return State(combine((1.0 - now.primal, state.x), (now.primal, w)), w)
