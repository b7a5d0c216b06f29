"""PIWA, polynomially increasing weighted averaging (Guo, Yan, Yang 2020)."""

from dataclasses import dataclass

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.domains.validation import positive
from cesaro.methods.method import StronglyConvexMethod
from cesaro.methods.psg import State
from cesaro.methods.schedule import StepWeights
from cesaro.outputs import Average
from cesaro.vectors import combine
from cesaro.weights import Power, Weights


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class PIWA(StronglyConvexMethod):
    """x_{t+1} = P_Q( x_t - g_t / (mu t) ),   output  sum_k k^p x_k / sum_k k^p.

    Output: that average. Rate: 1/t. If |g| <= M it is within (p + 1/2) (M^2/mu) sum k^{p-1} / sum k^p of the minimum, that is
    3 M^2 / (mu (t+1)) for p = 1 (docs/proofs.md). With steps 2/(mu (t+1)) and p = 1, without a constraint, the average is
    GDA's, that of Lacoste-Julien, Schmidt and Bach (2012).

    Parameters
    ----------
    p : float
        The power of the weights, positive.

    References
    ----------
    Guo, Yan, Yang: Revisiting SGD with increasingly weighted averaging: optimization and generalization perspectives,
    arXiv 2003.04339, 2020.

    Weights t with high probability: Harvey, Liaw, Randhawa: Simple and optimal high-probability bounds for strongly-convex
    stochastic gradient descent, arXiv 1909.00843, 2019.
    """

    p: float = 1.0
    rate = "1/t"

    def __post_init__(self) -> None:
        positive("p", self.p)

    @property
    def weights(self) -> Weights:
        return Power(-1, 1 / self.mu)

    def output(self, weights: Weights) -> Average:
        return Average(Power(self.p))

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        return State(domain.project(combine((1.0, state.x), (-now.eta, g))))
