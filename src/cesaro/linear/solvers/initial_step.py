"""The first step, chosen from the data: candidates run over a sample of the rows, and the lowest objective wins.

Steps are in units of 1 / mean |x|^2, so that they do not depend on the scale of X. A step that is best after m rows is too
long for n of them: a power of m / n corrects it. How long a candidate runs, and what it costs, is each solver's affair.
"""

import math
from collections.abc import Callable

import numpy as np

FACTOR, LEAST, MOST = 4.0, -4, 3
CANDIDATES = FACTOR ** np.arange(LEAST, MOST + 1)


def best_step(objective: Callable[[float], float]) -> float:
    """The best candidate, downhill from 1; an objective that is not a number loses."""
    best, found = 0, dict[int, float]()
    while missing := [k for k in (best, best - 1, best + 1) if k not in found and LEAST <= k <= MOST]:
        found |= {k: finite(objective(FACTOR**k)) for k in missing}
        best = min(found, key=lambda k: found[k])
    return FACTOR**best


def finite(value: float) -> float:
    """The value, or infinity where it is none."""
    return float(value) if math.isfinite(value) else math.inf


def sample_size(n: int) -> int:
    """Of how many of n rows a sample consists."""
    return min(n, 5000, max(n // 10, 500))


def anchor_for_step(step: float, mean_square: float, mu: float) -> float:
    """gamma_0 of the paper's methods: with weights constant in an epoch the first step, 1/(mu (gamma_0 + 1)), is largest,

    gamma_0 = mean|x|^2 / (step mu) - 1      makes it   step / mean|x|^2.
    """
    return max(0.0, mean_square / (step * mu) - 1.0)
