"""Domains Q of the constraint w in Q. `project` is all that a method needs; the rest serves the certificate.

project(x)   the nearest point of Q
lowest(s)    min over w in Q of <s, w>, -inf if there is none: the lower model where mu = 0
reach(x)     max over w in Q of |w - x|, inf if Q is unbounded: how far the solution can be
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np


class Domain(ABC):
    """The interface. A closed convex set that can be projected on."""

    @abstractmethod
    def project(self, x: np.ndarray) -> np.ndarray:
        """The nearest point of Q.

        Parameters
        ----------
        x : ndarray of shape (d,)
            Any point; it is not written to.

        Returns
        -------
        ndarray of shape (d,)
            P_Q(x), which may be x itself.
        """

    @abstractmethod
    def lowest(self, s: np.ndarray) -> float:
        """The minimum over w in Q of <s, w>.

        Parameters
        ----------
        s : ndarray of shape (d,)
            The slope.

        Returns
        -------
        float
            The minimum; -inf if there is none.
        """

    @abstractmethod
    def reach(self, x: np.ndarray) -> float:
        """The maximum over w in Q of |w - x|.

        Parameters
        ----------
        x : ndarray of shape (d,)
            Any point.

        Returns
        -------
        float
            The largest distance; inf if Q is unbounded.
        """


@dataclass(frozen=True)
class Everywhere(Domain):
    """All of R^d: projecting is returning the argument itself, not a copy."""

    def project(self, x: np.ndarray) -> np.ndarray:
        return x

    def lowest(self, s: np.ndarray) -> float:
        return 0.0 if not np.any(s) else -math.inf

    def reach(self, x: np.ndarray) -> float:
        return math.inf


@dataclass(frozen=True)
class Ball(Domain):
    """|w - center|_2 <= radius.

    Parameters
    ----------
    radius : float
        Positive and finite.
    center : float or array of shape (d,)
        One number stands for all coordinates.

    Examples
    --------
    >>> Ball(1.0).project(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    radius: float = 1.0
    center: Any = 0.0

    def __post_init__(self) -> None:
        positive("radius", self.radius)

    def project(self, x: np.ndarray) -> np.ndarray:
        offset = x - self.center
        norm = np.linalg.norm(offset)
        return x if norm <= self.radius else self.center + offset * (self.radius / norm)

    def lowest(self, s: np.ndarray) -> float:
        return float(np.sum(s * self.center) - self.radius * np.linalg.norm(s))

    def reach(self, x: np.ndarray) -> float:
        return float(np.linalg.norm(x - self.center)) + self.radius


@dataclass(frozen=True)
class Box(Domain):
    """low <= w <= high, coordinate by coordinate.

    Parameters
    ----------
    low, high : float or array of shape (d,)
        The bounds; they may be infinite. One number stands for all coordinates.

    Examples
    --------
    >>> Box(0.0, 1.0).project(np.array([-2.0, 0.5]))
    array([0. , 0.5])
    """

    low: Any = -1.0
    high: Any = 1.0

    def __post_init__(self) -> None:
        if not np.all(np.less_equal(self.low, self.high)):
            raise ValueError(f"a box needs low <= high everywhere: got low = {self.low}, high = {self.high}.")

    def project(self, x: np.ndarray) -> np.ndarray:
        return np.clip(x, self.low, self.high)

    def lowest(self, s: np.ndarray) -> float:
        with np.errstate(invalid="ignore"):
            return float(np.sum(np.where(s == 0, 0.0, s * np.where(s > 0, self.low, self.high))))

    def reach(self, x: np.ndarray) -> float:
        return float(np.linalg.norm(np.maximum(np.abs(x - self.low), np.abs(self.high - x))))


@dataclass(frozen=True)
class Nonnegative(Domain):
    """w >= 0."""

    def project(self, x: np.ndarray) -> np.ndarray:
        return np.maximum(x, 0.0)

    def lowest(self, s: np.ndarray) -> float:
        return 0.0 if np.all(s >= 0) else -math.inf

    def reach(self, x: np.ndarray) -> float:
        return math.inf


@dataclass(frozen=True)
class Simplex(Domain):
    """w >= 0 and sum(w) = total. Projection by sorting (Held, Wolfe, Crowder 1974).

    Parameters
    ----------
    total : float
        Positive and finite.
    """

    total: float = 1.0

    def __post_init__(self) -> None:
        positive("total", self.total)

    def project(self, x: np.ndarray) -> np.ndarray:
        return _onto_simplex(x, self.total)

    def lowest(self, s: np.ndarray) -> float:
        return self.total * float(np.min(s))

    def reach(self, x: np.ndarray) -> float:
        return math.sqrt(max(0.0, float(x @ x - 2 * self.total * np.min(x) + self.total**2)))


@dataclass(frozen=True)
class L1Ball(Domain):
    """|w|_1 <= radius: the simplex of the absolute values, with the signs put back (Duchi et al. 2008).

    Parameters
    ----------
    radius : float
        Positive and finite.
    """

    radius: float = 1.0

    def __post_init__(self) -> None:
        positive("radius", self.radius)

    def project(self, x: np.ndarray) -> np.ndarray:
        size = np.abs(x)
        if size.sum() <= self.radius:
            return x
        return np.sign(x) * _onto_simplex(size, self.radius)

    def lowest(self, s: np.ndarray) -> float:
        return -self.radius * float(np.max(np.abs(s)))

    def reach(self, x: np.ndarray) -> float:
        return math.sqrt(float(x @ x + 2 * self.radius * np.max(np.abs(x)) + self.radius**2))


@dataclass(frozen=True)
class Halfspace(Domain):
    """<normal, w> <= offset.

    Parameters
    ----------
    normal : array of shape (d,)
        Finite and not zero.
    offset : float
        How far the boundary is from 0, in units of |normal|.
    """

    normal: Any
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not np.any(self.normal) or not np.all(np.isfinite(self.normal)):
            raise ValueError(f"normal must be finite and not zero: got {self.normal}.")

    def project(self, x: np.ndarray) -> np.ndarray:
        normal = np.asarray(self.normal, dtype=float)
        excess = normal @ x - self.offset
        return x if excess <= 0 else x - (excess / (normal @ normal)) * normal

    def lowest(self, s: np.ndarray) -> float:
        return -math.inf if np.any(s) else 0.0

    def reach(self, x: np.ndarray) -> float:
        return math.inf


@dataclass(frozen=True)
class Projected(Domain):
    """Any object with project(x), as a domain about which nothing else is known.

    Parameters
    ----------
    inner : object with project(x)
        Its projection may work in place.
    """

    inner: Any

    def project(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.inner.project(x.copy()), dtype=float)  # it may work in place

    def lowest(self, s: np.ndarray) -> float:
        return -math.inf if np.any(s) else 0.0

    def reach(self, x: np.ndarray) -> float:
        return math.inf


def make_domain(domain: Any = None, bounds: Any = None) -> Domain:
    """The domain of a problem, from what the user gave.

    Parameters
    ----------
    domain : object with project(x) or None
        From this module, or the user's own.
    bounds : scipy.optimize.Bounds, sequence of (low, high) or None
        As in SciPy; short for a Box. None within a pair is no bound.

    Returns
    -------
    Domain
        The whole space if neither is given.

    Raises
    ------
    ValueError
        If both are given, or the bounds are no pairs.
    TypeError
        If the domain cannot be projected on.
    """
    if domain is not None and bounds is not None:
        raise ValueError(
            "give either domain or bounds, not both: bounds is short for domain=cesaro.domains.Box(low, high)."
        )
    if bounds is not None:
        return _box(bounds)
    if domain is None:
        return Everywhere()
    if isinstance(domain, Domain):
        return domain
    if callable(getattr(domain, "project", None)) and not isinstance(domain, type):
        return Projected(domain)
    raise TypeError(f"domain must have a method project(x): got {domain!r}. Try cesaro.domains.Ball(1.0).")


def _box(bounds: Any) -> Box:
    if hasattr(bounds, "lb"):
        return Box(np.asarray(bounds.lb, dtype=float), np.asarray(bounds.ub, dtype=float))
    try:
        pairs = [(-math.inf if low is None else low, math.inf if high is None else high) for low, high in bounds]
        low, high = np.array(pairs, dtype=float).T
    except (TypeError, ValueError):
        raise ValueError(
            f"bounds must be (low, high) pairs, one per coordinate, or scipy's Bounds: got {bounds!r}."
        ) from None
    return Box(low, high)


def _onto_simplex(x: np.ndarray, total: float) -> np.ndarray:
    """max(x - tau, 0) with the tau that makes it sum to total; measured from max(x), so that large x lose no digits."""
    below = x - np.max(x)
    descending = np.sort(below)[::-1]
    taus = (np.cumsum(descending) - total) / np.arange(1, len(x) + 1)
    return np.maximum(below - taus[np.count_nonzero(descending > taus) - 1], 0.0)


def positive(name: str, value: float) -> None:
    """Refuse a number that is not positive and finite.

    Parameters
    ----------
    name : str
        What the number is called in the error.
    value : float
        The number.

    Raises
    ------
    ValueError
        If it is not.
    """
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be positive and finite: got {value}.")
