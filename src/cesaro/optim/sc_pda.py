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

from cesaro.docstrings import complete
from cesaro.optim.averaging_optimizer import AveragingOptimizer, primal_dual_state
from cesaro.optim.averaging_schedule import step_factors
from cesaro.optim.parameter_batch import ParameterBatch


@complete(AveragingOptimizer)
class SCPDA(AveragingOptimizer):
    """Primal-dual averaging. The parameters are the average, always the ones to evaluate: there is no eval mode.

    State: one copy of the parameters. In the constant phase, at the defaults, SC-PDA is SGD
    with momentum 0.9 and a rate of about lr/10, so that gradients move the parameters by lr in the long run; then the weights
    advance, the rate falls and the average grows longer. start=0, t0=0 is the paper, with lr = 1/mu.
    With a radius the first step puts the parameters into the ball, and there they stay.

    Parameters
    ----------
    lr : float or Tensor, default=0.1
        The step of the constant phase: what SGD without momentum would be given.
    averaging, start, t0, steps : as in `GDA`
        The weights, the step at which they begin to advance, and where they begin; the number of steps, if it is known.
    weight_decay, radius : as in `GDA`
        Weight decay, and the ball that parameters are projected on.
    error_if_nonfinite, maximize, foreach, fused : as in `GDA`
        What is checked, and how it is computed.
    decoupled_weight_decay, per_row, average_dtype : as in `GDA`
        The kind of weight decay and of ball; the type of the averages.

    Examples
    --------
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
        steps: int | None = None,
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
            "steps": steps,
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

    def _init_state(self, group: dict[str, Any], state: dict[str, Any], x: Tensor) -> None:
        state.update(primal_dual_state(group, x))

    def _update(self, batch: ParameterBatch) -> None:
        group = batch.group
        factors = step_factors(group, batch.t, b=1.0)
        decay = batch.shrink(factors.decay, batch.get("d" if group["radius"] is None else "v"))
        if group["radius"] is not None:
            batch.move_to_projection(factors, batch.x, factors.rate, factors.dual, decay)
            return
        momentum = (1 - factors.dual) * (1 - factors.primal)
        batch.move_by_difference(momentum=momentum, rate=factors.rate, decay=decay, share=factors.next_primal)
