"""What the averaging optimisers share: groups, counters, checkpoints, and the order of things in a step."""

from abc import abstractmethod
from itertools import chain
from numbers import Number
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.optim import Optimizer

from cesaro.optim import fused as kernel
from cesaro.optim.averaging_schedule import plain
from cesaro.optim.foreach import OneByOne, Together
from cesaro.optim.validation import check


class Batch(NamedTuple):
    """Parameters that take the same step."""

    group: dict
    t: Any  # the number of this step; inside torch.compile a tensor with one entry per parameter
    x: list[Tensor]  # what is updated: the parameters, or their averages in a longer type
    g: list[Tensor]
    states: list[dict]
    lists: Any  # how to do sums: Together or OneByOne

    def get(self, key: str) -> list[Tensor]:
        return [state[key] for state in self.states]

    def fused(self, *tensors: list[Tensor]) -> bool:
        """Is torch's fused kernel wanted for these lists, and does it fit?"""
        wanted = self.group["fused"] or (self.group["fused"] is None and self.group["foreach"] is None)
        return bool(wanted) and kernel.fits(*tensors)


class AveragingOptimizer(Optimizer):
    """The interface: a subclass says what its state is (`_begin`) and how it steps (`_update`)."""

    @abstractmethod
    def _begin(self, group: dict, state: dict, x: Tensor) -> None:
        """Fill the state of a parameter before its first step."""

    @abstractmethod
    def _update(self, batch: Batch) -> None:
        """Take one step; the gradients are not to be modified."""

    def add_param_group(self, param_group: dict) -> None:
        group = {**self.defaults, **param_group}
        check(group)
        numbers = {
            key: value.item() for key, value in group.items() if isinstance(value, Number) and hasattr(value, "item")
        }
        super().add_param_group({**param_group, **numbers, "averaging": plain(group["averaging"])})
        dtype, params = group["average_dtype"], self.param_groups[-1]["params"]
        if dtype is not None and any(p.is_complex() for p in params):
            self.param_groups.pop()
            raise ValueError(f"average_dtype={dtype} cannot hold complex parameters: put them in a group with None.")

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        for group in self.param_groups:  # a checkpoint from before an option existed
            for key, value in self.defaults.items():
                group.setdefault(key, value)
        for own in filter(None, self.state.values()):
            own["step"] = torch.as_tensor(own.get("step", 0.0), dtype=torch.float32)

    def load_state_dict(self, state_dict: dict) -> None:
        """As torch's, which casts every state to the parameter's type; averages in a longer type keep theirs."""
        for group in state_dict["param_groups"]:
            needed: dict[str, Any] = {}
            self._begin({**self.defaults, **group}, needed, torch.empty(0))
            for own in filter(None, map(state_dict["state"].get, group["params"])):
                if missing := sorted(needed.keys() - own.keys()):
                    raise ValueError(
                        f"not a checkpoint of {type(self).__name__}: its state has {sorted(own)} and lacks {missing}. "
                        "Load one that the same optimiser has written with the same settings."
                    )
        super().load_state_dict(state_dict)
        numbers = chain.from_iterable(group["params"] for group in state_dict["param_groups"])
        params = chain.from_iterable(group["params"] for group in self.param_groups)
        for number, p in zip(numbers, params, strict=True):
            for key, value in state_dict["state"].get(number, {}).items():
                if key == "step":
                    self.state[p][key] = self.state[p][key].cpu()
                elif isinstance(value, Tensor) and self.state[p][key].dtype != value.dtype:
                    self.state[p][key] = value.to(p.device)

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """Take one step.

        closure : callable, optional
            Computes the loss and its gradients; its value is returned.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        active = [(group, p) for group in self.param_groups for p in group["params"] if p.grad is not None]
        for group, p in active:
            if p.grad.is_sparse:
                raise RuntimeError(
                    f"{type(self).__name__} does not support sparse gradients: got one for a parameter of shape "
                    f"{tuple(p.shape)}. Use sparse=False in the embedding, or torch.optim.SparseAdam for that parameter."
                )
            if group["error_if_nonfinite"] and not _is_finite(p.grad):
                raise RuntimeError(
                    f"the gradient of a parameter of shape {tuple(p.shape)} contains NaN or inf; nothing was changed. "
                    "Lower lr, clip gradients, or pass error_if_nonfinite=False."
                )
        for batch in self._batches(active):
            self._update(batch)
        for group, p in active:
            if _has_copy(group, p):
                p.copy_(self.state[p]["x"])
        return loss

    def _batches(self, active: list) -> list[Batch]:
        """Parameters by group, step number, type and device."""
        found: dict[Any, Batch] = {}
        for group, p in active:
            state = self.state[p]
            if not state:
                state["step"] = torch.tensor(0.0)
                if _has_copy(group, p):
                    state["x"] = p.to(group["average_dtype"])
                self._begin(group, state, state.get("x", p))
        if active:
            torch._foreach_add_([self.state[p]["step"] for _, p in active], 1.0)
        compiling = torch.compiler.is_compiling()
        for group, p in active:
            state = self.state[p]
            t = 0 if compiling else state["step"].item()
            key = (id(group), t, p.dtype, p.device)
            if key not in found:
                found[key] = Batch(group, t, [], [], [], OneByOne if group["foreach"] is False else Together)
            batch, x = found[key], state.get("x", p)
            batch.x.append(x)
            batch.g.append(p.grad if p.grad.dtype == x.dtype else p.grad.to(x.dtype))
            batch.states.append(state)
        if compiling:
            return [batch._replace(t=torch.stack(batch.get("step")).double()) for batch in found.values()]
        return list(found.values())


def _has_copy(group: dict, p: Tensor) -> bool:
    return group["average_dtype"] is not None and group["average_dtype"] != p.dtype


def _is_finite(g: Tensor) -> bool:
    """A finite sum proves it in one pass; a sum may overflow, so only then is every entry looked at."""
    return bool(g.sum().isfinite() or g.isfinite().all())
