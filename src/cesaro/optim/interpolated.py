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
from cesaro.optim import kernels
from cesaro.optim.averaging_optimizer import AVERAGES, AveragingOptimizer, ParameterBatch, primal_dual_state
from cesaro.optim.averaging_schedule import StepFactors, step_factors
from cesaro.optim.ball import ball_scales
from cesaro.optim.foreach import ForeachOps, move_towards_
from cesaro.optim.validation import check_shapes


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
        point out of the average, as the package schedulefree does, before `start` there is no average, and `steps` is refused:
        that form needs no horizon.
    weight_decay, radius : as in `GDA`
        Weight decay, and the ball that w is projected on.
    error_if_nonfinite, maximize, foreach, fused : as in `GDA`
        What is checked, and how it is computed.
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
        self._move_to_y()
        try:
            with torch.enable_grad():
                loss = closure()
            self._restore([p for p, back in self._way_back.items() if p.grad is None or isinstance(back, Tensor)])
            super().step()
        finally:  # those that have not taken their step, after an error
            self._restore(list(self._way_back))
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
        rate = -factors.rate if group["maximize"] else factors.rate
        done = self._step_from_y(batch, ahead, momentum, rate, factors.rate * decay, factors.next_primal)
        if not all(done):
            rest = batch.without(done)
            rest.move_by_difference(momentum=momentum, rate=factors.rate, decay=decay, share=factors.next_primal)

    def _step_from_y(self, batch: ParameterBatch, ahead: Any, *numbers: Any) -> list[bool]:
        """Large parameters that are at y take the step, by a kernel; small ones return to x. Returns which have taken it."""
        way_back = self.__dict__.get("_way_back", {})
        done, small = [], []
        for i, (p, d, g) in enumerate(zip(batch.x, batch.get("d"), batch.g, strict=True)):
            here = way_back.pop(p, None) is not None
            done.append(here and kernels.fits(p, d, g))
            if done[i]:
                kernels.run(kernels.step_from_y, [p, d], [g], ahead, *numbers)
            elif here:
                small.append(i)
        if small:
            batch.ops.add_([batch.x[i] for i in small], [batch.states[i]["d"] for i in small], ahead)
        return done

    @torch.no_grad()
    def _move_to_y(self) -> None:
        """The parameters become y. The way back is a distance along d, or else a copy of what they were."""
        self._way_back: dict[Tensor, float | Tensor] = {}
        for group in self.param_groups:
            begun = [(group, p) for p in group["params"] if self.state.get(p)] if 0 < group["b"] < 1 else []
            check_shapes(begun, self.state, AVERAGES)
            along: dict[float, list[Tensor]] = {}  # by step
            for _, p in begun:
                state = self.state[p]
                t = state["step"].item() + 1
                if _is_reversible(group, state):
                    along.setdefault(t, []).append(p)
                    continue
                self._way_back[p], x = p.detach().clone(), state.get("x", p)
                if group["radius"] is None:
                    p.copy_(torch.add(x, state["d"], alpha=-_ahead(group, t)))
                else:
                    p.copy_(_y([x], [state["v"]], group)[0])
            for t, params in along.items():
                ahead = _ahead(group, t)
                self._move_along_d(params, -ahead)
                self._way_back.update(dict.fromkeys(params, ahead))

    def _move_along_d(self, params: list[Tensor], by: float) -> None:
        large, (p, d) = kernels.divide(params, [self.state[p]["d"] for p in params])
        for one, difference in large:
            kernels.run(kernels.move, [one], [difference], by)
        if p:
            ForeachOps.add_(p, d, by)

    @torch.no_grad()
    def _restore(self, params: list[Tensor]) -> None:
        along: dict[float, list[Tensor]] = {}
        for p in params:
            back = self._way_back.pop(p)
            if isinstance(back, float):
                along.setdefault(back, []).append(p)
            else:
                p.copy_(back)
        for ahead, moved in along.items():
            self._move_along_d(moved, ahead)


def _is_reversible(group: dict[str, Any], state: dict[str, Any]) -> bool:
    """Whether x = y + ahead d to rounding will do. What a check may hold up goes back to the bit; a ball loses x."""
    return "d" in state and "x" not in state and not group["error_if_nonfinite"]


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
