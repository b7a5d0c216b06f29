"""What every loss offers, elementwise over arrays."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cesaro.docstrings import complete
from cesaro.dual_form import DualForm

Floats = NDArray[np.floating]


PAIRS = """
Parameters
----------
p : array-like
    Predictions.
u : array-like
    Slopes.
y : array-like
    Targets, of a shape that fits.

Returns
-------
ndarray
    One number for each pair.
"""


@complete(PAIRS)
class Loss(ABC):
    """The interface: what every loss offers."""

    @abstractmethod
    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        """phi(p, y)."""

    @abstractmethod
    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        """A subgradient of phi in p; at a kink any of them."""

    @abstractmethod
    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        """phi*(u, y), the convex conjugate of phi in p; inf outside its domain."""

    @abstractmethod
    def dual(self) -> DualForm:
        """The loss in the form that the linear models' kernels compute with.

        Returns
        -------
        DualForm
            Its numbers.
        """

    def alpha_unit(self, spread: float) -> float:
        """What alpha is divided by, so that targets in other units give the same model in those units.

        Parameters
        ----------
        spread : float
            The standard deviation of the targets.

        Returns
        -------
        float
            1 where the loss grows with the square of the targets, as the L2 penalty does.
        """
        return 1.0


class ProbabilityLink(ABC):
    """What a loss offers beside, if its scores give probabilities."""

    @abstractmethod
    def probability(self, score: ArrayLike) -> Floats:
        """The probability of the label +1.

        Parameters
        ----------
        score : array-like
            Of any shape.

        Returns
        -------
        ndarray
            Of that shape.
        """


def within(inside: NDArray[np.bool_], value: Floats) -> Floats:
    """The conjugate's value on its domain, +inf outside."""
    return np.where(inside, value, np.inf)
