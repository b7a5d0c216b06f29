"""Interpolation between GDA and SC-PDA, and Schedule-Free SGD (Defazio et al. 2024): gradients between the averages.

    y_t = (1 - b) w_{t-1} + b x_t,     g_t at y_t,     x_{t+1} = (1 - c'_{t+1}) x_t + c'_{t+1} w_t,     w_t = P(v_t)

    dual="average"   v_t = (1 - c_t) v_{t-1} + c_t y_t - (c_t/mu) g_t      b = 0 is GDA, b = 1 is SC-PDA
    dual="plain"     v_t = v_{t-1} - lr g_t                                b = 0.9 is Schedule-Free SGD, b = 1 primal averaging

For 0 < b < 1 gradients belong to y while x is the answer. `step` therefore takes a closure and moves the parameters to y only
while the closure runs: outside `step` they are always x. There is no mode to switch and none to forget, and without a closure
`step` raises. For b = 0 and b = 1 gradients are taken at the answer itself, and no closure is needed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from cesaro.docstrings import complete
from cesaro.optim.averaging_optimizer import AveragingOptimizer, ParameterBatch
from cesaro.optim.averaging_schedule import step_factors
from cesaro.optim.ball import ball_scales
from cesaro.optim.foreach import add_times_, copy_


@complete(AveragingOptimizer)
class Interpolated(AveragingOptimizer):
    """Averaging with gradients at (1-b) w + b x. Needs a closure for 0 < b < 1; the parameters are always the ones to evaluate.

    State: one copy of the parameters, and room for another while the closure runs.

    Parameters
    ----------
    lr : float or Tensor, default=0.1
        The step of SGD; with dual="average" that of the constant phase, as in `GDA`.
    b : float, default=0.9
        How far towards the primal average x gradients are taken.
    dual : {"plain", "average"}, default="plain"
        The plain step of Schedule-Free and of primal averaging, or the family's own dual average.
    averaging, start, t0 : as in `GDA`
        By default uniform weights from the first step; with dual="plain" t0=-1 (the default) leaves the starting
        point out of the average, as the package schedulefree does, and before `start` there is no average.
    weight_decay, radius : as in `GDA`
        Weight decay, and the ball that w is projected on.
    error_if_nonfinite, maximize, foreach : as in `GDA`
        What is checked, and how it is computed.
    fused : bool, optional
        Accepted, but there is no fused form.
    decoupled_weight_decay, per_row, average_dtype : as in `GDA`
        The kind of weight decay and of ball; the type of the averages.

    Examples
    --------
    >>> import torch
    >>> w = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = Interpolated([w], lr=0.25)
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (w**2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure).item(), w.item()
    (1.0, 0.5)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 0.1,
        *,
        b: float = 0.9,
        dual: str = "plain",
        averaging: Any = "uniform",
        start: int | None = 0,
        t0: int | None = None,
        weight_decay: float = 0.0,
        radius: float | None = None,
        error_if_nonfinite: bool = False,
        maximize: bool = False,
        foreach: bool | None = None,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
        per_row: bool = False,
        average_dtype: torch.dtype | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "b": b,
            "dual": dual,
            "averaging": averaging,
            "start": start,
            "t0": t0,
            "weight_decay": weight_decay,
            "radius": radius,
            "error_if_nonfinite": error_if_nonfinite,
            "maximize": maximize,
            "foreach": foreach,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
            "per_row": per_row,
            "average_dtype": average_dtype,
        }
        super().__init__(params, defaults)

    @complete(AveragingOptimizer.step)
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take one step. For 0 < b < 1 the closure is required, as for torch.optim.LBFGS.

        Raises
        ------
        RuntimeError
            Without a closure where one is required; for gradients that are sparse or, on request, not finite.
        """
        if not any(0 < group["b"] < 1 for group in self.param_groups):
            return super().step(closure)
        if closure is None:
            if all(float(group["lr"]) == 0 for group in self.param_groups):
                return super().step()  # how torch.distributed.checkpoint creates the state
            raise RuntimeError(
                "Interpolated with 0 < b < 1 needs a closure: got None. Gradients are taken at y, while the parameters hold x: "
                "write optimizer.step(closure), where closure() zeroes the gradients, runs backward and returns the loss."
            )
        with self._at_y(), torch.enable_grad():
            loss = closure()
        super().step()
        return loss

    def _init_state(self, group: dict[str, Any], state: dict[str, Any], x: Tensor) -> None:
        state["v"] = x.clone()

    def _update(self, batch: ParameterBatch) -> None:
        group, x, g, v, ops = batch.group, batch.x, batch.g, batch.get("v"), batch.ops
        b, decay, sign = group["b"], group["weight_decay"], -1.0 if group["maximize"] else 1.0
        factors = step_factors(_with_t0(group), batch.t, b)
        c, rate, shrink = factors.dual, factors.rate, factors.decay
        if group["dual"] == "plain":
            c, rate, shrink = 0.0, factors.lr, factors.lr
        if decay and group["decoupled_weight_decay"]:
            ops.scale_(x, 1 - shrink * decay)
            ops.scale_(v, 1 - shrink * decay)
            decay = 0.0
        ball = group["radius"] is not None
        if group["dual"] == "average" or decay:
            y = x
            if 0 < b < 1:
                _interpolate_(y := [p.clone() for p in x], v, group)
            ops.scale_(v, 1 - c)
            ops.add_(v, y, c - rate * decay)
        ops.add_(v, g, -sign * rate)
        if b == 0:
            copy_(x, v, ball_scales(v, group) if ball else None)
            return
        ops.scale_(x, 1 - factors.next_primal)
        if ball:
            add_times_(x, v, ball_scales(v, group), factors.next_primal)
        else:
            ops.add_(x, v, factors.next_primal)

    @contextmanager
    def _at_y(self) -> Iterator[None]:
        """The parameters are y in here and exactly x again afterwards, whatever happens."""
        saved = self.__dict__.setdefault("_saved", {})  # room for x, not part of the state
        moved = []
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if 0 < group["b"] < 1 and "v" in self.state.get(p, {}):
                        saved[p] = saved[p].copy_(p) if p in saved else p.detach().clone()
                        moved.append(p)
                        p.copy_(self.state[p].get("x", p))
                        _interpolate_([p], [self.state[p]["v"]], group)
        try:
            yield
        finally:
            with torch.no_grad():
                copy_(moved, [saved[p] for p in moved])


def _interpolate_(x: list[Tensor], v: list[Tensor], group: dict[str, Any]) -> None:
    """x becomes y = (1-b) w + b x with w = P(v)."""
    v = [w.to(y.dtype) for w, y in zip(v, x, strict=True)]
    torch._foreach_mul_(x, group["b"])
    if group["radius"] is None:
        torch._foreach_add_(x, v, alpha=1 - group["b"])
    else:
        add_times_(x, v, ball_scales(v, group), 1 - group["b"])


def _with_t0(group: dict[str, Any]) -> dict[str, Any]:
    """With the plain dual step the weights begin at the first w, unless told otherwise."""
    return {**group, "t0": -1} if group["dual"] == "plain" and group["t0"] is None else group
