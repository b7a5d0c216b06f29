"""PSG with linearly decaying steps: the best there is when the number of steps is known (Zamani and Glineur 2023)."""

from dataclasses import dataclass

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.domains.validation import positive
from cesaro.methods.method import ConvexMethod
from cesaro.methods.psg import State
from cesaro.methods.schedule import StepWeights
from cesaro.vectors import combine
from cesaro.weights import Uniform


@complete(ConvexMethod)
@dataclass(frozen=True)
class LinearDecay(ConvexMethod):
    """x_{t+1} = P_Q( x_t - (radius / lipschitz) (N + 1 - t) / (N + 1)^{3/2} g_t ),   t = 1 .. N planned steps.

    Output: the last x, within lipschitz radius / sqrt(N + 1) of the minimum if |x_1 - w*| <= radius and |g| <= lipschitz; no
    schedule attains that for every N at once. Rate: 1/sqrt(N).

    Parameters
    ----------
    radius : float
        Bound on |x_1 - w*|.
    lipschitz : float
        Bound on |g|.

    References
    ----------
    Zamani, Glineur: Exact convergence rate of the last iterate in subgradient methods, arXiv 2307.11134, 2023; as a journal
    paper: SIAM Journal on Optimization 35, 2025.
    """

    radius: float = 1.0
    lipschitz: float = 1.0
    rate = "1/sqrt(N), N known"
    weights = Uniform()

    def __post_init__(self) -> None:
        positive("radius", self.radius)
        positive("lipschitz", self.lipschitz)

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        last = now.horizon + 1
        eta = now.eta * self.radius / self.lipschitz * max(0, last - now.t) / last**1.5
        return State(domain.project(combine((1.0, state.x), (-eta, g))))
