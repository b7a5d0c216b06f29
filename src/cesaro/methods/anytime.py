"""Anytime online-to-batch for strongly convex losses (Cutkosky 2019), in its author's reading and in the paper's."""

from dataclasses import dataclass

from cesaro.methods.gda import GDA
from cesaro.methods.method import Method
from cesaro.methods.sc_pda import SCPDA
from cesaro.outputs import Last
from cesaro.weights import Uniform


@dataclass(frozen=True)
class Anytime(Method):
    """SC-PDA with a = gamma = 1: subgradients are taken at the running average, as Cutkosky has it.

    Output: the last x. Rate: log t / t.
    """

    mu: float
    needs_mu = True
    rate = "log t / t"
    weights = Uniform()

    def output(self, weights):
        return Last()

    def start(self, x0, anchor):
        return SCPDA(self.mu).start(x0, anchor)

    def step(self, state, g, now, domain):
        return SCPDA(self.mu).step(state, g, now, domain)


@dataclass(frozen=True)
class AnytimePrinted(Method):
    """x_{t+1} = argmin_Q <sum_k g_k, x> + mu/2 sum_k |x - x_k|^2: GDA with a = gamma = 1.             equation (15)

    Output: the last x, as printed. Rate: log t / t.
    """

    mu: float
    needs_mu = True
    rate = "log t / t"
    weights = Uniform()

    def output(self, weights):
        return Last()

    def start(self, x0, anchor):
        return GDA(self.mu).start(x0, anchor)

    def step(self, state, g, now, domain):
        return GDA(self.mu).step(state, g, now, domain)
