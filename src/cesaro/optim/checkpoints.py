"""Checkpoints of the optimisers: which are refused, and the types that torch would round."""

from itertools import chain
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

# Settings of torch's that say how, not what, and have come with time.
FLAGS = {"foreach", "fused", "maximize", "capturable", "differentiable", "decoupled_weight_decay", "param_names"}
FLAGS |= {"error_if_nonfinite"}  # ours


def check_own_checkpoint(state_dict: dict[str, Any], name: str, known: int) -> None:
    """Raise a ValueError unless the groups say that an optimiser of this name has written them, in a known format."""
    for group in state_dict["param_groups"]:
        writer, _, number = str(group.get("format", "")).partition(" ")
        if writer != name:
            written = f"{writer} has written it" if writer else f"its groups have {sorted(group)} and lack ['format']"
            raise ValueError(f"not a checkpoint of {name}: {written}. Load one that the same optimiser has written.")
        check_format(name, int(number) if number.isdigit() else number, known)


def check_checkpoint_of_base(state_dict: dict[str, Any], base: Optimizer, known: int) -> None:
    """Raise a ValueError unless it is a checkpoint of the base, with averages of a format up to `known`, or without."""
    name = type(base).__name__
    for group in state_dict["param_groups"]:
        check_format(f"Averaged({name})", group.get("averaging_format", known), known)
        saved = {key for key in group if not key.startswith("averaging") and key not in FLAGS}
        expected = {key for key in base.defaults if not key.startswith("averaging") and key not in FLAGS}
        if (lacking := sorted(expected - saved)) and (foreign := sorted(saved - expected - {"params", "initial_lr"})):
            raise ValueError(
                f"not a checkpoint of Averaged({name}) or of {name}: its groups have {foreign} and lack {lacking}. "
                "Load one that the same kind of optimiser has written."
            )


def with_own_settings(state_dict: dict[str, Any], optimizer: Optimizer) -> dict[str, Any]:
    """A checkpoint of a bare base with the settings of `optimizer` in place of its own; others as they are."""
    saved, own = state_dict["param_groups"], optimizer.param_groups
    if len(saved) != len(own) or any("averaging_format" in group for group in saved):
        return state_dict
    groups = [{**mine, "params": group["params"]} for mine, group in zip(own, saved, strict=True)]
    return {**state_dict, "param_groups": groups}


def check_format(name: str, found: Any, known: int) -> None:
    """Raise a ValueError for the checkpoint of a later version."""
    if not (isinstance(found, int) and 1 <= found <= known):
        raise ValueError(
            f"this checkpoint of {name} has format {found!r}, and formats up to {known} can be read. "
            "Load it with the version of cesaro that has written it, or a later one."
        )


def restore_types(state_dict: dict[str, Any], optimizer: Optimizer, own: tuple[str, ...], counter: str) -> None:
    """torch casts a state to the parameter's type: averages in a longer one and counters get back what was saved."""
    numbers = chain.from_iterable(group["params"] for group in state_dict["param_groups"])
    params = chain.from_iterable(group["params"] for group in optimizer.param_groups)
    for number, p in zip(numbers, params, strict=True):
        for key, value in state_dict["state"].get(number, {}).items():
            if key == counter:
                optimizer.state[p][key] = torch.as_tensor(value).to("cpu", torch.float64, copy=True)
            elif key in own and isinstance(value, Tensor) and optimizer.state[p][key].dtype != value.dtype:
                optimizer.state[p][key] = value.to(p.device)
