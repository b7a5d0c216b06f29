"""SC-RDA, regularised dual averaging for strongly convex problems (Xiao 2010)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.methods.method import StronglyConvexMethod
from cesaro.methods.rda import loss_part, shrink
from cesaro.methods.schedule import StepWeights
from cesaro.outputs import Average
from cesaro.vectors import combine
from cesaro.weights import Uniform, Weights


class State(NamedTuple):
    x: np.ndarray  # x_t
    l: np.ndarray  # noqa: E741   mean of the losses' subgradients
    x1: np.ndarray


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class SCRDA(StronglyConvexMethod):
    """x_{t+1} = argmin_Q <(1/t) sum_k l_k, x> + l1 |x|_1 + mu/2 |x|^2,   l = g - mu x - l1 sign(x).      equation (9), beta = 0

    Output: the uniform average. Rate: log t / t, as Xiao has it, and not 1/t as the paper has it in its experiments: without l1
    and constraint the points are those of SGD with steps 1/(mu t), whose uniform average keeps the logarithm (docs/proofs.md).

    Parameters
    ----------
    l1 : float
        Weight of |x|_1 in the objective.

    References
    ----------
    Xiao: Dual averaging methods for regularized stochastic learning and online optimization, JMLR 11, 2010.
    """

    l1: float = 0.0
    rate = "log t / t"
    weights = Uniform()

    def output(self, weights: Weights) -> Average:
        return Average(weights)

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0, np.zeros_like(x0), x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        mean = combine((1.0 - now.share, state.l), (now.share, loss_part(g, state.x, self.mu, self.l1)))
        anchor = self.mu * now.anchor  # mu gamma_0 / A_t, the pull towards x_1
        u = combine((-1.0, mean), (anchor, state.x1))
        return State(shrink(u, self.l1, self.mu + anchor, domain), mean, state.x1)
