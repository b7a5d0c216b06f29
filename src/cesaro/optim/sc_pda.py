"""SC-PDA, primal-dual averaging (Tao et al. 2021, Algorithm 2), for networks.

    v_t = (1 - c_t) v_{t-1} + c_t x_t - (c_t/mu) g_t,     x_{t+1} = (1 - c'_{t+1}) x_t + c'_{t+1} P(v_t)

Without a ball the difference d_t = x_t - v_t carries everything, one copy of the parameters:

    d_t = (1 - c_t)(1 - c'_t) d_{t-1} + (c_t/mu) g_t,      x_{t+1} = x_t - c'_{t+1} d_t

where c'_t enters because the step to x_t has already shortened the difference. That is one call of torch's fused SGD kernel
with momentum (1 - c_t)(1 - c'_t), dampening 1 - c_t/mu and lr c'_{t+1}; with constant shares it is the heavy ball.
"""

from typing import Any

import torch
from torch import Tensor

from cesaro.optim import fused as kernel
from cesaro.optim.averaging_optimizer import AveragingOptimizer, Batch
from cesaro.optim.averaging_schedule import now
from cesaro.optim.ball import shrinks
from cesaro.optim.foreach import add_times_


class SCPDA(AveragingOptimizer):
    """Primal-dual averaging. The parameters are the average, always the ones to evaluate: there is no eval mode.

    The arguments are those of `GDA`. State: one copy of the parameters. In the constant phase, at the defaults, SC-PDA is SGD
    with momentum 0.9 and a rate of about lr/10, so that gradients move the parameters by lr in the long run; then the weights
    advance, the rate falls and the average grows longer. start=0, t0=0 is the paper, with lr = 1/mu.
    With a radius the parameters stay in the ball if they start there; from outside they are drawn in step by step.

    >>> import torch
    >>> w = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = SCPDA([w], lr=0.5, start=0, t0=0)
    >>> for _ in range(3):
    ...     optimizer.zero_grad()
    ...     (w**2).sum().backward()
    ...     optimizer.step()
    >>> round(w.item(), 6)
    0.1
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 0.1,
        *,
        averaging: Any = "linear",
        start: int | None = None,
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

    def _begin(self, group: dict, state: dict, x: Tensor) -> None:
        if group["radius"] is None:
            state["d"] = torch.zeros_like(x)
        else:
            state["v"] = x.clone()

    def _update(self, batch: Batch) -> None:
        group, x, g, lists = batch.group, batch.x, batch.g, batch.lists
        at = now(group, batch.t, b=1.0)
        decay, sign = group["weight_decay"], -1.0 if group["maximize"] else 1.0
        other = batch.get("d" if group["radius"] is None else "v")
        if decay and group["decoupled_weight_decay"]:
            lists.scale_(x, 1 - at.decay * decay)
            lists.scale_(other, 1 - at.decay * decay)
            decay = 0.0
        if group["radius"] is not None:
            lists.scale_(other, 1 - at.dual)
            lists.add_(other, x, at.dual - at.rate * decay)
            lists.add_(other, g, -sign * at.rate)
            lists.scale_(x, 1 - at.following)
            add_times_(x, other, shrinks(other, group), at.following)
            return
        momentum = (1 - at.dual) * (1 - at.primal)
        if batch.fused(x, g, other) and momentum > 0:
            kernel.step_(
                x,
                g,
                other,
                lr=at.following,
                momentum=momentum,
                dampening=1 - at.rate,
                weight_decay=decay,
                maximize=sign < 0,
            )
            return
        lists.scale_(other, momentum)
        lists.add_(other, g, sign * at.rate)
        if decay:
            lists.add_(other, x, at.rate * decay)
        lists.add_(x, other, -at.following)
