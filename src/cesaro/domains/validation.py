"""The checks that several domains make of their settings."""

import math
from numbers import Real
from typing import Any

import numpy as np


def positive(name: str, value: float) -> None:
    """Refuse what is not a positive and finite number."""
    if not (isinstance(value, Real) and math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be positive and finite: got {value}.")


def is_numeric(values: Any) -> bool:
    """Whether these are real numbers: one, or an array of them."""
    return np.asarray(values).dtype.kind in "biuf"
