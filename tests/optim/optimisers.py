"""One table of optimisers, torch's own SGD among them; every conformance check runs over it."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from cesaro.optim import GDA, SCPDA, Averaged, Interpolated


@dataclass(frozen=True)
class Entry:
    make: Callable[..., torch.optim.Optimizer]
    needs_closure: bool = False
    scale_free: bool = False  # steps do not grow with the gradient
    returns_to_rounding: bool = False  # after an error in the closure, where others have not moved

    def step(self, optimizer: Any, closure: Callable) -> Any:
        """One step, in the way that this optimiser is used."""
        if self.needs_closure:
            return optimizer.step(closure)
        loss = closure()
        optimizer.step()
        return loss


def _with(cls: Any, **fixed: Any) -> Callable:
    return lambda params, **settings: cls(params, **{"lr": 0.1, **fixed, **settings})


class Lion(torch.optim.Optimizer):
    """The sign of an interpolation between gradient and momentum, as somebody outside torch would write it."""

    def __init__(
        self, params: Any, lr: Any = 1e-2, betas: tuple = (0.0, 0.99), weight_decay: float = 0.0, maximize=False
    ):
        if lr < 0 or weight_decay < 0:
            raise ValueError(f"lr and weight_decay must not be negative: got {lr} and {weight_decay}")
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay, "maximize": maximize})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["momentum"] = torch.zeros_like(p)
                g = -p.grad if group["maximize"] else p.grad
                p.mul_(1 - group["lr"] * group["weight_decay"])
                mixed = state["momentum"] * group["betas"][0] + g * (1 - group["betas"][0])
                mixed = torch.view_as_complex(torch.view_as_real(mixed).sign()) if p.is_complex() else mixed.sign()
                p.sub_(mixed * group["lr"])
                state["momentum"].lerp_(g, 1 - group["betas"][1])


def _around(base: Any, *, of_averaging: dict | None = None, **fixed: Any) -> Callable:
    """Averaged around a base, which is given the settings that it knows."""
    known = inspect.signature(base).parameters

    def make(params: Any, **settings: Any) -> Averaged:
        given = {"lr": 0.1, **fixed, **settings}
        return Averaged(
            base(params, **{k: v for k, v in given.items() if k in known}), **(of_averaging or {"start": 4})
        )

    return make


B = {"betas": (0.0, 0.9)}
TABLE = {
    "torch SGD": Entry(_with(torch.optim.SGD)),
    "torch SGD, momentum": Entry(_with(torch.optim.SGD, momentum=0.9)),
    "GDA": Entry(_with(GDA, start=4)),
    "GDA, paper": Entry(_with(GDA, start=0, t0=0)),
    "GDA, ball and average": Entry(_with(GDA, start=4, radius=2.0, average=True)),
    "SC-PDA": Entry(_with(SCPDA, start=4)),
    "SC-PDA, paper": Entry(_with(SCPDA, start=0, t0=0)),
    "SC-PDA, power": Entry(_with(SCPDA, averaging=2.5, start=3)),
    "SC-PDA, max-norm": Entry(_with(SCPDA, start=4, radius=1.5, per_row=True)),
    "SC-PDA, geometric, decoupled decay": Entry(_with(SCPDA, averaging=0.1, decoupled_weight_decay=True)),
    "Interpolated": Entry(_with(Interpolated), needs_closure=True, returns_to_rounding=True),
    "Interpolated, dual average": Entry(
        _with(Interpolated, b=0.5, dual="average", averaging="linear", start=4, radius=2.0),
        needs_closure=True,
    ),
    "Interpolated, b = 1": Entry(_with(Interpolated, b=1.0)),
    "Averaged(SGD)": Entry(_around(torch.optim.SGD)),
    "Averaged(SGD), ahead = 0": Entry(_around(torch.optim.SGD, of_averaging={"start": 4, "ahead": 0.0})),
    "Averaged(Adam)": Entry(_around(torch.optim.Adam, **B), scale_free=True),
    "Averaged(AdamW)": Entry(_around(torch.optim.AdamW, **B), scale_free=True),
    "Averaged(AdamW), plain": Entry(
        _around(torch.optim.AdamW, of_averaging={"dual": "plain", "averaging": 2.5, "start": 2, "t0": 3}, **B),
        scale_free=True,
    ),
    "Averaged(RMSprop)": Entry(_around(torch.optim.RMSprop), scale_free=True),
    "Averaged(Adagrad)": Entry(_around(torch.optim.Adagrad), scale_free=True),
    "Averaged(Lion)": Entry(_around(Lion), scale_free=True),
}
OURS = {name: entry for name, entry in TABLE.items() if not name.startswith(("torch", "Averaged"))}


def parameter(*shape: int, dtype: torch.dtype = torch.float32) -> torch.nn.Parameter:
    """Ones, with a gradient of ones."""
    p = torch.nn.Parameter(torch.ones(*shape, dtype=dtype))
    p.grad = torch.ones_like(p)
    return p


def make_model(dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.nn.Sequential:
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).to(dtype)


def make_batch(t: int, dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1000 + t)
    inputs = torch.randn(16, 6, generator=generator, dtype=torch.float64)
    return inputs.to(dtype), (inputs[:, :1] - inputs[:, 1:2]).tanh().to(dtype)


def closure_of(model: torch.nn.Module, optimizer: Any, t: int) -> Callable:
    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        p = next(model.parameters())
        inputs, targets = make_batch(t, p.dtype)
        loss = (model(inputs) - targets).square().mean()
        loss.backward()
        return loss

    return closure


def train(entry: Entry, model: torch.nn.Module, optimizer: Any, steps: range | int) -> list[float]:
    """Train and return the losses."""
    times = range(steps) if isinstance(steps, int) else steps
    return [float(entry.step(optimizer, closure_of(model, optimizer, t)).detach()) for t in times]


def weights(model: torch.nn.Module) -> torch.Tensor:
    return torch.cat([p.detach().flatten().double() for p in model.parameters()])


def same(first: Any, second: Any) -> bool:
    """Equality of nested dictionaries with tensors in them, bit by bit."""
    if isinstance(first, torch.Tensor):
        return first.dtype == second.dtype and torch.equal(first, second)
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[k], second[k]) for k in first)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(same(a, b) for a, b in zip(first, second, strict=True))
    return first == second


def trained(entry: Entry, steps: int = 10, dtype: torch.dtype = torch.float32, **settings: Any) -> torch.Tensor:
    """The weights of a fresh model after some steps."""
    model = make_model(dtype)
    train(entry, model, entry.make(model.parameters(), **settings), steps)
    return weights(model)


def one_parameter(
    entry: Entry, value: torch.Tensor, grad: torch.Tensor, **settings: Any
) -> tuple[torch.nn.Parameter, torch.optim.Optimizer]:
    """A parameter after one step with a given gradient."""
    p = torch.nn.Parameter(value)
    optimizer = entry.make([p], **settings)

    def closure() -> torch.Tensor:
        p.grad = grad.clone()
        return torch.tensor(0.0)

    entry.step(optimizer, closure)
    return p, optimizer
