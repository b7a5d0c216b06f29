"""What every loss offers, elementwise over arrays."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cesaro.dual_form import DualForm

Floats = NDArray[np.floating]


class Loss(ABC):
    """The interface: what every loss offers."""

    @abstractmethod
    def value(self, p: ArrayLike, y: ArrayLike) -> Floats:
        """phi(p, y).

        Parameters
        ----------
        p, y : array-like
            Predictions and targets, of shapes that fit together.

        Returns
        -------
        ndarray
            One value for each pair.
        """

    @abstractmethod
    def slope(self, p: ArrayLike, y: ArrayLike) -> Floats:
        """A subgradient of phi in p.

        Parameters
        ----------
        p, y : array-like
            Predictions and targets, of shapes that fit together.

        Returns
        -------
        ndarray
            One subgradient for each pair; at a kink any of them.
        """

    @abstractmethod
    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        """phi*(u, y), the convex conjugate of phi in p.

        Parameters
        ----------
        u, y : array-like
            Slopes and targets, of shapes that fit together.

        Returns
        -------
        ndarray
            One value for each pair; inf outside the conjugate's domain.
        """

    @abstractmethod
    def dual(self) -> DualForm:
        """The loss in the form that the linear models' kernels compute with.

        Returns
        -------
        DualForm
            Its numbers.
        """


def within(inside: NDArray[np.bool_], value: Floats) -> Floats:
    """The conjugate's value on its domain, +inf outside."""
    return np.where(inside, value, np.inf)
