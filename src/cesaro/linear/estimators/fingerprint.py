"""What a checkpoint is about: the data, as checksums, and every parameter that the result depends on."""

import hashlib
import operator
from numbers import Integral
from typing import Any

import numpy as np

from cesaro.linear.problem.problem import Problem
from cesaro.version import __version__

STATES = 6  # what a state consists of, and which numbers are drawn; raised when that changes
FREE = ("checkpoint", "n_jobs", "random_state", "time_limit", "verbose", "warm_start")  # may differ when a run goes on


def as_tight(ours: float | None, theirs: float | None) -> bool:
    """Whether a tolerance asks at least as much as another."""
    return (ours or 0.0) <= (theirs or 0.0)


FURTHER = {"tol": as_tight, "max_iter": operator.ge}  # a run may go on to these from an earlier one's end


def digest(*arrays: np.ndarray) -> str:
    """A checksum of the arrays' types and bytes."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()[:16]


def about(parameters: dict[str, Any], problems: list[Problem]) -> dict[str, Any]:
    """What the checkpoint of a fit of these problems must say to be one of it."""
    rows, layout = problems[0].rows, problems[0].layout
    return {
        "rows": rows.n,
        "features": rows.d,
        "X": digest(rows.data, rows.col, rows.ptr) if layout is None else layout.digest,
        "blocks of rows": None if layout is None else [layout.block, layout.together],
        "y": digest(*(problem.y for problem in problems)),
        "sample_weight": digest(problems[0].v),
    } | of_parameters(parameters)


def of_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """The part that is not data: the version, and the parameters that matter."""
    seed = parameters["random_state"]
    return {
        "cesaro": __version__,
        "states": STATES,
        "random_state": int(seed) if isinstance(seed, Integral) else "drawn",
        **{name: _plain(value) for name, value in sorted(parameters.items()) if name not in FREE},
    }


def _plain(value: Any) -> Any:
    """A parameter as JSON has it: numbers are compared as numbers, objects by what they show."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float | np.number):
        return float(value)
    return repr(value)
