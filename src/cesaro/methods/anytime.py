"""Anytime online-to-batch for strongly convex losses (Cutkosky 2019), in its author's reading and in the paper's."""

from abc import ABC
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.methods.gda import GDA
from cesaro.methods.method import StronglyConvexMethod
from cesaro.methods.sc_pda import SCPDA
from cesaro.methods.schedule import StepWeights
from cesaro.weights import Uniform


class UniformForm(StronglyConvexMethod, ABC):
    """Another method's steps with a = gamma = 1; the output is the last x."""

    steps: ClassVar[type[StronglyConvexMethod]]
    rate = "log t / t"
    weights = Uniform()

    def start(self, x0: np.ndarray, anchor: float) -> Any:
        return self.steps(self.mu).start(x0, anchor)

    def step(self, state: Any, g: np.ndarray, now: StepWeights, domain: Domain) -> Any:
        return self.steps(self.mu).step(state, g, now, domain)


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class Anytime(UniformForm):
    """SC-PDA with a = gamma = 1: subgradients are taken at the running average, as Cutkosky has it.

    Output: the last x. Rate: log t / t.

    References
    ----------
    Cutkosky: Anytime online-to-batch, optimism and acceleration, ICML 2019, arXiv 1903.00974.
    """

    steps = SCPDA


@complete(StronglyConvexMethod)
@dataclass(frozen=True)
class AnytimePrinted(UniformForm):
    """x_{t+1} = argmin_Q <sum_k g_k, x> + mu/2 sum_k |x - x_k|^2: GDA with a = gamma = 1.             equation (15)

    Output: the last x, as printed. Rate: log t / t.

    References
    ----------
    Cutkosky: Anytime online-to-batch, optimism and acceleration, ICML 2019, arXiv 1903.00974.

    Tao, Li, Pan, Tao: Gradient descent averaging and primal-dual averaging for strongly convex optimization, AAAI 2021,
    arXiv 2012.14558.
    """

    steps = GDA
