"""The base of the averaging optimisers: parameter groups, step counters, checkpoints, and the stages of a step."""

from abc import abstractmethod
from collections.abc import Callable
from itertools import chain
from numbers import Number
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.optim import Optimizer

from cesaro.optim import fused as fused_sgd
from cesaro.optim.averaging_schedule import as_plain_value
from cesaro.optim.foreach import ForeachOps, LoopOps
from cesaro.optim.validation import check_group


class ParameterBatch(NamedTuple):
    """Parameters that take the same step."""

    group: dict[str, Any]
    t: Any  # the number of this step; inside torch.compile a tensor with one entry per parameter
    x: list[Tensor]  # what is updated: the parameters, or their averages in a longer type
    g: list[Tensor]
    states: list[dict[str, Any]]
    ops: type[ForeachOps] | type[LoopOps]  # how sums over lists of tensors are done

    def get(self, key: str) -> list[Tensor]:
        """One entry of every parameter's state."""
        return [state[key] for state in self.states]

    def use_fused(self, *tensors: list[Tensor]) -> bool:
        """Whether torch's fused kernel is wanted, and supports these lists."""
        wanted = self.group["fused"] or (self.group["fused"] is None and self.group["foreach"] is None)
        return bool(wanted) and fused_sgd.is_supported(*tensors)


class AveragingOptimizer(Optimizer):
    """The interface: a subclass says what its state is (`_init_state`) and how it is updated (`_update`).

    Parameters
    ----------
    params : iterable
        Parameters or groups of them, each with its own settings.
    defaults : dict
        The settings of a group that has no others.

    Raises
    ------
    ValueError
        If a setting is invalid; the message says what was expected.
    """

    @abstractmethod
    def _init_state(self, group: dict[str, Any], state: dict[str, Any], x: Tensor) -> None:
        """Fill the state of a parameter before its first step."""

    @abstractmethod
    def _update(self, batch: ParameterBatch) -> None:
        """Update the parameters of a batch in place; the gradients must not be modified."""

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with settings of their own.

        Parameters
        ----------
        param_group : dict
            "params" and the settings in which the group differs from the defaults.

        Raises
        ------
        ValueError
            If a setting is invalid; the optimiser is then unchanged.
        """
        group = {**self.defaults, **param_group}
        check_group(group)
        numbers = {
            key: value.item() for key, value in group.items() if isinstance(value, Number) and hasattr(value, "item")
        }
        super().add_param_group({**param_group, **numbers, "averaging": as_plain_value(group["averaging"])})
        dtype, params = group["average_dtype"], self.param_groups[-1]["params"]
        if dtype is not None and any(p.is_complex() for p in params):
            self.param_groups.pop()
            raise ValueError(f"average_dtype={dtype} cannot hold complex parameters: put them in a group with None.")

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:  # a checkpoint from before an option existed
            for key, value in self.defaults.items():
                group.setdefault(key, value)
        for saved in filter(None, self.state.values()):
            saved["step"] = torch.as_tensor(saved.get("step", 0.0), dtype=torch.float32)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a checkpoint, as torch does, but averages in a longer type than the parameter's keep theirs.

        Parameters
        ----------
        state_dict : dict
            What `state_dict()` of the same optimiser has returned.

        Raises
        ------
        ValueError
            If the checkpoint is that of another optimiser or of other parameters.
        """
        for group in state_dict["param_groups"]:
            needed: dict[str, Any] = {}
            self._init_state({**self.defaults, **group}, needed, torch.empty(0))
            for saved in filter(None, map(state_dict["state"].get, group["params"])):
                if missing := sorted(needed.keys() - saved.keys()):
                    raise ValueError(
                        f"not a checkpoint of {type(self).__name__}: its state has {sorted(saved)} and lacks {missing}. "
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
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take one step.

        Parameters
        ----------
        closure : callable, optional
            Zeroes the gradients, computes the loss and its gradients, and returns the loss.

        Returns
        -------
        loss
            What the closure has returned, or None.

        Raises
        ------
        RuntimeError
            If a gradient is sparse, or not finite with error_if_nonfinite=True; nothing is changed then.
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

    def _batches(self, active: list[tuple[dict[str, Any], Any]]) -> list[ParameterBatch]:
        """The parameters by group, step number, type and device, their counters advanced."""
        found: dict[Any, ParameterBatch] = {}
        for group, p in active:
            state = self.state[p]
            if not state:
                state["step"] = torch.tensor(0.0)
                if _has_copy(group, p):
                    state["x"] = p.to(group["average_dtype"])
                self._init_state(group, state, state.get("x", p))
        if active:
            torch._foreach_add_([self.state[p]["step"] for _, p in active], 1.0)
        compiling = torch.compiler.is_compiling()
        for group, p in active:
            state = self.state[p]
            t = 0 if compiling else state["step"].item()
            key = (id(group), t, p.dtype, p.device)
            if key not in found:
                found[key] = ParameterBatch(group, t, [], [], [], LoopOps if group["foreach"] is False else ForeachOps)
            batch, x = found[key], state.get("x", p)
            batch.x.append(x)
            batch.g.append(p.grad if p.grad.dtype == x.dtype else p.grad.to(x.dtype))
            batch.states.append(state)
        if compiling:
            return [batch._replace(t=torch.stack(batch.get("step")).double()) for batch in found.values()]
        return list(found.values())


def _has_copy(group: dict[str, Any], p: Tensor) -> bool:
    return group["average_dtype"] is not None and group["average_dtype"] != p.dtype


def _is_finite(g: Tensor) -> bool:
    """A finite sum proves it in one pass; a sum may overflow, so only then is every entry checked."""
    return bool(g.sum().isfinite() or g.isfinite().all())
