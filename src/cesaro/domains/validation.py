"""The one check that several domains make of their settings."""

import math


def positive(name: str, value: float) -> None:
    """Refuse a number that is not positive and finite."""
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be positive and finite: got {value}.")
