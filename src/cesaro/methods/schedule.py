"""What a step needs to know about time: the weights of step t as ratios, so that no sum is ever held.

A_t = a_1 + ... + a_t          Gamma_t = gamma_0 + gamma_1 + ... + gamma_t,   gamma_0 = anchor * gamma_1
"""

from dataclasses import dataclass
from typing import NamedTuple

from cesaro.docstrings import complete
from cesaro.weights import Weights
from cesaro.weights.interface import STEP


class StepWeights(NamedTuple):
    """The weights at step t, as ratios.

    Parameters
    ----------
    t : int
        The step, from 1.
    horizon : int
        How many steps are planned.
    dual, step : float
        gamma_t / Gamma_t and a_t / Gamma_t.
    share, primal : float
        a_t / A_t and a_{t+1} / A_{t+1}.
    anchor : float
        gamma_0 / A_t.
    scale : float
        A_t / (gamma_0 + gamma_t), where gamma is not summed: plain dual averaging.
    eta, eta_next : float
        a_t as a step size, 1 / (1/a_t + anchor/a_1), and the same for t + 1.
    """

    t: int
    horizon: int
    dual: float
    step: float
    share: float
    primal: float
    anchor: float
    scale: float
    eta: float
    eta_next: float


@dataclass(frozen=True)
class Schedule:
    """All that a method knows about time.

    Parameters
    ----------
    weights, gamma : Weights
        a and gamma.
    anchor : float
        gamma_0 in units of gamma_1.
    horizon : int
        How many steps are planned.
    """

    weights: Weights
    gamma: Weights
    anchor: float = 0.0
    horizon: int = 0

    @complete(STEP)
    def at(self, t: int) -> StepWeights:
        """The ratios of one step.

        Returns
        -------
        StepWeights
            Its weights.
        """
        a, gamma, anchor = self.weights, self.gamma, self.anchor
        ratio, unit = (1.0, 1.0) if a == gamma else (a.over(gamma, t), a.over(gamma, 1))  # a_t / gamma_t, a_1 / gamma_1
        total = a.relative(t)
        dual = 1.0 / (anchor * gamma.first(t) + gamma.relative(t))
        return StepWeights(
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
