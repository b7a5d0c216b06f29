"""Sums of lists of tensors, in place: one call for all of them, or a loop. The optimisers write each formula once over these.

A factor is a number, or, inside torch.compile, a tensor with one entry per parameter.
"""

from typing import Any

import torch
from torch import Tensor

from cesaro.optim import kernel_calls, kernels


class ForeachOps:
    """One call for all tensors (torch._foreach_*)."""

    @staticmethod
    def scale_(xs: list[Tensor], k: Any) -> None:
        """x *= k."""
        torch._foreach_mul_(xs, list(k.unbind()) if isinstance(k, Tensor) else k)

    @staticmethod
    def add_(xs: list[Tensor], ys: list[Tensor], k: Any) -> None:
        """x += k y."""
        if isinstance(k, Tensor):
            torch._foreach_add_(xs, torch._foreach_mul(ys, list(k.unbind())))
        else:
            torch._foreach_add_(xs, ys, alpha=k)


class LoopOps:
    """A loop over the tensors."""

    @staticmethod
    def scale_(xs: list[Tensor], k: Any) -> None:
        for i, x in enumerate(xs):
            x.mul_(k[i] if isinstance(k, Tensor) else k)

    @staticmethod
    def add_(xs: list[Tensor], ys: list[Tensor], k: Any) -> None:
        for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
            if isinstance(k, Tensor):
                x.add_(y * k[i])
            else:
                x.add_(y, alpha=k)


def lerp(xs: list[Tensor], ys: list[Tensor], k: Any) -> list[Tensor]:
    """(1 - k) x + k y in new tensors: exactly x at k = 0, exactly y at k = 1."""
    if isinstance(k, Tensor):
        return [torch.lerp(x, y, k[i].to(x.dtype)) for i, (x, y) in enumerate(zip(xs, ys, strict=True))]
    return list(torch._foreach_lerp(xs, ys, k))


def lerp_(xs: list[Tensor], ys: list[Tensor], k: Any) -> None:
    """The same in place: x moves towards y."""
    if isinstance(k, Tensor):
        for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
            x.lerp_(y, k[i].to(x.dtype))
    else:
        torch._foreach_lerp_(xs, ys, k)


def copy_(xs: list[Tensor], ys: list[Tensor], ss: list[Tensor] | None = None) -> None:
    """x = y, or x = s y. In a loop: sharded tensors have no copy of lists."""
    for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
        x.copy_(y)
        if ss is not None:
            x.mul_(ss[i])


def move_towards_(xs: list[Tensor], ys: list[Tensor], ss: list[Tensor], k: Any) -> None:
    """x <- (1 - k) x + k s y; s is a number, or one number per row."""
    if isinstance(k, Tensor):
        for i, (x, y, s) in enumerate(zip(xs, ys, ss, strict=True)):
            x.lerp_(y * s, k[i].to(x.dtype))
        return
    scales = dict(zip(map(id, xs), ss, strict=True))
    if all(s.numel() == 1 for s in ss):
        (taken, towards), (xs, ys) = kernel_calls.divide(xs, ys)
        if taken:
            kernel_calls.run_kernel(kernels.primal_step, [taken], [towards], [float(scales[id(x)]) for x in taken], k)
    for x, y in zip(xs, ys, strict=True):
        x.lerp_(y * scales[id(x)], k)
