"""The settings of `Averaged` in the groups of its base: their names, which bases will do, and what is warned of."""

import inspect
import math
import warnings
from typing import Any

import torch
from torch.optim import Optimizer

from cesaro.optim.averaging_schedule import make_averaging
from cesaro.weights import Geometric

PREFIXED = ("steps", "start", "t0", "ahead", "dual", "warmup")  # in groups: averaging_steps and so on


def spell_out(group: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """The group with our settings under their names in groups; what the base itself calls `steps`, say, is its own."""
    named = dict(group)
    for short in PREFIXED:
        if short not in named or short in defaults:
            continue
        if f"averaging_{short}" in named:
            raise ValueError(
                f"a group has both {short!r} and 'averaging_{short}', which are one setting: leave one out."
            )
        named[f"averaging_{short}"] = named.pop(short)
    if "beta2" in named and "betas" in defaults and "beta2" not in defaults:
        beta2 = named.pop("beta2")
        if not 0.0 <= beta2 < 1.0:
            raise ValueError(f"beta2 must lie between 0 and 1, below 1: got {beta2!r}. 0.99 is the default.")
        named["betas"] = (defaults["betas"][0], beta2)
    return named


def check_base(base: Any, *refused: type) -> None:
    """Raise a TypeError unless it is an optimiser, none of those refused, whose step needs no closure."""
    name = type(base).__name__
    if not isinstance(base, Optimizer) or isinstance(base, refused):
        raise TypeError(
            f"base must be a torch optimiser that takes one gradient a step: got {name}. "
            "Construct it first: Averaged(torch.optim.AdamW(params, lr, betas=(0.0, 0.95)))."
        )
    taken = inspect.signature(base.step).parameters.values()
    if needed := [p.name for p in taken if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]:
        raise TypeError(
            f"base must be a torch optimiser that takes one gradient a step: {name}.step() cannot be called without "
            f"{needed[0]!r}. Averaged calls it once a step, when the gradients are there."
        )


def momentum_of(group: dict[str, Any]) -> float:
    """The momentum of an optimiser of torch's making, under either of its names."""
    betas = group.get("betas") or (0.0,)
    return max(float(betas[0]), float(group.get("momentum") or 0.0))


def warn_of_momentum(base: Optimizer, groups: list[dict[str, Any]]) -> None:
    """Averaging acts as momentum: say so where the base has some too."""
    if momentum := max(map(momentum_of, groups)):
        without = "betas=(0.0, ...)" if "betas" in base.defaults else "momentum=0.0"
        ready = ", or use averaged_adamw(params, lr)" if isinstance(base, torch.optim.Adam) else ""
        warnings.warn(
            f"{type(base).__name__} has momentum {momentum:g}, and averaging acts as momentum already: "
            f"construct it with {without}{ready}.",
            stacklevel=3,
        )


class SettingsWatch:
    """What may go wrong with a base's groups between steps: a rate that is lowered twice, momentum, names that do nothing.

    Parameters
    ----------
    base : torch.optim.Optimizer
        The base, of whose momentum at present the constructor has told.
    """

    def __init__(self, base: Optimizer) -> None:
        self.momentum = max((momentum_of(group) for group in base.param_groups), default=0.0)
        self.rates: dict[int, float] = {}  # of the last step, by the group's number
        self.warned_of_decay = False

    def forget_rates(self) -> None:
        """A checkpoint has brought others: that they are lower is no decay."""
        self.rates.clear()

    def look(self, base: Optimizer) -> None:
        """Look at the groups before a step. Warns of each thing once; raises a ValueError before anything is changed."""
        if torch.compiler.is_compiling():
            return
        for number, group in enumerate(base.param_groups):
            _refuse_short_names(group, base.defaults)
            self._look_at_momentum(group)
            if not self.warned_of_decay:
                self._look_at_rate(number, group)

    def _look_at_momentum(self, group: dict[str, Any]) -> None:
        if any(map(torch.is_tensor, group.get("betas") or ())) or (momentum := momentum_of(group)) <= self.momentum:
            return
        before, self.momentum = self.momentum, math.inf  # once
        warnings.warn(
            f"the base has momentum {momentum:g}, where it had {before:g}, and averaging acts as momentum already: "
            "with OneCycleLR or CyclicLR pass cycle_momentum=False.",
            stacklevel=3,
        )

    def _look_at_rate(self, number: int, group: dict[str, Any]) -> None:
        lr = group["lr"]
        if torch.is_tensor(lr):
            if lr.device.type != "cpu":  # to read it would be to wait for the device
                return
            lr = lr.item()
        before, self.rates[number] = self.rates.get(number, lr), lr
        if lr < before and _falls(group):
            self.warned_of_decay = True
            warnings.warn(
                f"lr has been lowered from {before:g} to {lr:g}, by an LR scheduler or by hand, and averaging lowers the rate "
                "too: use schedulers for warm-up only, or Averaged(base, averaging=0.05), whose rate does not fall by itself.",
                stacklevel=3,
            )


def _refuse_short_names(group: dict[str, Any], defaults: dict[str, Any]) -> None:
    """The constructor's names are translated when a group is added; written later they would do nothing."""
    names = {short: f"averaging_{short}" for short in PREFIXED} | ({"beta2": "betas"} if "betas" in defaults else {})
    for short, long in names.items():
        if short in group and short not in defaults:
            raise ValueError(
                f"a group of Averaged has been given {short!r}, which does nothing there: delete group[{short!r}] and set "
                f"group[{long!r}]."
            )


def _falls(group: dict[str, Any]) -> bool:
    """Whether the share falls, and the rate with it."""
    return group["averaging_dual"] != "plain" and not isinstance(make_averaging(group["averaging"]), Geometric)
