"""Outputs: which point a run returns, made from the points x_1, x_2, ... where subgradients were taken.

Every output is a fold: `update(memory, state, t, value)` takes in x_t = state.x (memory is None at t = 1) and `point(memory)`
is the answer so far. The averages are all  mean += share_t (x_t - mean)  and differ in share_t alone.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cesaro.docstrings import complete
from cesaro.vectors import combine
from cesaro.weights import Uniform, Weights, make_weights
from cesaro.weights.interface import STEP

__all__ = ["Average", "Best", "Exponential", "Last", "Output", "PolynomialDecay", "RunningMean", "Suffix"]


class Output(ABC):
    """The interface."""

    @abstractmethod
    def update(self, memory: Any, state: Any, t: int, value: float) -> Any:
        """Take in x_t.

        Parameters
        ----------
        memory : object
            What the update before returned; None at t = 1.
        state : NamedTuple
            The method's state, with x_t as `state.x`.
        t : int
            The step, from 1.
        value : float
            f(x_t); nan where only a sample of the subgradient was drawn.

        Returns
        -------
        object
            The new memory; the old one is not written to.
        """

    @abstractmethod
    def point(self, memory: Any) -> np.ndarray:
        """The answer so far.

        Parameters
        ----------
        memory : object
            What the last update returned.

        Returns
        -------
        ndarray of shape (d,)
            The point that the run would return now.
        """


@dataclass(frozen=True)
class Last(Output):
    """x_t itself, or another point of the method's state.

    Parameters
    ----------
    of : str
        The field of the state, for a method whose answer is not where it takes subgradients.
    """

    of: str = "x"

    def update(self, memory: Any, state: Any, t: int, value: float) -> Any:
        return getattr(state, self.of)

    def point(self, memory: Any) -> np.ndarray:
        return memory


class RunningMean(Output, ABC):
    """mean += share_t (x_t - mean), from mean_1 = x_1."""

    @abstractmethod
    @complete(STEP)
    def share(self, t: int) -> float:
        """How far the mean moves towards x_t, in [0, 1]."""

    def update(self, memory: Any, state: Any, t: int, value: float) -> Any:
        return _towards(memory, state.x, self.share(t))

    def point(self, memory: Any) -> np.ndarray:
        return memory


@dataclass(frozen=True)
class Average(RunningMean):
    """sum o_k x_k / sum o_k.

    With Linear() it is what GDA's theorem is about; Power(p) is the increasing weighting of Guo et al. (2020).

    Parameters
    ----------
    weights : Weights or callable
        The weights o, from `cesaro.weights` or a function t -> o_t; uniform unless said.
    """

    weights: Weights = Uniform()

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", make_weights(self.weights))

    def share(self, t: int) -> float:
        return 1.0 / self.weights.relative(t)


@dataclass(frozen=True)
class PolynomialDecay(RunningMean):
    """share_t = (eta + 1)/(t + eta): weights about t^eta (Shamir and Zhang 2013).

    Parameters
    ----------
    eta : float
        Finite and not negative; 0 is the uniform average.
    """

    eta: float = 3.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.eta) and self.eta >= 0):
            raise ValueError(f"eta must be finite and not negative: got {self.eta}.")

    def share(self, t: int) -> float:
        return (self.eta + 1.0) / (t + self.eta)


@dataclass(frozen=True)
class Exponential(RunningMean):
    """mean_t = beta mean_{t-1} + (1 - beta) x_t, from mean_1 = x_1.

    Parameters
    ----------
    beta : float
        The weight of the mean so far, in [0, 1).
    """

    beta: float = 0.99

    def __post_init__(self) -> None:
        if not 0 <= self.beta < 1:
            raise ValueError(f"beta must lie in [0, 1): got {self.beta}. It is the weight of the mean so far.")

    def share(self, t: int) -> float:
        return 1.0 - self.beta


class Windows(NamedTuple):
    """Two running means; the younger takes over when it is long enough.

    Parameters
    ----------
    since : int
        The first mean is of the points after this one.
    mean : ndarray of shape (d,)
        The first mean.
    turn : int
        The second mean is of the points after this one.
    newer : ndarray of shape (d,)
        The second mean.
    """

    since: int
    mean: np.ndarray
    turn: int
    newer: np.ndarray


@dataclass(frozen=True)
class Suffix(Output):
    """Uniform mean of the last points (Rakhlin, Shamir, Sridharan 2012): at least `fraction` of them, at any time.

    The end of the run is not known in advance, so two means are updated, and the younger one takes over as soon as it covers
    `fraction` of all points; the window is never longer than fraction (2 - fraction) of them, and two points.

    Parameters
    ----------
    fraction : float
        In (0, 1]; 1 is the uniform average.
    """

    fraction: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.fraction <= 1:
            raise ValueError(f"fraction must lie in (0, 1]: got {self.fraction}.")

    def update(self, memory: Any, state: Any, t: int, value: float) -> Any:
        x = state.x
        if memory is None:
            return Windows(0, x, 0, x)
        mean = _towards(memory.mean, x, 1.0 / (t - memory.since))
        newer = x if memory.turn == t - 1 else _towards(memory.newer, x, 1.0 / (t - memory.turn))
        if memory.turn > memory.since and t - memory.turn >= self.fraction * t:
            return Windows(memory.turn, newer, t, newer)
        return Windows(memory.since, mean, memory.turn if memory.turn > memory.since else t, newer)

    def point(self, memory: Any) -> np.ndarray:
        return memory.mean


class Champion(NamedTuple):
    """The best point so far.

    Parameters
    ----------
    value : float
        Its value.
    x : ndarray of shape (d,)
        The point.
    """

    value: float
    x: np.ndarray


@dataclass(frozen=True)
class Best(Output):
    """The x_k with the lowest value; needs an oracle that returns exact values."""

    def update(self, memory: Any, state: Any, t: int, value: float) -> Any:
        return Champion(value, state.x) if memory is None or value < memory.value else memory

    def point(self, memory: Any) -> np.ndarray:
        return memory.x


def _towards(mean: np.ndarray | None, x: np.ndarray, share: float) -> np.ndarray:
    return x if mean is None else combine((1.0 - share, mean), (share, x))
