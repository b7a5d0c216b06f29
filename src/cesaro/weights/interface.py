"""What all weights offer: a_t, A_t, and the ratios that stay finite where a_t overflows."""

import math
from abc import ABC, abstractmethod

from cesaro.docstrings import complete
from cesaro.weights.power_sums import power

STEP = """
Parameters
----------
t : int
    The step, from 1.

Returns
-------
float
    That number.
"""


@complete(STEP)
class Weights(ABC):
    """The interface: positive weights a_t for t = 1, 2, ..."""

    @abstractmethod
    def weight(self, t: int) -> float:
        """a_t; may overflow to inf where the ratios do not."""

    @abstractmethod
    def relative(self, t: int) -> float:
        """A_t / a_t, finite where a_t overflows."""

    @abstractmethod
    def first(self, t: int) -> float:
        """a_1 / a_t, finite where a_t overflows."""

    @abstractmethod
    def sum(self, t: int) -> float:
        """A_t, the sum of the first t weights."""

    def log(self, t: int) -> float:
        """log a_t, finite where a_t overflows."""
        return math.log(self.weight(t))

    def over(self, other: "Weights", t: int) -> float:
        """a_t / b_t, also where both overflow.

        Parameters
        ----------
        other : Weights
            The weights b.
        """
        a, b = self.weight(t), other.weight(t)
        return a / b if 0.0 < b < math.inf and a < math.inf else power(math.e, self.log(t) - other.log(t))
