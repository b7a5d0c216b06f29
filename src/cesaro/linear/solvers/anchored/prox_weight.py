"""How strong the anchor is: the prox weight K, adapted from epoch to epoch.

The proximal-point step itself, an epoch and then the move of the prox center, is `AnchoredSolver.advance`.

An epoch that oscillates (from its average to its end) far less than it moves (from the prox center to its average) has
solved the anchored problem too well: the anchor holds it back. One that oscillates more than it moves needs a stronger
one. On 12 problems whose best fixed anchors differ 300-fold, the ratio at the best was about 0.1 to 1.
"""

import math
from typing import Any

LARGEST = math.log(1.2)  # of the ratio's logarithm, before the anchor is made stronger


class ProxWeightRule:
    """The factor by which to lengthen the steps, from the running mean of the ratio's logarithm."""

    def __init__(self) -> None:
        self.ratio, self.rate, self.least = math.log(0.6), math.log(1.25), math.log(0.15)

    def observe(self, oscillation: float, move: float) -> None:
        """What an epoch has done."""
        tiny = 1e-9 * (oscillation + move) + 1e-300
        self.ratio = 0.8 * self.ratio + 0.2 * math.log((oscillation + tiny) / (move + tiny))

    def factor(self) -> float:
        """What to divide K by after an epoch."""
        if self.least <= self.ratio <= LARGEST:
            return 1.0
        if self.ratio * self.rate > 0.0:  # a change of direction: with smaller steps, so that it comes to rest
            self.rate *= -max(0.7, 0.03 / abs(self.rate))
            self.least = math.log(0.5)
        return math.exp(self.rate)

    def state(self) -> dict[str, float]:
        """All that changes."""
        return dict(vars(self))

    def resume(self, state: dict[str, Any]) -> None:
        """Go on where an earlier run was."""
        vars(self).update({name: float(value) for name, value in state.items()})
