"""What the default solver leaves for the next fit, and begins from."""

from typing import NamedTuple

import numpy as np


class DualWarmStart(NamedTuple):
    """The dual values of the rows, if there are any, and the weights (d + 1,), the last the intercept's."""

    b: np.ndarray | None
    w: np.ndarray
    prox_weight: float | None = None
