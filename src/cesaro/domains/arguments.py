"""The domain of a problem, from what the user gave: a domain, bounds, or any object that can project."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cesaro.domains.box import Box
from cesaro.domains.everywhere import Everywhere
from cesaro.domains.interface import Domain


@dataclass(frozen=True)
class Projected(Domain):
    """Any projection, as a domain about which nothing else is known.

    Parameters
    ----------
    inner : object with project(x), or a function
        The projection; it may work in place.
    shape : tuple of int or None
        Of the arrays that it projects; None: vectors.
    """

    inner: Any
    shape: tuple[int, ...] | None = None

    def project(self, x: np.ndarray) -> np.ndarray:
        project = getattr(self.inner, "project", self.inner)
        given = x.copy() if self.shape is None else x.copy().reshape(self.shape)  # it may work in place
        found = np.asarray(project(given), dtype=float)
        return found.reshape(x.shape) if found.shape == given.shape else found

    def lowest(self, s: np.ndarray) -> float:
        return -math.inf if np.any(s) else 0.0

    def reach(self, x: np.ndarray) -> float:
        return math.inf


def make_domain(domain: Any = None, bounds: Any = None, shape: tuple[int, ...] | None = None) -> Domain:
    """The domain of a problem, from what the user gave.

    Parameters
    ----------
    domain : object with project(x), function or None
        From this module, or the user's own; a function is its projection.
    bounds : scipy.optimize.Bounds, sequence of (low, high) or None
        As in SciPy; short for a Box. None within a pair is no bound.
    shape : tuple of int or None
        Of the arrays that the user's own projection takes; None: vectors.

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
    if callable(getattr(domain, "project", domain)) and not isinstance(domain, type):
        return Projected(domain, shape)
    raise TypeError(
        f"domain must have a method project(x), or be a function that projects: got {domain!r}. Try cesaro.domains.Ball(1.0)."
    )


def _box(bounds: Any) -> Box:
    if hasattr(bounds, "lb"):
        low, high = (np.asarray(side, dtype=float) for side in (bounds.lb, bounds.ub))
        return Box(low.ravel() if low.ndim > 1 else low, high.ravel() if high.ndim > 1 else high)
    try:
        pairs = [(-math.inf if low is None else low, math.inf if high is None else high) for low, high in bounds]
        low, high = np.array(pairs, dtype=float).T
    except (TypeError, ValueError):
        raise ValueError(
            f"bounds must be (low, high) pairs, one per coordinate, or scipy's Bounds: got {bounds!r}."
        ) from None
    return Box(low, high)
