"""The subgradient method whose last point is optimal for a known number of steps (Jain, Nagaraj, Netrapalli 2019)."""

from dataclasses import dataclass

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.methods.method import StronglyConvexMethod
from cesaro.methods.psg import State
from cesaro.methods.schedule import StepWeights
from cesaro.vectors import combine
from cesaro.weights import Power, Weights


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class KnownHorizon(StronglyConvexMethod):
    """x_{t+1} = P_Q( x_t - 2^{-i} g_t / (mu t) )  where  N - ceil(N 2^{-i}) < t <= N - ceil(N 2^{-i-1}),   N planned steps.

    The step is halved when half of the steps are left, a quarter, an eighth, ...
    Output: the last x. Rate: 1/N, their theorem for strongly convex functions; 5 M^2 / (mu N) was never exceeded in our tests.

    References
    ----------
    Jain, Nagaraj, Netrapalli: Making the last iterate of SGD information theoretically optimal, COLT 2019, arXiv 1904.12443;
    as a journal paper: SIAM Journal on Optimization 31, 2021.
    """

    rate = "1/N, N known"

    @property
    def weights(self) -> Weights:
        return Power(-1, 1 / self.mu)

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        eta = now.eta * 0.5 ** halvings(now.t, now.horizon)
        return State(domain.project(combine((1.0, state.x), (-eta, g))))


def halvings(t: int, horizon: int) -> int:
    """The largest i with N - t < N 2^{-i}, and ceil(log2 N) for the last step.

    >>> [halvings(t, 8) for t in range(1, 9)]
    [0, 0, 0, 0, 1, 1, 2, 3]
    """
    left = max(horizon - t, 0)
    if left == 0:
        return max(horizon - 1, 0).bit_length()
    return ((horizon - 1) // left).bit_length() - 1
