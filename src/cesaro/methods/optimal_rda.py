"""Optimal-RDA (Chen, Lin, Pena 2012, Algorithm 1), for a strongly convex f without further structure."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.methods.method import StronglyConvexMethod
from cesaro.methods.schedule import StepWeights
from cesaro.outputs import Last
from cesaro.vectors import combine
from cesaro.weights import Linear, Weights


class State(NamedTuple):
    x: np.ndarray  # y_t, where the next subgradient is taken
    v: np.ndarray  # the dual average before projection, as in GDA
    prox: np.ndarray  # the short step, which is the answer


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class OptimalRDA(StronglyConvexMethod):
    """Regularised dual averaging with a short step and a long one.

    With theta_t = 2/(t+1), weights a_t = t, lambda = mu gamma_0 / 2, and g_t taken at y_t:

        z_t     = argmin_Q  sum_k a_k ( <g_k, z> + mu/2 |z - y_k|^2 ) + mu gamma_0 / 2 |z - y_1|^2       (the dual average)
        x_t     = P_Q( y_t - g_t / (mu/theta_t^2 + lambda) )                                             (the short step)
        y_{t+1} = (1 - b) x_t + b z_t,   b = theta ((1-theta) mu + theta^2 lambda) / (theta^2 lambda + (1-theta^2) mu),

    the last with theta_{t+1}. Two projections a step, one subgradient.
    Output: the last x (the short step). Rate: 1/t (the O(1/N + 1/N^2) of their abstract). The constant is measured: without an
    anchor f(x_t) - f* <= 4 M^2 / (mu t) in every run of tests/methods/test_bounds.py.

    References
    ----------
    Chen, Lin, Pena: Optimal regularized dual averaging methods for stochastic optimization, Advances in Neural Information
    Processing Systems 25, 2012.
    """

    rate = "1/t"
    weights = Linear()

    def output(self, weights: Weights) -> Last:
        return Last("prox")

    def start(self, x0: np.ndarray, anchor: float) -> State:
        return State(x0, x0, x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        mu, theta, next_ = self.mu, 2.0 / (now.t + 1), 2.0 / (now.t + 2)
        lambda_ = mu * now.anchor * now.t * (now.t + 1) / 4  # mu gamma_0 / 2
        v = combine((1.0 - now.dual, state.v), (now.dual, state.x), (-now.step / mu, g))
        z = domain.project(v)
        x = domain.project(combine((1.0, state.x), (-1.0 / (mu / theta**2 + lambda_), g)))
        b = next_ * ((1 - next_) * mu + next_**2 * lambda_) / (next_**2 * lambda_ + (1 - next_**2) * mu)
        return State(combine((1.0 - b, x), (b, z)), v, x)
