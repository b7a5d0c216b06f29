"""What a method is: settings that do not change, `start` and `step`; and what its theorem assumes."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from cesaro.domains import Domain
from cesaro.methods.schedule import Now
from cesaro.outputs import Output
from cesaro.weights import Weights


class Method(ABC):
    """The interface. A state is a NamedTuple whose field x is where the next subgradient will be taken."""

    mu: float  # strong convexity; 0 where a method needs none
    needs_mu: ClassVar[bool]
    rate: ClassVar[str]

    @property
    @abstractmethod
    def weights(self) -> Weights:
        """a_t unless the user says otherwise."""

    def gamma(self, weights: Weights) -> Weights:
        """gamma_t unless the user says otherwise: the same as a_t."""
        return weights

    @abstractmethod
    def output(self, weights: Weights) -> Output:
        """The point that the method's theorem is about."""

    @abstractmethod
    def start(self, x0: np.ndarray, anchor: float) -> Any:
        """The state before the first subgradient; x_1 = x0."""

    @abstractmethod
    def step(self, state: Any, g: np.ndarray, now: Now, domain: Domain) -> Any:
        """The state after the t-th subgradient g, taken at state.x. Nothing is changed in place."""
