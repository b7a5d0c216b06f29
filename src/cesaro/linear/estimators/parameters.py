"""The parameters of the estimators: what each may be, and what they may not be together."""

from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np

from cesaro.linear.estimators.sklearn_compat import HasMethods, Interval, StrOptions, get_scorer_names
from cesaro.linear.solvers.settings import SOLVERS
from cesaro.losses import CLASSIFICATION, REGRESSION

POSITIVE = Interval(Real, 0, None, closed="neither")
CONSTRAINTS: dict[str, list[Any]] = {
    "alpha": [POSITIVE],
    "l1_ratio": [Interval(Real, 0, 1, closed="both")],
    "solver": [StrOptions(set(SOLVERS))],
    "averaging": [StrOptions({"auto"}), HasMethods(["relative"])],
    "anchor": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
    "radius": [None, POSITIVE],
    "tol": [None, Interval(Real, 0, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "time_limit": [None, Interval(Real, 0, None, closed="left")],
    "batch_size": [Interval(Integral, 1, None, closed="left")],
    "sampling": [StrOptions({"reshuffle", "replacement"})],
    "epsilon": [Interval(Real, 0, None, closed="left")],
    "fit_intercept": ["boolean"],
    "penalize_intercept": ["boolean"],
    "intercept_scaling": [POSITIVE],
    "warm_start": ["boolean"],
    "checkpoint": [None, str, PathLike],
    "n_jobs": [None, Integral],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}
CLASSIFIER_CONSTRAINTS: dict[str, list[Any]] = {
    "loss": [StrOptions(set(CLASSIFICATION))],
    "class_weight": [dict, StrOptions({"balanced"}), None],
}
REGRESSOR_CONSTRAINTS: dict[str, list[Any]] = {
    "loss": [StrOptions(set(REGRESSION))],
    "quantile": [Interval(Real, 0, 1, closed="neither")],
}
SEARCH_CONSTRAINTS: dict[str, list[Any]] = {name: rule for name, rule in CONSTRAINTS.items() if name != "alpha"} | {
    "alphas": [Interval(Integral, 1, None, closed="left"), "array-like"],
    "cv": ["cv_object"],
    "l1_ratio": [Interval(Real, 0, 1, closed="both"), "array-like"],
    "scoring": [StrOptions(set(get_scorer_names())), callable, None],
}


def largest_ratio(l1_ratio: Any) -> float:
    """The largest share of L1, of one or of those that a search tries."""
    if type(l1_ratio) is float and 0.0 <= l1_ratio <= 1.0:
        return l1_ratio
    ratios = np.asarray(l1_ratio, dtype=float)
    if ratios.ndim > 1 or not ratios.size or not ((ratios >= 0.0) & (ratios <= 1.0)).all():
        raise ValueError(f"l1_ratio must be a number, or for a search a list of numbers, in [0, 1]: got {l1_ratio!r}.")
    return float(ratios.max())


def check_together(model: Any) -> None:
    """Refuse what single parameters cannot show."""
    if model.solver != "anchored" and np.any(np.equal(model.l1_ratio, 1.0)):
        raise ValueError(
            f"l1_ratio=1 leaves no L2 term, and solver={model.solver!r} needs a strongly convex objective. "
            "Use solver='anchored', or l1_ratio < 1, for example 0.99."
        )
    largest = largest_ratio(model.l1_ratio)
    if largest > 0.0 and model.radius is not None:
        raise ValueError(
            f"l1_ratio={model.l1_ratio} together with radius={model.radius} is not supported: a step "
            "with both would touch every feature. Set radius=None or l1_ratio=0."
        )
    if largest > 0.0 and model.solver not in ("anchored", "gda", "sc-rda"):
        raise ValueError(
            f"l1_ratio={model.l1_ratio} needs solver='anchored', 'gda' or 'sc-rda': got solver={model.solver!r}, "
            "whose steps would touch every feature."
        )
    if model.checkpoint is not None and model.warm_start:
        raise ValueError(
            "checkpoint together with warm_start=True is not supported: a fit that goes on after a crash would have "
            "lost the model that it began from. Set warm_start=False or checkpoint=None."
        )


def refuse_checkpoint(model: Any, instead: str) -> None:
    """A checkpoint is for one fit only; say what to do instead."""
    if model.checkpoint is not None:
        raise ValueError(
            f"checkpoint={model.checkpoint!r} is for one fit at one alpha only. Set checkpoint=None; {instead}"
        )


def check_partial_fit(model: Any) -> None:
    """Refuse what one memoryless pass cannot have."""
    check_together(model)
    refuse_checkpoint(model, "save the model between calls of partial_fit.")
    if model.l1_ratio == 1.0:
        raise ValueError(
            "partial_fit needs a strongly convex objective, and l1_ratio=1 leaves no L2 term. Use fit, or l1_ratio < 1, "
            "for example 0.99."
        )
