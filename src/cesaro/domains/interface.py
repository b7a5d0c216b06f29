"""What all domains offer: the projection, and two numbers for the certificate."""

from abc import ABC, abstractmethod

import numpy as np

from cesaro.docstrings import complete

POINTS = """
Parameters
----------
x : ndarray of shape (d,)
    Any point; it is not written to.
s : ndarray of shape (d,)
    The slope.

Returns
-------
float
    That number.
"""


@complete(POINTS)
class Domain(ABC):
    """The interface. A closed convex set that can be projected on."""

    @abstractmethod
    def project(self, x: np.ndarray) -> np.ndarray:
        """The nearest point of Q.

        Returns
        -------
        ndarray of shape (d,)
            P_Q(x), which may be x itself.
        """

    @abstractmethod
    def lowest(self, s: np.ndarray) -> float:
        """The minimum over w in Q of <s, w>; -inf if there is none."""

    @abstractmethod
    def reach(self, x: np.ndarray) -> float:
        """The maximum over w in Q of |w - x|; inf if Q is unbounded."""
