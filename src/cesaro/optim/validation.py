"""Validation: the settings of a parameter group, once, when the group is added; its gradients in every step."""

import functools
import logging
import math
from numbers import Integral, Real
from typing import Any

import torch

from cesaro.optim.averaging_schedule import make_averaging

ADAM_RATES = 1e-3  # rates below are seldom meant for SGD


def check_group(group: dict[str, Any]) -> None:
    """Raise a ValueError for an invalid setting: what was given, what was expected, what to do."""
    lr = group["lr"]
    _check_one_rate(lr)
    _check_not_negative("lr", lr, "It is the step of the constant phase, what SGD would be given.")
    _check_not_negative("weight_decay", group["weight_decay"], "Use 0.0 for none.")
    lowest = -1 if group.get("dual") == "plain" else 0
    check_schedule(group["averaging"], group["start"], group["t0"], group["steps"], lowest)
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
    _check_dual(group.get("dual", "plain"))
    if group.get("dual") == "plain" and group["steps"] is not None:
        raise ValueError(
            f'steps={group["steps"]!r} sets `start`, and dual="plain" averages from the first step whatever the horizon: '
            "leave it out, or give start."
        )


def hint_at_rate(name: str, lr: Any) -> None:
    """Say once, in the log, that a rate looks like one for AdamW."""
    if 0 < float(lr) < ADAM_RATES:
        _hint(name, float(lr))


@functools.cache
def _hint(name: str, lr: float) -> None:
    logging.getLogger("cesaro.optim").warning(
        "%s has lr=%g, which is in AdamW's range: lr is the step of SGD here, and 0.1 is usual. "
        "With rates like this use averaged_adamw(params, lr).",
        name,
        lr,
    )


def check_averaged_group(group: dict[str, Any]) -> None:
    """The same for the settings that `Averaged` adds to a group of its base, and for the base's rate."""
    _check_one_rate(group["lr"])
    _check_not_negative("lr", group["lr"], "It is the rate of the constant phase.")
    schedule = (group[key] for key in ("averaging", "averaging_start", "averaging_t0", "averaging_steps"))
    check_schedule(*schedule)
    _check_dual(group["averaging_dual"])
    _check_not_negative("weight_decay", group["averaging_weight_decay"], "Use 0.0 for none.")
    _check_not_negative("ahead", group["averaging_ahead"], "0 takes gradients at the average, 2 ahead of it.")
    _check_count(
        "warmup", group["averaging_warmup"], 0, "It is the number of steps over which the rate rises; 0: none."
    )


def check_gradients(name: str, active: list[tuple[dict[str, Any], list[Any]]]) -> None:
    """Raise before anything is changed: for rates that are no numbers, gradients that are sparse or, on request, not finite."""
    for group, params in active:
        _check_one_rate(group["lr"])
        finite = group.get("error_if_nonfinite")
        for p in params:
            if p.grad.is_sparse:
                raise RuntimeError(
                    f"{name} does not support sparse gradients: got one for a parameter of shape "
                    f"{tuple(p.shape)}. Use sparse=False in the embedding, or torch.optim.SparseAdam for that parameter."
                )
            if finite and not _is_finite(p.grad):
                raise RuntimeError(
                    f"the gradient of a parameter of shape {tuple(p.shape)} contains NaN or inf; nothing was changed. "
                    "Lower lr, clip gradients, or pass error_if_nonfinite=False."
                )


def check_shapes(params: list[Any], state: Any, keys: tuple[str, ...]) -> None:
    """Raise before anything is changed if a parameter has no longer the shape of its averages."""
    for p in params:
        for key, average in state.get(p, {}).items():
            if key in keys and average.shape != p.shape:
                raise RuntimeError(
                    f"a parameter of shape {tuple(p.shape)} has been resized: its {key!r} has shape {tuple(average.shape)}. "
                    "Delete optimizer.state[parameter] to begin its averages anew, or construct a new optimizer."
                )


def check_schedule(averaging: Any, start: Any, t0: Any, steps: Any = None, lowest: int = 0) -> None:
    """The same for the settings of an averaging schedule; t0 is at least `lowest`."""
    make_averaging(averaging)
    _check_count("steps", steps, 1, "It is the number of steps that you will take; leave it out if you do not know.")
    _check_count("start", start, 0, "It is the step at which the averaging weights begin to advance; 0 is the paper.")
    _check_count("t0", t0, lowest, "It offsets the averaging weights; 0 is the paper.")


def _check_dual(dual: Any) -> None:
    if dual not in ("plain", "average"):
        raise ValueError(f'dual must be "plain" or "average": got {dual!r}. Schedule-Free is "plain".')


def _check_one_rate(lr: Any) -> None:
    if isinstance(lr, torch.Tensor) and lr.numel() != 1:
        raise ValueError(f"a Tensor lr must have one element: got shape {tuple(lr.shape)}.")


def _is_finite(g: torch.Tensor) -> bool:
    """A finite sum proves it in one pass; a sum may overflow, so only then is every entry checked."""
    return bool(g.sum().isfinite() or g.isfinite().all())


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _check_not_negative(name: str, value: Any, advice: str) -> None:
    value = value.item() if isinstance(value, torch.Tensor) else value
    if not (_is_number(value) and value >= 0):
        raise ValueError(f"{name} must be finite and not negative: got {value!r}. {advice}")


def _check_count(name: str, value: Any, low: int, advice: str) -> None:
    if value is not None and not (isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= low):
        raise ValueError(f"{name} must be None or a whole number, at least {low}: got {value!r}. {advice}")
