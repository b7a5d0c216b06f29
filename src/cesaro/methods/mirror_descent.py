"""MD, mirror descent (Nemirovsky and Yudin 1983; Beck and Teboulle 2003)."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from cesaro.docstrings import complete
from cesaro.domains import Domain, Simplex
from cesaro.methods.method import ConvexMethod
from cesaro.methods.psg import State
from cesaro.methods.schedule import StepWeights
from cesaro.outputs import Average
from cesaro.vectors import combine
from cesaro.weights import Power, Weights


class Mirror(ABC):
    """A divergence B whose step can be solved: argmin_Q <u, x> + B(x, x_t)."""

    @abstractmethod
    def check(self, x: np.ndarray) -> None:
        """Refuse a start that no step can leave.

        Parameters
        ----------
        x : ndarray of shape (d,)
            The start.

        Raises
        ------
        ValueError
            If it is one.
        """

    @abstractmethod
    def step(self, x: np.ndarray, u: np.ndarray, domain: Domain) -> np.ndarray:
        """The minimum over Q of <u, .> + B(., x).

        Parameters
        ----------
        x : ndarray of shape (d,)
            Where the subgradient was taken.
        u : ndarray of shape (d,)
            The subgradient times the step size.
        domain : Domain
            Q.

        Returns
        -------
        ndarray of shape (d,)
            The next point.

        Raises
        ------
        ValueError
            If the divergence does not fit the domain.
        """


@dataclass(frozen=True)
class Euclidean(Mirror):
    """B(x, y) = |x - y|^2 / 2: mirror descent is then PSG."""

    def check(self, x: np.ndarray) -> None:
        pass

    def step(self, x: np.ndarray, u: np.ndarray, domain: Domain) -> np.ndarray:
        return domain.project(combine((1.0, x), (-1.0, u)))


@dataclass(frozen=True)
class Entropy(Mirror):
    """B(x, y) = sum x_j log(x_j / y_j) on the simplex: x_j is multiplied by exp(-u_j)."""

    def check(self, x: np.ndarray) -> None:
        if not np.all(x > 0):
            raise ValueError(
                f"the entropy mirror cannot leave a face of the simplex: coordinate {int(np.argmin(x))} of the start is "
                f"{np.min(x)}. Begin inside, for example at the center."
            )

    def step(self, x: np.ndarray, u: np.ndarray, domain: Domain) -> np.ndarray:
        if not isinstance(domain, Simplex):
            raise ValueError(
                f"the entropy mirror lives on the simplex: got domain {domain}. Use cesaro.domains.Simplex()."
            )
        grown = x * np.exp(np.min(u) - u)
        return grown * (domain.total / grown.sum())


@complete(ConvexMethod)
@dataclass(frozen=True)
class MirrorDescent(ConvexMethod):
    """x_{t+1} = argmin_Q  a_t <g_t, x> + B(x, x_t).                                                     equation (6)

    Output: the a-weighted average. Rate: 1/sqrt(t) up to a logarithm.

    Parameters
    ----------
    mirror : Mirror
        The divergence B: Euclidean() or Entropy().

    References
    ----------
    Nemirovsky, Yudin: Problem complexity and method efficiency in optimization, Wiley 1983.

    Beck, Teboulle: Mirror descent and nonlinear projected subgradient methods for convex optimization, Operations Research
    Letters 31, 2003.
    """

    mirror: Mirror = Euclidean()
    rate = "1/sqrt(t)"
    weights = Power(-0.5)

    def output(self, weights: Weights) -> Average:
        return Average(weights)

    def start(self, x0: np.ndarray, anchor: float) -> State:
        self.mirror.check(x0)
        return State(x0)

    def step(self, state: State, g: np.ndarray, now: StepWeights, domain: Domain) -> State:
        return State(self.mirror.step(state.x, now.eta * g, domain))
