"""The base of the averaging optimisers: parameter groups, step counters, checkpoints, and the stages of a step."""

from abc import abstractmethod
from collections.abc import Callable
from numbers import Number
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from cesaro.optim.averaging_schedule import as_plain_value
from cesaro.optim.ball import into_ball_
from cesaro.optim.checkpoints import check_own_checkpoint, restore_types
from cesaro.optim.foreach import ForeachOps, LoopOps
from cesaro.optim.parameter_batch import ParameterBatch
from cesaro.optim.step_inputs import Active, active_parameters, loss_of
from cesaro.optim.validation import check_group, hint_at_rate

FORMAT = 1  # of checkpoints
AVERAGES = ("x", "v", "d", "average")  # what a state may have, beside its counter


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

    References
    ----------
    Tao, Li, Pan, Tao: Gradient descent averaging and primal-dual averaging for strongly convex optimization, AAAI 2021,
    arXiv 2012.14558.
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
        hint_at_rate(type(self).__name__, group["lr"])
        numbers = {
            key: value.item() for key, value in group.items() if isinstance(value, Number) and hasattr(value, "item")
        }
        plain = {"averaging": as_plain_value(group["averaging"]), "format": f"{type(self).__name__} {FORMAT}"}
        super().add_param_group({**param_group, **numbers, **plain})
        dtype, params = group["average_dtype"], self.param_groups[-1]["params"]
        if dtype is not None and any(p.is_complex() for p in params):
            self.param_groups.pop()
            raise ValueError(f"average_dtype={dtype} cannot hold complex parameters: put them in a group with None.")

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        options = self.defaults.keys() - {"differentiable"}  # which torch adds to the defaults of whatever is loaded
        for group in self.param_groups:  # a checkpoint from before an option existed
            for key in options:
                group.setdefault(key, self.defaults[key])
        for saved in filter(None, self.state.values()):
            saved["step"] = torch.as_tensor(saved.get("step", 0.0), dtype=torch.float64)

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
        check_own_checkpoint(state_dict, type(self).__name__, FORMAT)
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
        restore_types(state_dict, self, own=AVERAGES, counter="step")

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
        loss = loss_of(closure)
        self._advance()
        return loss

    def _advance(self) -> None:
        """The step, with the gradients that there are."""
        active = active_parameters(self, AVERAGES)
        for batch in self._batches(active):
            self._update(batch)
        for group, params in active:
            if group["average_dtype"] is not None:
                for p in params:
                    if _has_copy(group, p):
                        p.copy_(self.state[p]["x"])

    def _batches(self, active: Active) -> list[ParameterBatch]:
        """The parameters by group, step number, type and device, their counters advanced."""
        each = [(group, p, self._begun_state(group, p)) for group, params in active for p in params]
        if each:
            torch._foreach_add_([state["step"] for _, _, state in each], 1.0)
        found: dict[Any, ParameterBatch] = {}
        compiling = torch.compiler.is_compiling()
        for group, p, state in each:
            t = 0 if compiling else state["step"].item()
            key = (id(group), t, p.dtype, p.device)
            batch = found.get(key)
            if batch is None:
                ops = LoopOps if group["foreach"] is False else ForeachOps
                batch = found[key] = ParameterBatch(group, t, [], [], [], ops)
            x, g = state.get("x", p), p.grad
            assert g is not None
            batch.x.append(x)
            batch.g.append(g if g.dtype == x.dtype else g.to(x.dtype))
            batch.states.append(state)
        if compiling:
            return [batch._replace(t=torch.stack(batch.get("step"))) for batch in found.values()]
        return list(found.values())

    def _begun_state(self, group: dict[str, Any], p: Tensor) -> dict[str, Any]:
        """The state of a parameter, filled if this is its first step."""
        state: dict[str, Any] = self.state[p]
        if not state:
            state["step"] = torch.tensor(0.0, dtype=torch.float64)
            if _has_copy(group, p):
                state["x"] = p.to(group["average_dtype"])
            self._init_state(group, state, state.get("x", p))
        return state


def primal_dual_state(group: dict[str, Any], x: Tensor) -> dict[str, Tensor]:
    """v where there is a ball, which x is put into; else the difference d = x - v, which carries everything."""
    return {"d": torch.zeros_like(x)} if group["radius"] is None else {"v": into_ball_(x, group).clone()}


def _has_copy(group: dict[str, Any], p: Tensor) -> bool:
    return group["average_dtype"] is not None and group["average_dtype"] != p.dtype
