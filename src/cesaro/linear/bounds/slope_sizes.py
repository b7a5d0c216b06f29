"""How large the slopes and conjugates of a cutting plane can be: what rounding in its sums is measured by.

A plane has c = -mean phi*(u_i). A loss whose slopes are bounded has |u| <= L. Any other has phi*(u) >= bend/2 u^2 - u y, so
that the root mean square of u is at most (Y + sqrt(Y^2 + 2 bend |c|)) / bend, with Y that of y: slopes that have exploded
show in c.
"""

import math
from typing import NamedTuple

import numpy as np

from cesaro.linear.bounds.rounding import TERM, U
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import dual_form


class SlopeSizes(NamedTuple):
    """Root mean squares of y and of |x|, and the numbers of the loss."""

    y: float
    x: float
    bend: float
    eps: float
    most: float  # `DualForm.largest_slope`

    def slope(self, c: float) -> float:
        """At most, the root mean square of the slopes of a plane with this c."""
        if self.most < math.inf:
            return self.most
        return (self.y + math.sqrt(self.y * self.y + 2.0 * self.bend * abs(c))) / self.bend

    def lost(self, c: float, roundings: float, longest: float) -> float:
        """What s may be off by after so many additions, to vectors that began as long as `longest` times its weight."""
        return (3.0 * roundings + TERM) * U * (longest + self.slope(c) * self.x)

    def below(self, c: float, roundings: float) -> float:
        """c, less what so many additions of conjugates may have added to it."""
        slope = self.slope(c)
        size = self.bend / 2.0 * slope * slope + slope * (self.eps + self.y) + 1.0 * (self.bend == 0.0)
        return c - (roundings + TERM) * U * (size + abs(c))


def slope_sizes(problem: Problem, mean_square: float) -> SlopeSizes:
    """Of a problem whose rows have this mean |x|^2."""
    loss, v = dual_form(problem.loss), problem.v / problem.v.sum()
    y = math.sqrt(float(v @ np.square(problem.y)))
    return SlopeSizes(y, math.sqrt(mean_square), loss.bend, loss.eps, loss.largest_slope)
