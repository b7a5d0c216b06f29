"""Who takes part in the comparison on CIFAR-10: a training plan for each rate, and the grid from which its rate is chosen.

Rates are what one gradient moves the weights by in the long run, so that one grid serves all: SGD with momentum 0.9 gets lr/10.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR

from cesaro.optim import GDA, SCPDA, Interpolated
from cesaro.reproduce.networks import Plan

DECAY = 5e-3
GRID = (0.05, 0.1, 0.2, 0.4)
FREE = (0.25, 0.5, 1.0, 2.0)  # Schedule-Free wants larger rates


class Contender(NamedTuple):
    plan: Callable[[float], Plan]
    grid: tuple[float, ...] = GRID
    family: bool = False  # one of ours


def ours(cls: Any, **settings: Any) -> Callable[[float], Plan]:
    """A member of the family; settings that are functions are given the number of steps."""

    def make(params: Any, steps: int, lr: float) -> Any:
        known = {k: v(steps) if callable(v) else v for k, v in settings.items()}
        return cls(params, lr, weight_decay=DECAY, **known)

    return lambda lr: Plan(lambda params, steps: make(params, steps, lr))


def sgd(
    momentum: float = 0.0, schedule: Callable | None = None, swa_from: float | None = None
) -> Callable[[float], Plan]:
    return lambda lr: Plan(
        lambda params, steps: torch.optim.SGD(params, lr * (1 - momentum), momentum=momentum, weight_decay=DECAY),
        schedule,
        swa_from,
    )


def linear(optimizer: Any, steps: int) -> LambdaLR:
    return LambdaLR(optimizer, lambda t: max(0.0, 1 - t / steps))


def wsd(optimizer: Any, steps: int) -> LambdaLR:
    """Warm-up 5%, stable, linear decay to zero over the last 20%."""
    return LambdaLR(optimizer, lambda t: min(1.0, (t + 1) / (0.05 * steps), max(0.0, (steps - t) / (0.2 * steps))))


def schedule_free(lr: float) -> Plan:
    import schedulefree

    return Plan(
        lambda params, steps: schedulefree.SGDScheduleFree(params, lr, weight_decay=DECAY),
        mode=lambda optimizer, training: optimizer.train() if training else optimizer.eval(),
    )


CONTENDERS = {
    "GDA": Contender(ours(GDA), family=True),
    "SC-PDA": Contender(ours(SCPDA), family=True),
    "SGD, constant": Contender(sgd()),
    "SWA": Contender(sgd(swa_from=0.5)),
    "SGDScheduleFree": Contender(schedule_free, FREE),
    "SGD momentum, cosine": Contender(sgd(0.9, CosineAnnealingLR)),
    "SGD momentum, linear": Contender(sgd(0.9, linear)),
    "SGD momentum, WSD": Contender(sgd(0.9, wsd)),
    "GDA, start at 2/3": Contender(ours(GDA, start=lambda steps: 2 * steps // 3), family=True),
    "SC-PDA, start at 2/3": Contender(ours(SCPDA, start=lambda steps: 2 * steps // 3), family=True),
    "SC-PDA, geometric": Contender(ours(SCPDA, averaging=0.05), family=True),
    "Interpolated": Contender(ours(Interpolated), FREE, family=True),
    "Interpolated, linear": Contender(ours(Interpolated, averaging="linear"), FREE, family=True),
    "GDA, paper": Contender(ours(GDA, start=0, t0=0), (1.0, 4.0, 16.0), family=True),
    "SC-PDA, paper": Contender(ours(SCPDA, start=0, t0=0), (1.0, 4.0, 16.0), family=True),
}
