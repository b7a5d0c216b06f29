"""The base of the averaging optimisers: parameter groups, step counters, checkpoints, and the stages of a step."""

from abc import abstractmethod
from collections.abc import Callable
from numbers import Number
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.optim import Optimizer

from cesaro.optim import fused as fused_sgd
from cesaro.optim import kernels
from cesaro.optim.averaging_schedule import as_plain_value
from cesaro.optim.ball import ball_scale, into_ball_, squares_of
from cesaro.optim.checkpoints import check_own_checkpoint, restore_types
from cesaro.optim.foreach import ForeachOps, LoopOps, lerp_, move_towards_
from cesaro.optim.step_inputs import Active, loss_and_active
from cesaro.optim.validation import check_group, hint_at_rate

FORMAT = 1  # of checkpoints
AVERAGES = ("x", "v", "d", "average")  # what a state may have, beside its counter


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

    def without(self, done: list[bool]) -> "ParameterBatch":
        """The batch without some of its parameters."""
        kept = [i for i, each in enumerate(done) if not each]
        return self._replace(
            x=[self.x[i] for i in kept], g=[self.g[i] for i in kept], states=[self.states[i] for i in kept]
        )

    def use_fused(self, *tensors: list[Tensor]) -> bool:
        """Whether torch's fused kernel is wanted, and supports these lists."""
        wanted = self.group["fused"] or (self.group["fused"] is None and self.group["foreach"] is None)
        return bool(wanted) and fused_sgd.is_supported(*tensors)

    def shrink(self, factor: Any, averages: list[Tensor]) -> float:
        """Decoupled weight decay of x and an average; returns the weight decay that is left for the gradient."""
        decay: float = self.group["weight_decay"]
        if not decay or not self.group["decoupled_weight_decay"]:
            return decay
        for tensors in (self.x, averages):
            self.ops.scale_(tensors, 1 - factor * decay)
        return 0.0

    def move_by_difference(self, *, momentum: Any, rate: Any, decay: float, share: Any) -> None:
        """d <- momentum d + rate (g + decay x), then x <- x - share d: one pass over memory where the fused kernel fits."""
        x, g, d, ops = self.x, self.g, self.get("d"), self.ops
        sign = -1.0 if self.group["maximize"] else 1.0
        if self.use_fused(x, g, d) and momentum > 0:
            given = {"momentum": momentum, "dampening": 1 - rate, "weight_decay": decay, "maximize": sign < 0}
            fused_sgd.step_(x, g, d, lr=share, **given)
            return
        ops.scale_(d, momentum)
        ops.add_(d, g, sign * rate)
        if decay:
            ops.add_(d, x, rate * decay)
        ops.add_(x, d, -share)

    def move_to_projection(self, factors: Any, point: list[Tensor], rate: Any, dual: Any, decay: float) -> None:
        """v <- (1 - dual) v + dual point - rate (g + decay point), then x <- x + c' (P(v) - x): with a ball."""
        x, g, v, ops = self.x, self.g, self.get("v"), self.ops
        sign = -1.0 if self.group["maximize"] else 1.0
        large, (some_v, some_y, some_g) = kernels.divide(v, point, g)
        squares: dict[int, float] = {}
        for one_v, *others in large:
            squares[id(one_v)] = sum(kernels.run(kernels.dual_step, [one_v], others, dual, sign * rate, rate * decay))
        if some_v:
            lerp_(some_v, some_y, dual)
            if decay:
                ops.add_(some_v, some_y, -rate * decay)
            ops.add_(some_v, some_g, -sign * rate)
            squares |= squares_of(some_v)
        scales = [ball_scale(each, self.group, squares.get(id(each))) for each in v]
        move_towards_(x, v, scales, factors.next_primal)


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
        loss, active = loss_and_active(self, closure, AVERAGES)
        for batch in self._batches(active):
            self._update(batch)
        for group, p in active:
            if _has_copy(group, p):
                p.copy_(self.state[p]["x"])
        return loss

    def _batches(self, active: Active) -> list[ParameterBatch]:
        """The parameters by group, step number, type and device, their counters advanced."""
        found: dict[Any, ParameterBatch] = {}
        for group, p in active:
            state = self.state[p]
            if not state:
                state["step"] = torch.tensor(0.0, dtype=torch.float64)
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
            return [batch._replace(t=torch.stack(batch.get("step"))) for batch in found.values()]
        return list(found.values())


def primal_dual_state(group: dict[str, Any], x: Tensor) -> dict[str, Tensor]:
    """v where there is a ball, which x is put into; else the difference d = x - v, which carries everything."""
    return {"d": torch.zeros_like(x)} if group["radius"] is None else {"v": into_ball_(x, group).clone()}


def _has_copy(group: dict[str, Any], p: Tensor) -> bool:
    return group["average_dtype"] is not None and group["average_dtype"] != p.dtype
