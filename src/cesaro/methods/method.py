"""What a method is: settings that do not change, `start` and `step`; and what its theorem assumes."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain
from cesaro.methods.schedule import StepWeights
from cesaro.outputs import Last, Output
from cesaro.weights import Weights


class Method(ABC):
    """The interface. A state is a NamedTuple whose field x is where the next subgradient will be taken.

    Attributes
    ----------
    mu : float
        Strong convexity; 0 where a method needs none.
    needs_mu : bool
        Whether it must be positive.
    rate : str
        How fast the output's suboptimality falls.
    """

    mu: float
    needs_mu: ClassVar[bool]
    rate: ClassVar[str]

    @property
    @abstractmethod
    def weights(self) -> Weights:
        """a_t unless the user says otherwise."""

    def gamma(self, weights: Weights) -> Weights:
        """gamma_t unless the user says otherwise: the same as a_t.

        Parameters
        ----------
        weights : Weights
            The weights a.

        Returns
        -------
        Weights
            The weights gamma.
        """
        return weights

    @complete(gamma)
    def output(self, weights: Weights) -> Output:
        """The point that the method's theorem is about, which a run returns: the last x, unless a method says otherwise.

        Returns
        -------
        Output
            From `cesaro.outputs`.
        """
        return Last()

    @abstractmethod
    def start(self, x0: np.ndarray, anchor: float) -> Any:
        """The state before the first subgradient; x_1 = x0.

        Parameters
        ----------
        x0 : ndarray of shape (d,)
            A point of the domain.
        anchor : float
            gamma_0 in units of gamma_1.

        Returns
        -------
        NamedTuple
            The first state.
        """

    @abstractmethod
    def step(self, state: Any, g: np.ndarray, now: StepWeights, domain: Domain) -> Any:
        """The state after the t-th subgradient. Nothing is changed in place.

        Parameters
        ----------
        state : NamedTuple
            The state before.
        g : ndarray of shape (d,)
            A subgradient at `state.x`.
        now : StepWeights
            The weights of step t.
        domain : Domain
            Q.

        Returns
        -------
        NamedTuple
            The next state.
        """


@dataclass(frozen=True)
class ConvexMethod(Method):
    """A method for every convex f.

    Parameters
    ----------
    mu : float
        Strong convexity of f; this method does not need it.
    """

    mu: float = 0.0
    needs_mu = False


@dataclass(frozen=True)
class StronglyConvexMethod(Method):
    """A method for strongly convex f.

    Parameters
    ----------
    mu : float
        Strong convexity of f, positive.
    """

    mu: float
    needs_mu = True
