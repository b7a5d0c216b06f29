"""torch's fused SGD kernel, which does a whole step in one pass over memory:

    d <- momentum d + (1 - dampening) (+-g + weight_decay x),     x <- x - lr d       (without d: x <- x - lr (...))

It is private to torch, so it is tried on a small example first: where it is missing or behaves otherwise, `foreach` is used.
Its own first step would set d = g; ours never takes that branch, because d starts at zero. With momentum 0 it
refuses to see d at all. It walks through raw memory, so the tensors of one parameter must be laid out alike.
"""

import functools

import torch
from torch import Tensor

from cesaro.optim.kernel_calls import all_laid_out_alike

PROBE = 131  # entries of the example


def is_supported(*tensors: list[Tensor]) -> bool:
    """Whether the kernel can be used for these lists (x, g and perhaps d)."""
    x = tensors[0]
    if torch.compiler.is_compiling() or not _behaves_as_expected(x[0].device.type, x[0].dtype):
        return False
    return all_laid_out_alike(*tensors)


def step_(
    x: list[Tensor],
    g: list[Tensor],
    d: list[Tensor],
    *,
    lr: float,
    momentum: float,
    dampening: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """One step, in place."""
    torch._fused_sgd_(
        x,
        g,
        d,
        lr=lr,
        momentum=momentum,
        dampening=dampening,
        weight_decay=weight_decay,
        maximize=maximize,
        nesterov=False,
        is_first_step=False,
    )


@functools.cache
def _behaves_as_expected(device: str, dtype: torch.dtype) -> bool:
    """Whether torch has the kernel for this device and type, and it computes the formula above.

    For several vectors of instructions and a rest: torch 2.13 leaves whole vectors of 16 bit numbers as they were on a CPU.
    """
    if device == "meta" or dtype not in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        return False
    try:
        x, g, d = (torch.full((PROBE,), value, device=device, dtype=dtype) for value in (1.0, 2.0, 0.5))
        step_([x], [g], [d], lr=0.5, momentum=0.5, dampening=0.75, weight_decay=0.25, maximize=False)
        step_([g], [d], [], lr=0.5, momentum=0.0, dampening=0.0, weight_decay=0.0, maximize=True)
    except (AttributeError, TypeError, RuntimeError):
        return False
    expected = (0.59375, 2.40625, 0.8125)  # d = 0.25 + 0.5625, x = 1 - d/2, then g = 2 + d/2
    return all(bool(((t - e).abs() < 0.01).all()) for t, e in zip((x, g, d), expected, strict=True))
