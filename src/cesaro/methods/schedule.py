"""What a step needs to know about time: the weights of step t as ratios, so that no sum is ever held.

A_t = a_1 + ... + a_t          Gamma_t = gamma_0 + gamma_1 + ... + gamma_t,   gamma_0 = anchor * gamma_1
"""

from dataclasses import dataclass
from typing import NamedTuple

from cesaro.weights import Weights


class Now(NamedTuple):
    """The weights at step t."""

    t: int
    horizon: int  # how many steps are planned
    dual: float  # gamma_t / Gamma_t
    step: float  # a_t / Gamma_t
    share: float  # a_t / A_t
    primal: float  # a_{t+1} / A_{t+1}
    anchor: float  # gamma_0 / A_t
    scale: float  # A_t / (gamma_0 + gamma_t), where gamma is not summed: plain dual averaging
    eta: float  # a_t as a step size, 1 / (1/a_t + anchor/a_1)
    eta_next: float  # the same for t + 1


@dataclass(frozen=True)
class Schedule:
    """The weights a and gamma, the anchor, and the planned number of steps."""

    weights: Weights
    gamma: Weights
    anchor: float = 0.0
    horizon: int = 0

    def at(self, t: int) -> Now:
        a, gamma, anchor = self.weights, self.gamma, self.anchor
        ratio, unit = (1.0, 1.0) if a == gamma else (a.over(gamma, t), a.over(gamma, 1))  # a_t / gamma_t, a_1 / gamma_1
        total = a.relative(t)
        dual = 1.0 / (anchor * gamma.first(t) + gamma.relative(t))
        return Now(
            t=t,
            horizon=self.horizon,
            dual=dual,
            step=dual * ratio,
            share=1.0 / total,
            primal=1.0 / a.relative(t + 1),
            anchor=anchor / unit * a.first(t) / total,
            scale=total * ratio / (1.0 + anchor * gamma.first(t)),
            eta=self._eta(t),
            eta_next=self._eta(t + 1),
        )

    def _eta(self, t: int) -> float:
        a = self.weights.weight(t)
        return 1.0 / (1.0 / a + self.anchor / self.weights.weight(1)) if self.anchor and a else a
