"""How strong the anchor is: the prox weight K, adapted from epoch to epoch.

The proximal-point step itself, an epoch and then the move of the prox center, is `AnchoredSolver.advance`.

An epoch that oscillates (from its average to its end) far less than it moves (from the prox center to its average) has
solved the anchored problem too well: the anchor holds it back. One that oscillates nearly as much as it moves needs a
stronger one. Where K is most of S = K + n mu, an epoch that is held back drifts, and a drift from the prox center to the
end oscillates too, half as far as it goes: so the least ratio is the larger, the larger K / S.

Rows that are wide and rows that are many have each their band of ratios; `benchmarks/linear/versions.py` compares a copy with
other bands.
"""

import math
from typing import Any, NamedTuple


class Band(NamedTuple):
    """Ratios of oscillation to move at which the anchor is left as it is."""

    least: float
    most: float
    drift: float  # the least ratio is at least that times K / S


WIDE_ROWS = Band(0.5, 0.65, 0.7)  # rows that hardly meet: each of them shrinks its own part of the gap
MANY_ROWS = Band(0.15, 1.2, 0.15)  # many for each column: what they disagree about has to be averaged out
SETTLED = math.log(0.5)  # the least ratio once the anchor has been both too strong and too weak
WIDE = 4  # rows for each column, up to which they hardly meet


def are_wide(n: int, d: int) -> bool:
    """Whether n rows hardly meet in d columns."""
    return WIDE * d >= n


class ProxWeightRule:
    """The factor by which to lengthen the steps, from the running mean of the ratio's logarithm."""

    def __init__(self, wide: bool) -> None:
        self.band = WIDE_ROWS if wide else MANY_ROWS
        self.ratio, self.least = math.log(0.6), math.log(self.band.least)
        self.rate, self.direction = math.log(1.25), 1.0

    def observe(self, oscillation: float, move: float) -> None:
        """What an epoch has done."""
        tiny = 1e-9 * (oscillation + move) + 1e-300
        self.ratio = 0.8 * self.ratio + 0.2 * math.log((oscillation + tiny) / (move + tiny))

    def factor(self, prox_weight: float, penalty: float) -> float:
        """What to divide K, the prox weight, by after an epoch with it; `penalty` is n mu."""
        share = prox_weight / max(prox_weight + penalty, 1e-300)
        least = max(self.least, math.log(max(self.band.drift * share, 1e-300)))
        if least <= self.ratio <= max(least, math.log(self.band.most)):
            return 1.0
        direction = 1.0 if self.ratio < least else -1.0
        if direction * self.direction < 0.0:  # with smaller steps, so that it comes to rest
            self.rate, self.least = max(0.7 * self.rate, 0.03), max(self.least, SETTLED)
        self.direction = direction
        return math.exp(direction * self.rate)

    def state(self) -> dict[str, float]:
        """All that changes."""
        return {name: getattr(self, name) for name in ("ratio", "rate", "direction", "least")}

    def resume(self, state: dict[str, Any]) -> None:
        """Go on where an earlier run was."""
        vars(self).update({name: float(value) for name, value in state.items()})
