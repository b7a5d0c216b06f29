"""Interpolation between GDA and SC-PDA, and Schedule-Free SGD (Defazio et al. 2024): gradients between the averages.

    y_t = (1 - b) w_{t-1} + b x_t,     g_t at y_t,     x_{t+1} = (1 - c'_{t+1}) x_t + c'_{t+1} w_t,     w_t = P(v_t)

    dual="average"   v_t = (1 - c_t) v_{t-1} + c_t y_t - (c_t/mu) g_t      b = 0 is GDA, b = 1 is SC-PDA
    dual="plain"     v_t = v_{t-1} - lr g_t                                b = 0.9 is Schedule-Free SGD, b = 1 primal averaging

For 0 < b < 1 gradients belong to y while x is the answer. `step` therefore takes a closure and moves the parameters to y only
while the closure runs: outside `step` they are always x. There is no mode to switch and none to forget, and without a closure
`step` raises. For b = 0 and b = 1 gradients are taken at the answer itself, and no closure is needed.

Without a ball the difference d_t = x_t - v_t carries everything, as in SC-PDA:

    y_t = x_t - (1 - b)(1 - c'_t) d_{t-1}
    d_t = (1 - b c_t)(1 - c'_t) d_{t-1} + (c_t/mu) g_t,     x_{t+1} = x_t - c'_{t+1} d_t
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from cesaro.docstrings import complete
from cesaro.optim import kernel_calls, kernels
from cesaro.optim.averaging_optimizer import AVERAGES, AveragingOptimizer, primal_dual_state
from cesaro.optim.averaging_schedule import StepFactors, step_factors
from cesaro.optim.ball import ball_scales
from cesaro.optim.foreach import move_towards_
from cesaro.optim.parameter_batch import ParameterBatch
from cesaro.optim.step_inputs import loss_of
from cesaro.optim.validation import check_shapes
from cesaro.optim.way_back import WayBack


@complete(AveragingOptimizer)
class Interpolated(AveragingOptimizer):
    """Averaging with gradients at (1-b) w + b x. Needs a closure for 0 < b < 1; the parameters are always the ones to evaluate.

    State: one copy of the parameters. An error in the closure leaves them as they were, to rounding; to the bit with
    error_if_nonfinite=True or a radius, for which there is room for another copy while the closure runs.

    Parameters
    ----------
    lr : float or Tensor, default=0.1
        The step of SGD; with dual="average" that of the constant phase, as in `GDA`.
    b : float, default=0.9
        How far towards the primal average x gradients are taken.
    dual : {"plain", "average"}, default="plain"
        The plain step of Schedule-Free and of primal averaging, or the family's own dual average.
    averaging, start, t0, steps : as in `GDA`
        By default uniform weights from the first step; with dual="plain" t0=-1 (the default) leaves the starting
        point out of the average, as the package schedulefree does, and t0=0 counts it, as the paper of Schedule-Free prints
        it; before `start` there is no average, and `steps` is refused: that form needs no horizon.
    weight_decay, radius : as in `GDA`
        Weight decay, and the ball that w is projected on.
    error_if_nonfinite, maximize, foreach, fused : as in `GDA`
        What is checked, and how it is computed.
    decoupled_weight_decay, per_row, average_dtype : as in `GDA`
        The kind of weight decay and of ball; the type of the averages.

    References
    ----------
    Defazio, Yang, Mehta, Mishchenko, Khaled, Cutkosky: The road less scheduled, NeurIPS 2024, arXiv 2405.15682.

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

    _way_back: WayBack | None = None  # from y, while step() runs

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 0.1,
        *,
        b: float = 0.9,
        dual: str = "plain",
        averaging: Any = "uniform",
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
            "b": b,
            "dual": dual,
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

    @complete(AveragingOptimizer.step)
    @torch.no_grad()
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
        way_back = self._way_back = self._move_to_y()
        try:
            loss = loss_of(closure)
            way_back.return_copied()
            self._advance()
        finally:  # those that have not taken a step: without a gradient, or after an error
            way_back.return_copied()
            way_back.return_along_d()
            del self._way_back
        return loss

    def _init_state(self, group: dict[str, Any], state: dict[str, Any], x: Tensor) -> None:
        state.update(primal_dual_state(group, x))

    def _update(self, batch: ParameterBatch) -> None:
        group, x, b = batch.group, batch.x, batch.group["b"]
        factors = _factors(group, batch.t)
        decay = batch.shrink(factors.decay, batch.get("d" if group["radius"] is None else "v"))
        if group["radius"] is not None:
            batch.move_to_projection(factors, _y(x, batch.get("v"), group), factors.rate, factors.dual, decay)
            return
        ahead = (1 - b) * (1 - factors.primal)  # y = x - ahead d
        momentum = (1 - b * factors.dual) * (1 - factors.primal) - factors.rate * decay * ahead
        if self._way_back is not None and self._way_back.leave_to_step(x):  # then all are y, or have d = 0
            batch = _step_from_y(batch, ahead, momentum, factors, decay)
        if batch.x:
            batch.move_by_difference(momentum=momentum, rate=factors.rate, decay=decay, share=factors.next_primal)

    def _move_to_y(self) -> WayBack:
        """The parameters become y: along d, or where that would not bring them back, with a copy of what they were."""
        way_back = WayBack(self.state)
        for group in self.param_groups:
            begun = [(p, mine) for p in group["params"] if (mine := self.state.get(p))] if 0 < group["b"] < 1 else []
            check_shapes([p for p, _ in begun], self.state, AVERAGES)
            along_d: dict[tuple[float, torch.dtype], tuple[list[Tensor], list[Tensor]]] = {}
            for p, state in begun:
                t, x = state["step"].item() + 1, state.get("x", p)
                if group["radius"] is not None:
                    way_back.move_to(p, _y([x], [state["v"]], group)[0])
                elif x is not p or group["error_if_nonfinite"]:  # what a check may refuse returns to the bit
                    way_back.move_to(p, torch.add(x, state["d"], alpha=-_ahead(group, t)))
                else:
                    together = along_d.setdefault((t, p.dtype), ([], []))
                    together[0].append(p)
                    together[1].append(state["d"])
            for (t, _), (params, d) in along_d.items():
                way_back.move_along_d(params, d, _ahead(group, t))
        return way_back


def _step_from_y(
    batch: ParameterBatch, ahead: float, momentum: float, factors: StepFactors, decay: float
) -> ParameterBatch:
    """What a kernel takes makes its step; the rest, which is returned, goes back to x."""
    x, d, g = batch.x, batch.get("d"), batch.g
    taken = kernel_calls.which(x, d, g)
    if any(taken):
        sign = -1.0 if batch.group["maximize"] else 1.0
        numbers = (ahead, momentum, sign * factors.rate, factors.rate * decay, factors.next_primal)
        x, d, g = kernel_calls.subset((x, d, g), taken)
        kernel_calls.run_kernel(kernels.step_from_y, [x, d], [g], *numbers)
    rest = batch.without(taken)
    if rest.x:
        rest.ops.add_(rest.x, rest.get("d"), ahead)
    return rest


def _ahead(group: dict[str, Any], t: Any) -> Any:
    """How far y is from x along d."""
    return (1 - group["b"]) * (1 - _factors(group, t).primal)


def _factors(group: dict[str, Any], t: Any) -> StepFactors:
    """The coefficients of step t. dual="plain": no dual average, a constant rate. b = 0: no primal average."""
    factors = step_factors(_with_defaults(group), t, group["b"])
    if group["dual"] == "plain":
        factors = factors._replace(dual=0.0, rate=factors.lr, decay=factors.lr)
    return factors if group["b"] else factors._replace(primal=1.0, next_primal=1.0)


def _y(x: list[Tensor], v: list[Tensor], group: dict[str, Any]) -> list[Tensor]:
    """y = (1-b) P(v) + b x."""
    if group["b"] == 1:
        return x
    y = [t.clone() for t in x]
    move_towards_(y, v, ball_scales(v, group), 1 - group["b"])
    return y


def _with_defaults(group: dict[str, Any]) -> dict[str, Any]:
    """Without a horizon the weights begin at the first step; with the plain dual step at the first w, unless told otherwise."""
    plain = group["dual"] == "plain"
    start = 0 if group["start"] is None and group["steps"] is None else group["start"]
    return {**group, "start": start, "t0": -1 if plain and group["t0"] is None else group["t0"]}
