"""The arguments of minimize: validated once, and in the form that the loop computes with."""

import difflib
import math
import operator
from dataclasses import replace
from typing import Any

import numpy as np

from cesaro.domains import Box, Domain
from cesaro.methods import ALL, Method
from cesaro.outputs import Best, Output
from cesaro.weights import Weights

WITHOUT_MU = 'Without strong convexity use method="pda", which needs no mu.'


def make_method(method: Any, mu: Any) -> Method:
    """A method by name, given mu; or the object itself."""
    if mu is not None:
        mu = number("mu", mu)
    if isinstance(method, Method):
        if mu is not None and method.mu == 0:
            method = replace(method, mu=mu)  # type: ignore[type-var]
        if mu is not None and mu != method.mu:
            raise ValueError(f"mu = {mu} contradicts {method}. Leave mu out: the method object carries it.")
        return _check_mu(type(method).__name__, method)
    if isinstance(method, type) and issubclass(method, Method):
        raise TypeError(f"method is the class {method.__name__}: give an instance of it, {method.__name__}(mu=...).")
    if not isinstance(method, str):
        raise TypeError(f"method must be a name or an object from cesaro.methods: got {method!r}.")
    if method.lower() not in ALL:
        near = difflib.get_close_matches(method.lower(), ALL, n=1, cutoff=0.3)
        hint = f'Did you mean "{near[0]}"? ' if near else ""
        raise ValueError(f"unknown method {method!r}. {hint}There are: {', '.join(ALL)}.")
    cls: Any = ALL[method.lower()]
    if cls.needs_mu and mu is None:
        raise ValueError(f'method "{method}" needs mu, the strong convexity of fun: got None. {WITHOUT_MU}')
    return _check_mu(method, cls(mu=mu or 0.0))


def _check_mu(name: str, method: Method) -> Method:
    mu = number("mu", method.mu)
    if method.needs_mu and not (math.isfinite(mu) and mu > 0):
        raise ValueError(f'mu must be positive and finite for "{name}": got {mu}. {WITHOUT_MU}')
    if not (math.isfinite(mu) and mu >= 0):
        raise ValueError(f"mu must be finite and not negative: got {mu}. Leave it out if fun is merely convex.")
    return method


def make_output(output: Any, method: Method, weights: Weights, exact: bool) -> Output:
    """What the user asked for, or what the method's theorem is about."""
    if output is None:
        return method.output(weights)
    if not isinstance(output, Output):
        raise TypeError(f"output must be an object from cesaro.outputs: got {output!r}. Try cesaro.outputs.Last().")
    if isinstance(output, Best) and not exact:
        raise ValueError(
            "output Best() compares values, and this oracle samples: it has none. Use Average() or Last()."
        )
    return output


def make_anchor(anchor: Any) -> float:
    """gamma_0 in units of gamma_1; "auto" begins with 1."""
    if isinstance(anchor, str):
        if anchor == "auto":
            return 1.0
        raise ValueError(f'anchor must be "auto" or a number that is not negative: got {anchor!r}.')
    return not_negative("anchor", anchor)


def make_array(x0: Any) -> np.ndarray:
    """x0 as an array; a number is a vector of one coordinate."""
    try:
        return np.atleast_1d(np.array(x0, dtype=float))
    except (TypeError, ValueError):
        raise TypeError(f"x0 must be an array of real numbers: got {x0!r}.") from None


def make_start(x0: np.ndarray, domain: Domain) -> tuple[np.ndarray, str]:
    """x_1 in the domain, as a vector, and a remark if that is not x0."""
    x0 = x0.ravel()
    if x0.size == 0:
        raise ValueError("x0 must have a coordinate at least: got an empty array.")
    if not np.all(np.isfinite(x0)):
        raise ValueError(f"x0 must be finite: coordinate {int(np.argmin(np.isfinite(x0)))} is not.")
    sides = (domain.low, domain.high) if isinstance(domain, Box) else ()
    for side in sides:
        if np.ndim(side) > 0 and np.shape(side) != x0.shape:
            raise ValueError(
                f"the domain does not fit x0, which has {x0.size} coordinates: it has {np.size(side)} bounds. Give one each."
            )
    try:
        x1 = np.array(domain.project(x0), dtype=float)
    except ValueError as error:
        raise ValueError(f"the domain does not fit x0, which has {x0.size} coordinates: {error}.") from error
    if x1.shape != x0.shape or not np.all(np.isfinite(x1)):
        got = (
            f"shape {x1.shape}"
            if x1.shape != x0.shape
            else f"a value that is not finite at {int(np.argmin(np.isfinite(x1)))}"
        )
        raise ValueError(f"domain.project(x0) must return a finite vector of shape {x0.shape}: got {got}.")
    outside = np.abs(x1 - x0).max() > 1e-12 * max(1.0, np.abs(x0).max())
    return x1, "x0 was outside the domain and was projected on it; " if outside else ""


def number(name: str, given: Any) -> float:
    """A real number."""
    try:
        if isinstance(given, bool | str):
            raise TypeError
        return float(given)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number: got {given!r}.") from None


def not_negative(name: str, given: Any) -> float:
    """A finite number that is not negative."""
    value = number(name, given)
    if not (value >= 0 and math.isfinite(value)):
        raise ValueError(f"{name} must be finite and not negative: got {given}.")
    return value


def count(name: str, given: Any) -> int:
    """A whole number that is not negative."""
    try:
        whole = operator.index(given)
    except TypeError:
        raise TypeError(f"{name} must be a whole number: got {given!r}.") from None
    if whole < 0:
        raise ValueError(f"{name} must be a whole number, not negative: got {given}.")
    return whole
