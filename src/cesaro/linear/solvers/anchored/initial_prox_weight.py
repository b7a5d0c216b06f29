"""The anchor's weight in the first epoch and after it, from the sizes of the rows and from how many of them share a column.

The unit is R = mean |x|^2, times the curvature of the logistic loss: with a prox weight of R a row moves its own prediction
about half of the way to where it wants to be. Wide rows hardly meet, so half of that suffices them. Of narrow ones the first
epoch shows how many move, m for each column. What these disagree about has to be averaged out, and as noise does it grows
with the root of their number; where the penalty holds w by itself, a stronger anchor costs little:

    K = 0.3 sqrt(m) R^0.6 (R + n mu)^0.4        (m counts up to 1600)

On twelve data sets the number of epochs hardly changes within a factor of two of the best K.
"""

import math
from typing import Any

from cesaro.dual_form import LOGISTIC
from cesaro.linear.solvers.anchored import records

LEAST_STEP = 0.3  # over wide rows, in units of 1 / mean |x|^2
FIRST = 2.0  # units, over narrow rows: nothing is known of them yet
PART, MOST, PENALTY = 0.3, 1600.0, 0.4
CURVATURE = 0.25  # of the logistic loss, at most


def first_weight(mean_square: float, n: int, mu: float, wide: bool, kind: int) -> float:
    """K in the first epoch; `kind` is that of the loss."""
    if wide:
        return weight_for_wide_rows(mean_square, n, mu) / 2.0  # the center will be an average of few points
    return FIRST * mean_square * (CURVATURE if kind == LOGISTIC else 1.0)


def weight_for_wide_rows(mean_square: float, n: int, mu: float) -> float:
    """K for rows that hardly meet: the lesser of mean |x|^2 and its geometric mean with n mu."""
    return mean_square / max(1.0, math.sqrt(mean_square / (n * mu))) if mu > 0.0 else mean_square


def unit(mean_square: float, kind: int, record: Any) -> float:
    """R, for rows with these dual values."""
    return mean_square * records.mean_logistic_curvature(record) if kind == LOGISTIC else mean_square


def second_weight(first: float, mean_square: float, unit: float, moved: float, penalty: float, wide: bool) -> float:
    """K after a first epoch with `first`: that of narrow rows, of which `moved` per column have changed; `penalty` is n mu."""
    if wide:
        return min(first, mean_square / LEAST_STEP)
    return PART * math.sqrt(min(MOST, max(1.0, moved))) * unit ** (1.0 - PENALTY) * (unit + penalty) ** PENALTY
