"""Losses with kinks as a sequence of smooth ones: the method of multipliers (Rockafellar 1976), a proximal point method.

With dual values b' of the rows from before, and a small bend > 0, the loss

    max_b  b (y - p) - eps |b| - bend/2 (b - b')^2    over the bounds of b

is smooth: the one of that bend at p - bend b', up to a constant. Its minimiser's dual values are the next b'. They are
feasible for the loss itself, so that the bound is the loss's own, and both problems have the same optimum at the end.
"""

from typing import Any

import numpy as np

from cesaro.dual_form import PIECEWISE, DualForm

FIRST, LAST = 0.5, 1e-7  # bends, in units of y
ACCURATE = 0.3  # the smooth problem is solved when its gap is so much of the loss's own
FALLS = 0.3  # to so much of the gap before, from one b' to the next: else the bend gets smaller
SMALLER = 0.2


class Multipliers:
    """The b' and the bend of a loss with kinks."""

    def __init__(self, form: DualForm, y: np.ndarray, s: np.ndarray, b: np.ndarray | None):
        """`b` are dual values to begin with, if there are any."""
        self.kinked = form._replace(kind=PIECEWISE)
        self.unit = 1.0 if form.cap > 0.0 else max(float(s @ np.abs(y)), 1e-300)
        self.b, self.bend, self.gap = (
            np.zeros(len(y)) if b is None or len(b) != len(y) else b,
            FIRST * self.unit,
            np.inf,
        )

    @property
    def smooth(self) -> DualForm:
        """The loss with that bend."""
        return self.kinked._replace(bend=self.bend)

    @property
    def offset(self) -> np.ndarray:
        """What is added to the predictions."""
        return -self.bend * self.b

    def update(self, b: np.ndarray, smooth_gap: float, gap: float) -> bool:
        """Take over the dual values b, if the smooth problem is solved well beside the loss's own gap."""
        if smooth_gap > ACCURATE * gap:
            return False
        if gap > FALLS * self.gap:
            self.bend = max(SMALLER * self.bend, LAST * self.unit)
        self.b, self.gap = b, gap
        return True

    def state(self) -> dict[str, Any]:
        """All that changes."""
        return {"b": self.b, "bend": self.bend, "gap": self.gap}
