"""The lower bound from the slopes b_i = -phi'(p_i) at a point, scaled down until they are feasible.

With s_i the rows' shares of the weight and g_j = sum_i s_i b_i x_ij, every theta in [0, 1] gives

    f* >= -sum_i s_i phi*(-theta b_i) - sum_j (theta |g_j| - l1)_+^2 / (2 mu) - (theta sum_i s_i b_i)^2 / (2 M)

where M is the intercept's penalty. Without mu, theta max |g_j| <= l1; without M, sum_i s_i b_i = 0: the heavier side of the b
is scaled down to the weight of the other. Rounding leaves a sum that is not quite 0: for intercepts of either sign one side,
scaled down a little more, makes its sign certain. What this changes, at most `BALANCED` roundings of everything, is taken
off, as is what rounding may have added elsewhere, in the worst case (`bounds.rounding`).
"""

import math
from typing import Any

import numpy as np

from cesaro.linear.bounds.rounding import PAIRWISE, TERM, U
from cesaro.linear.solvers.coordinate_descent import kernels

NO_OFFSET = np.zeros(1)
BALANCED = 1024  # roundings: what one side is scaled down by so that the sign of the sum is certain


def columns_noise(squares: np.ndarray, counts: np.ndarray, free: bool) -> np.ndarray:
    """What rounding may do to g_j, times the length of b: its columns' lengths, and as many additions as they have entries."""
    return (counts + TERM + BALANCED * free) * U * np.sqrt(squares)


def balance(r: np.ndarray) -> None:
    """Scale one side of zero down, in place, so that r sums to zero."""
    positive, negative = float(r[r > 0.0].sum()), -float(r[r < 0.0].sum())
    if positive > negative:
        r[r > 0.0] *= negative / positive
    elif negative > positive:
        r[r < 0.0] *= positive / negative


def length(r: np.ndarray, s: np.ndarray) -> float:
    """Of the b_i = r_i / s_i, in the mean of squares that s weighs."""
    there = s > 0.0
    return math.sqrt(float(np.sum(r[there] ** 2 / s[there])))


class ScaledDualPoint:
    """The bound of r_i = s_i b_i, for the rows of a problem."""

    def __init__(self, y: np.ndarray, s: np.ndarray, loss: Any, mu: float, l1: float, M: float, free: bool):
        self.y, self.s, self.loss, self.mu, self.l1, self.M, self.free = y, s, loss, mu, l1, M, free

    def of(self, loss: Any) -> "ScaledDualPoint":
        """The same for another loss."""
        return ScaledDualPoint(self.y, self.s, loss, self.mu, self.l1, self.M, self.free)

    def bound(self, r: np.ndarray, g: np.ndarray, noise: np.ndarray | None, offset: np.ndarray = NO_OFFSET) -> float:
        """The best over a few theta; g is that of r, up to `noise` (None: not a proof).

        With an `offset` of predictions, of the problem that has it.
        """
        sizes = np.abs(g) if noise is None else np.abs(g) + noise * length(r, self.s)
        top, mass = float(sizes.max(initial=0.0)), float(np.abs(r).sum())
        total = abs(float(r.sum())) + (PAIRWISE + 8) * U * mass  # not below the size of the true sum, at any theta
        if self.free and noise is not None and 4.0 * total > BALANCED * U * (mass - total):
            return 0.0  # the lighter side, (mass - total) / 2, cannot make up for it
        feasible = min(1.0, self.l1 / top) if top > 0.0 else 1.0
        beyond = sizes[sizes > self.l1]
        best, sums = -math.inf, {feasible: self._sums(r, feasible)}
        if self.mu > 0.0 and len(beyond):
            sums[1.0] = self._sums(r, 1.0)
            theta = self._best_theta(sums[1.0][0], beyond, feasible)
            sums[theta] = self._sums(r, theta)
        for theta, (D, size) in sums.items():
            if len(beyond) and self.mu > 0.0:
                over = np.maximum(theta * beyond - self.l1, 0.0)
                D -= float(over @ over) / (2.0 * self.mu) * (1.0 + (len(over) + TERM) * U)
            D -= theta * float(np.sum(r * offset))
            if self.M > 0.0:
                D -= (theta * total) ** 2 / (2.0 * self.M)
            best = max(best, D - (len(r) + TERM + BALANCED * self.free) * U * size)
        return best

    def _sums(self, r: np.ndarray, theta: float) -> tuple[float, float]:
        """Of the conjugates at theta b, and of their sizes."""
        return kernels.dual_value(self.y, self.s, self.loss, r, theta)

    def _best_theta(self, D: float, beyond: np.ndarray, feasible: float) -> float:
        """The theta in [feasible, 1] that is best if the conjugates, D at theta = 1, were linear in it."""
        low, high = feasible, 1.0
        for _ in range(20):
            theta = (low + high) / 2.0
            over = np.maximum(theta * beyond - self.l1, 0.0)
            low, high = (theta, high) if float(over @ beyond) / self.mu < D else (low, theta)
        return low
