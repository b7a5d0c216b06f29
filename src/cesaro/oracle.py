"""Oracles: what a problem can be asked. One form for every way of stating it."""

import inspect
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
    """Counts its calls; hands out copies of x, so that a function that writes into its argument harms nobody."""

    evaluate: Callable[[np.ndarray], float]
    ask: Callable[[np.ndarray], Answer]
    exact: bool
    calls: int = 0

    def __call__(self, x: np.ndarray) -> Answer:
        self.calls += 1
        answer = self.ask(x.copy())
        return Answer(answer.value, _floats(answer.g))

    def value(self, x: np.ndarray) -> float:
        self.calls += 1
        return float(self.evaluate(x.copy()))


def make_oracle(fun: Any, jac: Any, args: tuple, rng: np.random.Generator) -> Oracle:
    """From fun(x) -> (value, subgradient), from fun and jac, or from an object with value, subgradient and perhaps sample."""
    if callable(getattr(fun, "value", None)) and callable(getattr(fun, "subgradient", None)):
        if callable(getattr(fun, "sample", None)):
            return Oracle(fun.value, lambda x: Answer(np.nan, fun.sample(x, rng)), exact=False)
        return Oracle(fun.value, lambda x: Answer(float(fun.value(x)), fun.subgradient(x)), exact=True)
    if not callable(fun):
        raise TypeError(
            f"fun must be a function x -> (value, subgradient), or an object with value(x) and subgradient(x): got {fun!r}."
        )
    if callable(jac):
        return Oracle(lambda x: fun(x, *args), lambda x: Answer(float(fun(x.copy(), *args)), jac(x, *args)), exact=True)
    if jac is not True:
        raise ValueError(
            f"jac must be True (fun returns the value and a subgradient) or a function x -> subgradient: got {jac!r}. "
            "Subgradients are not estimated by differences: at a kink that would prove nothing."
        )

    def ask(x: np.ndarray) -> Answer:
        answer = fun(x, *args)
        try:
            value, g = answer
            return Answer(float(value), g)
        except (TypeError, ValueError):
            raise TypeError(
                f"fun must return (value, subgradient) when jac=True: got {_short(answer)}. "
                "If it returns only the value, pass the subgradient as jac=."
            ) from None

    return Oracle(lambda x: ask(x).value, ask, exact=True)


def fault(answer: Answer, d: int, exact: bool) -> str:
    """What is wrong with an answer, in words; empty if nothing is."""
    g = answer.g
    if g.shape != (d,):
        return f"a subgradient of shape {g.shape} where ({d},) was expected"
    if not np.all(np.isfinite(g)):
        return "a subgradient that is not finite"
    if exact and not np.isfinite(answer.value):
        return f"the value {answer.value}"
    return ""


@dataclass(frozen=True)
class Callback:
    """A SciPy callback: of x, or of intermediate_result, an OptimizeResult."""

    function: Callable
    wants_value: bool

    def __call__(self, x: np.ndarray, nit: int, value: float, lower_bound: float) -> bool:
        """True if the run shall stop."""
        try:
            if self.wants_value:
                result = OptimizeResult(x=x.copy(), fun=value, nit=nit, lower_bound=lower_bound)
                self.function(intermediate_result=result)
            else:
                self.function(x.copy())
        except StopIteration:
            return True
        return False


def make_callback(callback: Any) -> Callback | None:
    """A callback as the loop calls it."""
    if callback is None:
        return None
    if not callable(callback):
        raise TypeError(f"callback must be a function of x, or of intermediate_result: got {callback!r}.")
    try:
        return Callback(callback, set(inspect.signature(callback).parameters) == {"intermediate_result"})
    except (TypeError, ValueError):  # a builtin without a signature
        return Callback(callback, False)


def _floats(g: Any) -> np.ndarray:
    """A subgradient as float64; something else becomes an empty array, which no problem expects."""
    try:
        return np.asarray(g, dtype=float)
    except (TypeError, ValueError):
        return np.empty(0)


def _short(thing: Any) -> str:
    text = repr(thing)
    return text if len(text) < 80 else text[:77] + "..."
