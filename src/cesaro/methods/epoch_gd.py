"""Epoch-GD (Hazan and Kale 2011): epochs that double, each from the average of the one before, with half its step."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.methods.method import StronglyConvexMethod
from cesaro.methods.schedule import StepWeights
from cesaro.outputs import Last
from cesaro.vectors import combine
from cesaro.weights import Uniform, Weights

FIRST = 4  # steps of the first epoch


class State(NamedTuple):
    x: np.ndarray  # x_t, where the next subgradient is taken
    mean: np.ndarray  # of the points of this epoch, x_t not among them
    done: int  # how many of them
    best: np.ndarray  # the average of the last whole epoch, x_1 before the first has ended
    epoch: int  # 0, 1, ...


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class EpochGD(StronglyConvexMethod):
    """x_{t+1} = P_Q( x_t - g_t / (mu 2^k) ) in epoch k = 0, 1, ..., of 4 2^k steps; then from the average of its points.

    Output: the average of the last whole epoch. Rate: 1/t. After t steps it is within 16 M^2 / (mu (t+4)) of the minimum, if
    |g| <= M (docs/proofs.md).

    References
    ----------
    Hazan, Kale: Beyond the regret minimization barrier: an optimal algorithm for stochastic strongly-convex optimization,
    COLT 2011; as a journal paper: Journal of Machine Learning Research 15, 2014.
    """

    rate = "1/t"
    weights = Uniform()

    def output(self, weights: Weights) -> Last:
        return Last("best")

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0, np.zeros_like(x0), 0, x0, 0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        done, size = state.done + 1, 2**state.epoch
        mean = combine((1.0 - 1.0 / done, state.mean), (1.0 / done, state.x))
        if done == FIRST * size:
            return State(mean, np.zeros_like(mean), 0, mean, state.epoch + 1)
        x = domain.project(combine((1.0, state.x), (-now.eta / (self.mu * size), g)))
        return State(x, mean, done, state.best, state.epoch)
