"""Who takes part in train_text.py. All but SCPDA warm up over the first 5 % and have weight decay 0.1, as AdamW's.

A contender is a function of model, number of steps and rate that returns a `Run`. Variants of one name differ in beta1, beta2
or settings of their own, and each is a row of the table.
"""

import copy
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

from cesaro.optim import SCPDA, Averaged

DECAY, WARMUP = 0.1, 0.05


class Run:
    """What the loop needs: step() after every backward, and the model as it is to be evaluated."""

    def __init__(
        self, model: nn.Module, *optimizers: Any, schedule: Callable[[float], float] | None = None, steps: int
    ):
        self.model, self.optimizers = model, optimizers
        shape = schedule or (lambda done: 1.0)
        self.schedules = [LambdaLR(o, lambda t: shape(t / steps)) for o in optimizers] if schedule else []

    def step(self) -> None:
        for optimizer in self.optimizers:
            optimizer.step()
        for schedule in self.schedules:
            schedule.step()

    @contextmanager
    def evaluated(self) -> Iterator[dict[str, nn.Module]]:
        """The models to evaluate, by name."""
        yield {"": self.model}


class AveragedRun(Run):
    """With exponential moving averages of three lengths, of which the validation split chooses."""

    def __init__(self, model: nn.Module, optimizer: Any, schedule: Callable[[float], float], steps: int):
        super().__init__(model, optimizer, schedule=schedule, steps=steps)
        self.averages = {f"1/{part} of the steps": (steps / part, copy.deepcopy(model)) for part in (5, 10, 20, 40)}
        self.done = 0

    @torch.no_grad()
    def step(self) -> None:
        super().step()
        self.done += 1
        for length, average in self.averages.values():
            share = max(1 / length, 1 / self.done)
            torch._foreach_lerp_(list(average.parameters()), list(self.model.parameters()), share)

    @contextmanager
    def evaluated(self) -> Iterator[dict[str, nn.Module]]:
        yield {name: average for name, (_, average) in self.averages.items()}


class ModeRun(Run):
    """An optimiser that has to be told."""

    @contextmanager
    def evaluated(self) -> Iterator[dict[str, nn.Module]]:
        for optimizer in self.optimizers:
            optimizer.eval()
        yield {"": self.model}
        for optimizer in self.optimizers:
            optimizer.train()


def constant(done: float) -> float:
    return min(1.0, (done + 1e-4) / WARMUP)


def cosine(done: float) -> float:
    return constant(done) if done < WARMUP else 0.5 + 0.5 * math.cos(math.pi * min(1.0, (done - WARMUP) / (1 - WARMUP)))


def linear(done: float) -> float:
    return min(constant(done), max(0.0, (1 - done) / (1 - WARMUP)))


def wsd(done: float) -> float:
    """The decay, linear to zero, takes the last third: as long as ours."""
    return min(constant(done), max(0.0, 3 * (1 - done)))


def scheduled(schedule: Callable, kind: Any = torch.optim.AdamW, **settings: Any) -> Callable:
    def make(model: nn.Module, steps: int, lr: float) -> Run:
        optimizer = kind(model.parameters(), lr=lr, weight_decay=DECAY, **settings)
        return Run(model, optimizer, schedule=schedule, steps=steps)

    return make


def with_ema(betas: tuple[float, float]) -> Callable:
    def make(model: nn.Module, steps: int, lr: float) -> Run:
        adamw = torch.optim.AdamW(model.parameters(), lr=lr, betas=betas, weight_decay=DECAY)
        return AveragedRun(model, adamw, constant, steps)

    return make


def schedule_free(beta1: float, beta2: float) -> Callable:
    def make(model: nn.Module, steps: int, lr: float) -> Run:
        import schedulefree

        warm = int(WARMUP * steps)
        kind = schedulefree.AdamWScheduleFree
        optimizer = kind(model.parameters(), lr, betas=(beta1, beta2), weight_decay=DECAY, warmup_steps=warm)
        optimizer.train()
        return ModeRun(model, optimizer, steps=steps)

    return make


def muon_and_adamw(model: nn.Module, lr: float, momentum: float, beta1: float) -> tuple[Any, Any]:
    """Muon for the matrices of the layers, AdamW for the rest at the same rate."""
    inside = {id(p) for p in model.blocks.parameters() if p.ndim == 2}
    first = [p for p in model.parameters() if id(p) in inside]
    rest = [p for p in model.parameters() if id(p) not in inside]
    settings = {"momentum": momentum, "nesterov": momentum > 0, "adjust_lr_fn": "match_rms_adamw"}
    muon = torch.optim.Muon(first, lr, weight_decay=DECAY, **settings)
    return muon, torch.optim.AdamW(rest, lr, betas=(beta1, 0.99), weight_decay=DECAY)


def muon(model: nn.Module, steps: int, lr: float) -> Run:
    return Run(model, *muon_and_adamw(model, lr, 0.95, 0.9), schedule=wsd, steps=steps)


def averaged_muon(model: nn.Module, steps: int, lr: float) -> Run:
    bases = muon_and_adamw(model, lr, 0.0, 0.0)
    return Run(model, *(Averaged(base, steps=steps, warmup=int(WARMUP * steps)) for base in bases), steps=steps)


def averaged(beta1: float = 0.0, beta2: float = 0.99, horizon: bool = True, **settings: Any) -> Callable:
    def make(model: nn.Module, steps: int, lr: float) -> Run:
        adamw = torch.optim.AdamW(model.parameters(), lr, betas=(beta1, beta2), weight_decay=DECAY)
        given = {key: value(steps) if callable(value) else value for key, value in settings.items()}
        given = {"warmup": int(WARMUP * steps)} | given
        return Run(model, Averaged(adamw, steps=steps if horizon else None, **given), steps=steps)

    return make


def sc_pda(model: nn.Module, steps: int, lr: float) -> Run:
    return Run(model, SCPDA(model.parameters(), lr, steps=steps), steps=steps)


class Contender(NamedTuple):
    name: str
    variant: str
    make: Callable[[nn.Module, int, float], Run]
    guess: float = 2**-8
    family: bool = False


STARTS = (1 / 3, 1 / 2, 2 / 3, 0.8, 0.9)
SENSITIVITY = [  # one seed: what start, t0, ahead, the form of the dual step and momentum do
    *(Contender("start", f"{s:.2f} of the steps", averaged(start=lambda n, s=s: int(s * n))) for s in STARTS),
    *(Contender("t0", str(t0), averaged(t0=t0)) for t0 in (18, 38, 78, 118)),
    *(Contender("ahead", f"{ahead:g}", averaged(ahead=ahead)) for ahead in (0.0, 1.0, 2.0, 4.0)),
    Contender("no horizon", "", averaged(horizon=False, warmup=100)),
    Contender("plain", "linear", averaged(dual="plain", horizon=False, start=0)),
    Contender("plain", "power 2", averaged(dual="plain", horizon=False, start=0, averaging=2)),
    Contender("plain", "power 2, ahead 8", averaged(dual="plain", horizon=False, start=0, averaging=2, ahead=8.0)),
    Contender("beta1", "0.9", averaged(beta1=0.9)),
]

B = (0.9, 0.99)
CONTENDERS = [
    Contender("Averaged(AdamW)", "ahead 2", averaged(), family=True),
    Contender("AdamWScheduleFree", "beta 0.9", schedule_free(0.9, 0.99)),
    Contender("NAdam, WSD", "beta2 0.99", scheduled(wsd, torch.optim.NAdam, betas=B, decoupled_weight_decay=True)),
    Contender("AdamW, WSD", "beta2 0.99", scheduled(wsd, betas=B)),
    Contender("Muon, WSD", "beta2 0.99", muon),
    Contender("AdamW, EMA", "beta2 0.99", with_ema(B)),
    Contender("AdamW, linear", "beta2 0.99", scheduled(linear, betas=B)),
    Contender("AdamW, cosine", "beta2 0.99", scheduled(cosine, betas=B)),
    Contender("Averaged(Muon)", "momentum 0", averaged_muon, family=True),
    Contender("Averaged(AdamW), no horizon", "ahead 2", averaged(horizon=False, warmup=100), family=True),
    Contender("Averaged(AdamW)", "ahead 0", averaged(ahead=0.0), family=True),
    Contender("AdamW, beta1 = 0, WSD", "beta2 0.99", scheduled(wsd, betas=(0.0, 0.99))),
    Contender("SCPDA", "", sc_pda, 0.25, family=True),
    Contender("AdamWScheduleFree", "beta 0.8", schedule_free(0.8, 0.99), 2**-6),
    Contender("AdamWScheduleFree", "beta 0.95", schedule_free(0.95, 0.99), 2**-6),
    Contender("Averaged(AdamW)", "ahead 1", averaged(ahead=1.0), 2**-7, family=True),
    Contender("Averaged(AdamW)", "ahead 4", averaged(ahead=4.0), 2**-7, family=True),
    Contender("Averaged(AdamW)", "beta2 0.95", averaged(beta2=0.95), family=True),
    Contender("AdamW, WSD", "beta2 0.95", scheduled(wsd, betas=(0.9, 0.95))),
    Contender(
        "NAdam, WSD", "beta2 0.95", scheduled(wsd, torch.optim.NAdam, betas=(0.9, 0.95), decoupled_weight_decay=True)
    ),
]
