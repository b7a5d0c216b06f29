"""The cutting planes of a run of the recursion: z has grown by the slopes of whole epochs, and that is a plane.

A plane of every epoch gives the best bounds; of several together, since a bound was last asked for, the least work.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit

from cesaro.compiled.flags import LOOP
from cesaro.linear.bounds.cutting_planes import CuttingPlanes
from cesaro.linear.bounds.slope_sizes import SlopeSizes, slope_sizes
from cesaro.linear.problem.mean_loss import mean_square
from cesaro.linear.problem.problem import Problem

WIDE, FEW = 1 << 13, 8  # weights from which on fewer planes are kept: a bound reads them all


class EpochCuts:
    """The planes, and where the next of them begins. In the units of the run, whose weights may be rescaled."""

    def __init__(self, problem: Problem):
        self.problem, self.z = problem, np.zeros(problem.rows.width)
        self.A, self.weight, self.square, self.epoch = 0.0, 0.0, 0.0, 0

    @cached_property
    def planes(self) -> CuttingPlanes:
        """All of them; a run without a proof, as a pilot is, needs no room for them."""
        return CuttingPlanes(self.problem, FEW) if len(self.z) >= WIDE else CuttingPlanes(self.problem)

    @cached_property
    def sizes(self) -> SlopeSizes:
        """What rounding in the planes' sums is measured by."""
        return slope_sizes(self.problem, float(mean_square(self.problem.rows, self.problem.v)))

    def begin(self, z: np.ndarray, A: float, square: float, epoch: int) -> None:
        """The next plane begins here: at z, whose square is given, after the weight A."""
        self.z[:], self.A, self.weight, self.square, self.epoch = z[: len(self.z)], A, 0.0, square, epoch

    def grow(self, weight: float) -> None:
        """An epoch had this weight. The sum is not A less the A before: that would lose digits, more with every epoch."""
        self.weight += weight

    def rescale(self, ratio: float) -> None:
        """The run's sums are multiplied by this."""
        self.z *= ratio
        self.A, self.weight, self.square = self.A * ratio, self.weight * ratio, self.square * ratio**2

    def add(self, z: np.ndarray, A: float, cut: float, epoch: int, count: int) -> None:
        """The plane of the epochs since the last, of `count` rows each; `cut` is their sum of -a phi*."""
        if epoch > self.epoch:
            weight, before, epochs = self.weight, self.square, epoch - self.epoch
            difference = np.empty(len(self.z))
            square = float(subtract_and_copy(z, self.z, 1.0 / weight, difference))
            roundings, longest = (count + 2) * epochs, (math.sqrt(before) + math.sqrt(square)) / weight
            c, sizes = cut / weight, self.sizes
            self.planes.add(difference, sizes.below(c, roundings), weight / A, sizes.lost(c, roundings, longest))
            self.A, self.weight, self.square, self.epoch = A, 0.0, square, epoch

    def state(self) -> dict[str, Any]:
        """All that changes, by name."""
        mine = {name: getattr(self, name) for name in ("z", "A", "weight", "square", "epoch")}
        return mine | {"planes": self.planes.state()}

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from the state of an earlier run."""
        self.planes.resume(state["planes"])
        self.begin(state["z"], state["A"], state["square"], state["epoch"])
        self.weight = state["weight"]


@njit(**LOOP)
def subtract_and_copy(z, before, scale, difference):
    """difference = scale (z - before), before = z; returns |z|^2."""
    square = 0.0
    for j in range(before.shape[0]):
        new = z[j]
        square += new * new
        difference[j] = scale * (new - before[j])
        before[j] = new
    return square
