"""One step of averaging around a base optimiser.

    p_t = y_t = (1 - k_t) x_t + k_t z_t       the parameters outside step(): gradients are taken and the model is evaluated here
    z <- z + c_t (y_t - z)                    the dual average (dual="plain" leaves it out)
    z <- base(z; g_t, lr r_t)                 the base optimiser, in place on z;   r_t = (2 - c_1) c_t / c_1  (plain: 1)
    x <- x + c_{t+1} (z - x)                  the primal average, then p = y_{t+1};   k_t = min(ahead c_t, 1/2)

With ahead = 0 it is SC-PDA around the base. The base sees its own parameters, which hold z while it runs. x is not stored:
x = z + (y - z)/(1 - k), and the last line is y_{t+1} = x + (1 - (1 - c_{t+1})(1 - k_{t+1})) (z - x). Only parameters of 16
bits, which would round the averages away, have x and z in float32; z is then what the base has made of its 16 bits and their
rounding error.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.optim import Optimizer

from cesaro.optim import kernel_calls, kernels
from cesaro.optim.averaging_schedule import AveragingSchedule, make_averaging_schedule
from cesaro.optim.foreach import ForeachOps, copy_, lerp, lerp_
from cesaro.optim.step_inputs import Active

FORMAT = 1  # of checkpoints
SHORT = (torch.bfloat16, torch.float16)
Z, X, STEP = "averaged_z", "averaged_x", "averaged_step"  # in the base's state, after its first step


class Coefficients(NamedTuple):
    """Of step t: numbers, or inside torch.compile tensors with an entry per parameter."""

    dual: Any  # c_t, or 0 for dual="plain"
    primal: Any  # c_{t+1}
    ahead: Any  # k_t
    next_ahead: Any  # k_{t+1}
    rate: Any  # r_t


class AveragedBatch(NamedTuple):
    """Parameters of one group that take the same step t."""

    group: dict[str, Any]
    t: Any
    params: list[Tensor]
    z: list[Tensor]  # while the base runs x, or, where that is stored, z - p
    x: list[Tensor]  # in float32; empty where the parameters' own type will do
    now: Coefficients

    def save(self, state: Any) -> None:
        """Put z, x and the counter into the base's state: not before its first step, which it knows by an empty state."""
        counters = []
        for i, p in enumerate(self.params):
            mine = state[p]
            mine[Z] = self.z[i]
            if self.x:
                mine[X] = self.x[i]
            if STEP not in mine:
                mine[STEP] = torch.tensor(0.0, dtype=torch.float64)
            counters.append(mine[STEP])
        torch._foreach_add_(counters, 1.0)


def initial_z(p: Tensor) -> Tensor:
    """A copy of the parameter, in float32 if it has 16 bits."""
    return p.detach().to(torch.float32, copy=True) if p.dtype in SHORT else p.detach().clone()


def initial_state(p: Tensor) -> dict[str, Tensor]:
    """Our part of a parameter's state before its first step; z and x count from then on."""
    long = {X: initial_z(p)} if p.dtype in SHORT else {}
    return {Z: initial_z(p), **long, STEP: torch.tensor(0.0, dtype=torch.float64)}


def make_batches(active: Active, state: Any) -> list[AveragedBatch]:
    """The parameters by group, step number and type."""
    found: dict[Any, AveragedBatch] = {}
    compiling = torch.compiler.is_compiling()
    counters: dict[Any, list[Tensor]] = {}
    for group, p in ((group, p) for group, params in active for p in params):
        mine = state.get(p, {})
        step = mine.get(STEP)
        t = 0.0 if compiling or step is None else step.item()
        begun = Z in mine and (compiling or t > 0)
        short = p.dtype in SHORT
        key = (id(group), t, p.dtype, p.device)
        if key not in found:
            found[key] = AveragedBatch(group, t + 1, [], [], [], Coefficients(0.0, 0.0, 0.0, 0.0, 1.0))
        counters.setdefault(key, []).append(torch.zeros((), dtype=torch.float64) if step is None else step)
        batch = found[key]
        batch.params.append(p)
        batch.z.append(mine[Z] if begun else initial_z(p))
        if short:
            batch.x.append(mine[X] if begun else initial_z(p))
    times = {key: torch.stack(counters[key]) + 1.0 if compiling else batch.t for key, batch in found.items()}
    return [batch._replace(t=times[key], now=coefficients(batch.group, times[key])) for key, batch in found.items()]


def schedule_of(group: dict[str, Any]) -> AveragingSchedule:
    """Of a group's settings."""
    names = ("averaging", "averaging_start", "averaging_t0", "averaging_steps")
    return make_averaging_schedule(*(group[name] for name in names))


def coefficients(group: dict[str, Any], t: Any) -> Coefficients:
    """The coefficients of step t, for a number or a tensor of them."""
    schedule = schedule_of(group)
    c, following, first = schedule.share(t), schedule.share(t + 1), schedule.initial_share
    plain, warmup = group["averaging_dual"] == "plain", group["averaging_warmup"]
    rate = 1.0 if plain else (2.0 - first) / first * c
    if warmup:
        rate = rate * _at_most(t / warmup, 1.0)
    ahead, next_ahead = (_at_most(group["averaging_ahead"] * share, 0.5) for share in (c, following))
    return Coefficients(0.0 if plain else c, following, ahead, next_ahead, rate)


def effective_rate(group: dict[str, Any], state: Any) -> float:
    """lr c_t / c_1 of the group's next step, counted by the parameters that have taken most; others have been frozen."""
    taken = (float(state[p][STEP]) for p in group["params"] if STEP in state.get(p, {}))
    t, schedule, warmup = max(taken, default=0.0) + 1.0, schedule_of(group), group["averaging_warmup"]
    fallen = 1.0 if group["averaging_dual"] == "plain" else schedule.share(t) / schedule.initial_share
    return float(group["lr"]) * fallen * (min(t / warmup, 1.0) if warmup else 1.0)


def show_z(batch: AveragedBatch) -> None:
    """The parameters become z after the dual average, for the base."""
    group, now = batch.group, batch.now
    decay = group["averaging_weight_decay"] * group["lr"] * now.rate if group["averaging_weight_decay"] else 0.0
    if batch.x:
        y = lerp(batch.x, batch.z, now.ahead)
        lerp_(batch.z, y, now.dual)
        if group["averaging_weight_decay"]:
            ForeachOps.add_(batch.z, y, -decay)
        copy_(batch.params, batch.z)
        if torch.compiler.is_compiling():
            torch._dynamo.graph_break()  # inductor would leave out the rounding of p, and z - p with it
        for long, shown in zip(batch.z, batch.params, strict=True):
            long.sub_(shown)  # what 16 bits cannot hold, exactly
        return
    to_x = 1.0 / (1.0 - now.ahead)
    taken, (p, z) = kernel_calls.divide(batch.params, batch.z)
    if taken[0]:
        kernel_calls.run_kernel(kernels.exchange_for_z, taken, [], now.dual, to_x, float(decay))
    if p:
        middle = lerp(z, p, now.dual)
        if group["averaging_weight_decay"]:
            ForeachOps.add_(middle, p, -decay)
        lerp_(z, p, to_x)
        copy_(p, middle)


def show_y(batch: AveragedBatch) -> None:
    """The parameters, which the base has updated, become the next y, and z what they were."""
    now = batch.now
    if batch.x:
        for long, updated in zip(batch.z, batch.params, strict=True):
            long.add_(updated)
        lerp_(batch.x, batch.z, now.primal)
        copy_(batch.params, lerp(batch.x, batch.z, now.next_ahead))
        return
    towards_z = 1.0 - (1.0 - now.primal) * (1.0 - now.next_ahead)
    taken, (p, x) = kernel_calls.divide(batch.params, batch.z)
    if taken[0]:
        kernel_calls.run_kernel(kernels.exchange_for_y, taken, [], towards_z)
    if p:
        following = lerp(x, p, towards_z)
        # inductor loses z where it is a mere copy of p, which then changes; a factor of 1 that it cannot foresee prevents that
        copy_(x, p, list(batch.t.clamp(max=1.0).unbind()) if isinstance(batch.t, Tensor) else None)
        copy_(p, following)


@contextmanager
def scaled_rates(base: Optimizer, batches: list[AveragedBatch]) -> Iterator[None]:
    """The base's rates are lr r_t in here; a group whose parameters are at different steps is several groups."""
    groups, shown = base.param_groups, []
    changed: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for group in groups:
        mine = [batch for batch in batches if batch.group is group]
        scales = [_one(batch.now.rate) for batch in mine]
        if any(batch.t != mine[0].t for batch in mine if not isinstance(batch.t, Tensor)):
            shown += [{**group, "params": b.params, "lr": group["lr"] * r} for b, r in zip(mine, scales, strict=True)]
            continue
        shown.append(group)
        if mine and (isinstance(scales[0], Tensor) or scales[0] != 1.0):
            changed.append((group, {key: group[key] for key in ("lr", "foreach") if key in group}))
            group["lr"] = group["lr"] * scales[0]
            if isinstance(scales[0], Tensor) and "foreach" in group:
                group["foreach"] = False  # Adam refuses a tensor with True; compiled it makes no difference
    base.param_groups = shown
    try:
        yield
    finally:
        base.param_groups = groups
        for group, saved in changed:
            group.update(saved)


def _one(rate: Any) -> Any:
    """Inside torch.compile the parameters of a group are taken to be at the same step."""
    return rate[0] if isinstance(rate, Tensor) else rate


def _at_most(value: Any, bound: float) -> Any:
    return value.clamp(max=bound) if isinstance(value, Tensor) else min(value, bound)
