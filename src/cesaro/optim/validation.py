"""Validation of the settings of a parameter group, once, when the group is added."""

import math
from numbers import Integral, Real
from typing import Any

import torch

from cesaro.optim.averaging_schedule import make_averaging


def check_group(group: dict[str, Any]) -> None:
    """Raise a ValueError for an invalid setting: what was given, what was expected, what to do."""
    lr = group["lr"]
    if isinstance(lr, torch.Tensor) and lr.numel() != 1:
        raise ValueError(f"a Tensor lr must have one element: got shape {tuple(lr.shape)}.")
    _check_not_negative("lr", lr, "It is the step of the constant phase, what SGD would be given.")
    _check_not_negative("weight_decay", group["weight_decay"], "Use 0.0 for none.")
    check_schedule(group["averaging"], group["start"], group["t0"], lowest=-1 if group.get("dual") == "plain" else 0)
    radius = group["radius"]
    if radius is not None and not (_is_number(radius) and radius > 0):
        raise ValueError(f"radius must be positive and finite: got {radius!r}. Use None for no ball.")
    if group["per_row"] and radius is None:
        raise ValueError("per_row=True needs a radius: got None. Give radius=..., the largest norm of a row.")
    dtype = group["average_dtype"]
    if dtype is not None and not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        raise ValueError(f"average_dtype must be a floating torch dtype or None: got {dtype!r}. Try torch.float32.")
    if group["foreach"] and group["fused"]:
        raise ValueError("foreach and fused cannot both be True. Leave both out: the fastest that fits is taken.")
    b = group.get("b", 0.0)
    if not (_is_number(b) and 0 <= b <= 1):
        raise ValueError(f"b must lie between 0 and 1: got {b!r}. 0 is GDA, 1 is SC-PDA, Schedule-Free uses 0.9.")
    if group.get("dual", "plain") not in ("plain", "average"):
        raise ValueError(f'dual must be "plain" or "average": got {group["dual"]!r}. Schedule-Free is "plain".')


def check_schedule(averaging: Any, start: Any, t0: Any, lowest: int = 0) -> None:
    """The same for the settings of an averaging schedule; t0 is at least `lowest`."""
    make_averaging(averaging)
    _check_count("start", start, 0, "It is the step at which the averaging weights begin to advance; 0 is the paper.")
    _check_count("t0", t0, lowest, "It offsets the averaging weights; 0 is the paper.")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _check_not_negative(name: str, value: Any, advice: str) -> None:
    value = value.item() if isinstance(value, torch.Tensor) else value
    if not (_is_number(value) and value >= 0):
        raise ValueError(f"{name} must be finite and not negative: got {value!r}. {advice}")


def _check_count(name: str, value: Any, low: int, advice: str) -> None:
    if value is not None and not (isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= low):
        raise ValueError(f"{name} must be None or a whole number, at least {low}: got {value!r}. {advice}")
