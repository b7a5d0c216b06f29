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
