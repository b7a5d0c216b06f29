"""Who takes part in the comparison on CIFAR-10: a training plan for each rate, and the rate at which the search begins.

Rates are what one gradient moves the weights by in the long run, so that one grid serves all: SGD with momentum 0.9 gets lr/10.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR

from cesaro.optim import GDA, SCPDA, Interpolated, averaged_adamw
from cesaro.reproduce.networks.training_loop import Plan

DECAY, DECAY_ADAMW = 5e-3, 0.05
GUESS = 0.2
FREE = 0.8  # Schedule-Free wants larger rates
ADAMW = 0.002
LITERAL = 3.2  # the paper's own weights fall from the first step, and want larger ones still


class Contender(NamedTuple):
    plan: Callable[[float], Plan]
    guess: float = GUESS
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


def adamw(schedule: Callable | None = None, beta1: float = 0.9) -> Callable[[float], Plan]:
    return lambda lr: Plan(
        lambda params, steps: torch.optim.AdamW(params, lr, betas=(beta1, 0.99), weight_decay=DECAY_ADAMW), schedule
    )


def averaged(lr: float) -> Plan:
    return Plan(lambda params, steps: averaged_adamw(params, lr, weight_decay=DECAY_ADAMW, steps=steps))


CONTENDERS = {
    "GDA": Contender(ours(GDA, start=1000), family=True),
    "SC-PDA": Contender(ours(SCPDA, start=1000), family=True),
    "SGD, constant": Contender(sgd()),
    "SWA": Contender(sgd(swa_from=0.5)),
    "SGD momentum, cosine": Contender(sgd(0.9, CosineAnnealingLR)),
    "SGDScheduleFree": Contender(schedule_free, FREE),
    "SGD momentum, WSD": Contender(sgd(0.9, wsd)),
    "SGD momentum, linear": Contender(sgd(0.9, linear)),
    "Interpolated, linear": Contender(ours(Interpolated, averaging="linear"), FREE, family=True),
    "SC-PDA, start at 1/3": Contender(ours(SCPDA, start=lambda steps: steps // 3), family=True),
    "SC-PDA, paper": Contender(ours(SCPDA, start=0, t0=0), LITERAL, family=True),
    "GDA, paper": Contender(ours(GDA, start=0, t0=0), LITERAL, family=True),
    "Averaged(AdamW)": Contender(averaged, ADAMW, family=True),
    "AdamW, cosine": Contender(adamw(CosineAnnealingLR), ADAMW),
    "AdamW, WSD": Contender(adamw(wsd), ADAMW),
}
