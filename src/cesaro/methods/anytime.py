"""Anytime online-to-batch for strongly convex losses (Cutkosky 2019), in its author's reading and in the paper's."""

from dataclasses import dataclass

import numpy as np

from cesaro.domains import Domain
from cesaro.methods.gda import GDA
from cesaro.methods.gda import State as GDAState
from cesaro.methods.method import Method
from cesaro.methods.sc_pda import SCPDA
from cesaro.methods.sc_pda import State as SCPDAState
from cesaro.methods.schedule import StepWeights
from cesaro.outputs import Last
from cesaro.weights import Uniform, Weights


@dataclass(frozen=True)
class Anytime(Method):
    """SC-PDA with a = gamma = 1: subgradients are taken at the running average, as Cutkosky has it.

    Output: the last x. Rate: log t / t.

    Parameters
    ----------
    mu : float
        Strong convexity of f, positive.
    """

    mu: float
    needs_mu = True
    rate = "log t / t"
    weights = Uniform()

    def output(self, weights: Weights) -> Last:
        return Last()

    def start(self, x0: np.ndarray, anchor: float) -> SCPDAState:
        return SCPDA(self.mu).start(x0, anchor)

    def step(self, state: SCPDAState, g: np.ndarray, now: StepWeights, domain: Domain) -> SCPDAState:
        return SCPDA(self.mu).step(state, g, now, domain)


@dataclass(frozen=True)
class AnytimePrinted(Method):
    """x_{t+1} = argmin_Q <sum_k g_k, x> + mu/2 sum_k |x - x_k|^2: GDA with a = gamma = 1.             equation (15)

    Output: the last x, as printed. Rate: log t / t.

    Parameters
    ----------
    mu : float
        Strong convexity of f, positive.
    """

    mu: float
    needs_mu = True
    rate = "log t / t"
    weights = Uniform()

    def output(self, weights: Weights) -> Last:
        return Last()

    def start(self, x0: np.ndarray, anchor: float) -> GDAState:
        return GDA(self.mu).start(x0, anchor)

    def step(self, state: GDAState, g: np.ndarray, now: StepWeights, domain: Domain) -> GDAState:
        return GDA(self.mu).step(state, g, now, domain)
