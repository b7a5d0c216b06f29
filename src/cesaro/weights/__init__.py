"""Weights a_1, a_2, ... of an average, with their sums A_t = a_1 + ... + a_t in closed form.

A weighted mean never needs the weights themselves, only how they compare:

    mean_t = mean_{t-1} + (a_t / A_t) (x_t - mean_{t-1})

so every class offers weight(t), sum(t), and the ratios relative(t) = A_t / a_t and first(t) = a_1 / a_t. The ratios stay
finite where a_t itself overflows (geometric weights), and nothing is accumulated, so nothing drifts after 1e9 steps.
"""

from cesaro.weights.geometric import Geometric
from cesaro.weights.interface import Weights
from cesaro.weights.power_sums import head as head
from cesaro.weights.powers import Linear, Power, Uniform
from cesaro.weights.sequence import Sequence, make_weights

__all__ = ["Geometric", "Linear", "Power", "Sequence", "Uniform", "Weights", "make_weights"]
