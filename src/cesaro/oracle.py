"""Oracles: what a problem can be asked. One form for every way of stating it."""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import OptimizeResult


class Answer(NamedTuple):
    """The value is nan where only a sample of the subgradient was drawn."""

    value: float
    g: np.ndarray


@dataclass
class Oracle:
    """Counts its calls. Copies x and g: a function may write into its argument, and reuse the array it returns.

    It is asked about vectors, and asks the user's functions about arrays of `shape`.
    """

    evaluate: Callable[[np.ndarray], Any]
    ask: Callable[[np.ndarray], tuple[Any, Any]]
    exact: bool
    shape: tuple[int, ...]
    has_values: bool = True
    calls: int = 0
    eps: float = float(np.finfo(float).eps)  # the precision of its answers

    def __call__(self, x: np.ndarray) -> Answer:
        self.calls += 1
        value, g = self.ask(x.copy().reshape(self.shape))
        try:
            given = np.asarray(g)
            if given.dtype.kind == "c":
                raise TypeError
            g = np.array(given, dtype=float)
            if given.dtype.kind == "f" and given.dtype.itemsize < 8:
                self.eps = max(self.eps, float(np.finfo(given.dtype).eps))
        except (TypeError, ValueError):
            g = np.empty(0)  # which no problem expects
        if g.shape == self.shape or g.ndim == 0:
            g = g.reshape(-1)
        return Answer(self._number(value), g)

    def value(self, x: np.ndarray) -> float:
        """f(x) alone; nan where the oracle has no values."""
        if not self.has_values:
            return math.nan
        self.calls += 1
        return self._number(self.evaluate(x.copy().reshape(self.shape)))

    def _number(self, value: Any) -> float:
        if type(value) is float:
            return value
        number = np.asarray(value)
        if number.dtype.kind == "f":
            self.eps = max(self.eps, float(np.finfo(number.dtype).eps))
        if number.size != 1 or number.dtype.kind not in "fiub":
            raise TypeError(f"the value of fun must be one real number: got {_short(value)}.")
        return float(number.item())


def make_oracle(fun: Any, jac: Any, args: Any, rng: np.random.Generator, shape: tuple[int, ...]) -> Oracle:
    """From fun(x) -> (value, subgradient), from fun and jac, or from an object with value and subgradient, or with sample."""
    args = args if isinstance(args, tuple) else (args,)
    value, subgradient, sample = (
        each if callable(each := getattr(fun, name, None)) else None for name in ("value", "subgradient", "sample")
    )
    if sample:
        return Oracle(value or _no_value, lambda x: (np.nan, sample(x, rng)), False, shape, has_values=bool(value))
    if value and subgradient:
        return Oracle(value, lambda x: (value(x.copy()), subgradient(x)), True, shape)
    if not callable(fun):
        raise TypeError(
            "fun must be a function x -> (value, subgradient), or an object with value(x) and subgradient(x), or with "
            f"sample(x, rng): got {fun!r}."
        )
    if callable(jac):
        return Oracle(lambda x: fun(x, *args), lambda x: (fun(x.copy(), *args), jac(x, *args)), True, shape)
    if jac is not True:
        raise ValueError(
            f"jac must be True (fun returns the value and a subgradient) or a function x -> subgradient: got {jac!r}. "
            "Subgradients are not estimated by differences: at a kink that would prove nothing."
        )

    def ask(x: np.ndarray) -> tuple[Any, Any]:
        answer = fun(x, *args)
        try:
            value, g = answer
        except (TypeError, ValueError):
            raise TypeError(
                f"fun must return (value, subgradient) when jac=True: got {_short(answer)}. "
                "If it returns only the value, pass the subgradient as jac=."
            ) from None
        return value, g

    return Oracle(lambda x: ask(x)[0], ask, True, shape)


def _no_value(x: np.ndarray) -> float:
    return math.nan


def fault(answer: Answer, d: int, exact: bool) -> str:
    """What is wrong with an answer, in words; empty if nothing is."""
    if answer.g.shape == (0,):
        return "something that is no vector of real numbers as a subgradient"
    if answer.g.shape != (d,):
        return f"a subgradient of shape {answer.g.shape} where ({d},) was expected"
    if not np.all(np.isfinite(answer.g)):
        return "a subgradient that is not finite"
    if exact and not np.isfinite(answer.value):
        return f"the value {answer.value}"
    return ""


@dataclass(frozen=True)
class Callback:
    """A SciPy callback: of x, or of intermediate_result, an OptimizeResult."""

    function: Callable[..., Any]
    wants_value: bool
    shape: tuple[int, ...]

    def __call__(self, x: np.ndarray, nit: int, value: float, lower_bound: float) -> bool:
        """True if the run shall stop."""
        try:
            if self.wants_value:
                measured = {"fun": value, "lower_bound": lower_bound, "gap": value - lower_bound}
                self.function(intermediate_result=OptimizeResult(x=x.copy().reshape(self.shape), nit=nit, **measured))
            else:
                self.function(x.copy().reshape(self.shape))
        except StopIteration:
            return True
        return False


def make_callback(callback: Any, shape: tuple[int, ...]) -> Callback | None:
    """A callback as the loop calls it."""
    if callback is None:
        return None
    if not callable(callback):
        raise TypeError(f"callback must be a function of x, or of intermediate_result: got {callback!r}.")
    try:
        return Callback(callback, set(inspect.signature(callback).parameters) == {"intermediate_result"}, shape)
    except (TypeError, ValueError):  # a builtin without a signature
        return Callback(callback, False, shape)


def _short(thing: Any) -> str:
    text = repr(thing)
    return text if len(text) < 80 else text[:77] + "..."
