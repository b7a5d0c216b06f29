"""PDA, primal-dual averaging (Nesterov and Shikhman 2015)."""

from dataclasses import dataclass

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.methods.da import DualAveragingMethod, State
from cesaro.methods.method import ConvexMethod
from cesaro.methods.schedule import StepWeights
from cesaro.vectors import combine


@complete(ConvexMethod)
@dataclass(frozen=True)
class PDA(DualAveragingMethod):
    """Primal-dual averaging: dual averaging whose subgradients are taken at the primal average.

        w_t = P_Q( x_1 - sum_k a_k g_k / gamma_t ),   x_{t+1} = (A_t x_t + a_{t+1} w_t) / A_{t+1}.      equation (10)

    Output: the last x (equation (11), with gamma_{k-1} under |g_k|^2). Rate: 1/sqrt(t).

    References
    ----------
    Nesterov, Shikhman: Quasi-monotone subgradient methods for nonsmooth convex minimization, Journal of Optimization Theory
    and Applications 165, 2015, doi 10.1007/s10957-014-0677-5: with a = 1, as by default, its double simple averaging.
    """

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0, np.zeros_like(x0), x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        s = combine((1.0 - now.share, state.s), (now.share, g))
        w = domain.project(combine((1.0, state.x1), (-now.scale, s)))
        return State(combine((1.0 - now.primal, state.x), (now.primal, w)), s, state.x1)
