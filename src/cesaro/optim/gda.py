"""GDA, gradient descent averaging (Tao et al. 2021, Algorithm 1), for networks.

    v_t = (1 - c_t) v_{t-1} + c_t x_t - (c_t/mu) g_t,     x_{t+1} = P(v_t)

Without a ball v_t = x_{t+1}, so that x_{t+1} = x_t - (c_t/mu) g_t: SGD with a schedule (`AveragingLR`),
and no state but a counter.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from cesaro.docstrings import complete
from cesaro.optim import fused as fused_sgd
from cesaro.optim.averaging_optimizer import AveragingOptimizer
from cesaro.optim.averaging_schedule import step_factors
from cesaro.optim.ball import into_ball_
from cesaro.optim.parameter_batch import ParameterBatch


@complete(AveragingOptimizer)
class GDA(AveragingOptimizer):
    """Gradient descent averaging. The parameters are always the ones to evaluate: there is no eval mode.

    Parameters
    ----------
    lr : float or Tensor, default=0.1
        The step of the constant phase: what SGD would be given.
    averaging : {"linear", "uniform"}, float, or an object from cesaro.weights, default="linear"
        The weights a_t = gamma_t. A number from 1 on is a power, one between 0 and 1 a geometric rate.
    start : int, optional
        The step at which the weights begin to advance; the rate is constant before it. By default two thirds of `steps`; if
        you do not know them either, the rate is constant for 1000 steps and then falls slowly, like 1/sqrt(t).
    t0 : int, optional
        Where the weights begin: the first is a_{t0+1}. By default so that the averages of the constant phase remember about
        20 steps. start=0, t0=0 is the paper, with lr = 1/mu.
    steps : int, optional
        The number of steps that you will take, if you know it: it sets `start`.
    weight_decay : float, default=0.0
        Adds weight_decay * x to the gradient; with decoupled_weight_decay=True it shrinks x instead, as AdamW does.
    radius : float, optional
        Projects every parameter on the ball |x| <= radius, or with per_row=True every row of it (max-norm). Costs one copy.
    error_if_nonfinite : bool, default=False
        Raise, and change nothing, if a gradient contains NaN or inf. By default nothing is checked, as in torch.
    maximize, foreach, fused : bool, optional
        As in torch.optim.SGD. By default the fastest that fits; where the fused kernel does not, fused=True means foreach.
    decoupled_weight_decay, per_row : bool, default=False
        See `weight_decay` and `radius`.
    average_dtype : torch.dtype, optional
        Store a copy of the parameters in this type (torch.float32 for bfloat16 parameters), so that small updates are not lost.
        The copy is what is trained: parameters that you change by hand between steps are overwritten by it.
    average : bool, default=False
        Also compute the a-weighted average of the x_t, the paper's output; `with optimizer.averaged(): ...` shows it. One copy.

    Examples
    --------
    >>> import torch
    >>> w = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = GDA([w], lr=0.5)
    >>> (w**2).sum().backward()
    >>> optimizer.step()
    >>> w.item()
    0.0
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
        average: bool = False,
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
            "average": average,
        }
        super().__init__(params, defaults)

    def _init_state(self, group: dict[str, Any], state: dict[str, Any], x: Tensor) -> None:
        if group["radius"] is not None:
            state["v"] = into_ball_(x, group).clone()
        if group["average"]:
            state["average"] = x.clone()

    def _update(self, batch: ParameterBatch) -> None:
        group, x, g, ops = batch.group, batch.x, batch.g, batch.ops
        factors = step_factors(group, batch.t, b=0.0)
        c, rate = factors.dual, factors.rate
        decay, sign = group["weight_decay"], -1.0 if group["maximize"] else 1.0
        if group["average"]:
            ops.scale_(batch.get("average"), 1 - c)
            ops.add_(batch.get("average"), x, c)
        if group["radius"] is not None:
            decay = batch.shrink(factors.decay, batch.get("v"))
            batch.move_to_projection(factors._replace(next_primal=1.0), x, rate, c, decay)
        elif batch.use_fused(x, g):  # without a ball coupled and decoupled decay are the same
            fused_sgd.step_(x, g, [], lr=rate, momentum=0.0, dampening=0.0, weight_decay=decay, maximize=sign < 0)
        else:
            if decay:
                ops.scale_(x, 1 - rate * decay)
            ops.add_(x, g, -sign * rate)

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Within this context the parameters are their a-weighted averages (average=True).

        Yields
        ------
        None
            The parameters are the trained ones again afterwards, whatever happens.

        Raises
        ------
        RuntimeError
            If there is no average yet.

        Examples
        --------
        >>> w = torch.nn.Parameter(torch.tensor([1.0]))
        >>> optimizer = GDA([w], lr=0.5, average=True)
        >>> (w**2).sum().backward()
        >>> optimizer.step()
        >>> with optimizer.averaged():
        ...     print(w.item())
        1.0
        """
        params = [p for group in self.param_groups for p in group["params"] if "average" in self.state.get(p, {})]
        if not params:
            raise RuntimeError("there is no average: construct GDA with average=True and take a step first.")
        trained = [p.detach().clone() for p in params]
        with torch.no_grad():
            for p in params:
                p.copy_(self.state[p]["average"])
            try:
                yield
            finally:
                for p, x in zip(params, trained, strict=True):
                    p.copy_(x)
