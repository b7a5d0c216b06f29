"""One pass over memory on a CPU where torch's own operations would take several.

Of large tensors in float32 or float64 that are laid out alike; everything else is left to torch's operations on lists. Each
kernel is the loop of a formula that stands in the module that calls it, and a test ties the two.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numba import njit
from numba.extending import register_jitable
from torch import Tensor

from cesaro.compiled.flags import KERNEL, LOOP

SMALLEST = 1 << 14  # elements; below, calls cost more than passes
PLAIN = (Tensor, torch.nn.Parameter)
BLOCK = 1 << 11  # elements that are summed in their own type; sums of blocks are float64
# No sums are reordered: between equal numbers an average is that number, to the bit.
ELEMENTWISE: dict[str, Any] = KERNEL | {"fastmath": {"contract", "nsz"}}


@register_jitable
def _mix(a, b, k):
    """(1 - k) a + k b, as torch.lerp: exactly a at k = 0, exactly b at k = 1."""
    return a + k * (b - a) if k < 0.5 else b - (b - a) * (1 - k)


@njit(**ELEMENTWISE)
def exchange_for_z(p, z, dual, to_x, decay):
    """p, z = z + dual (p - z) - decay p, z + to_x (p - z)."""
    for i in range(p.size):
        y, before = p[i], z[i]
        p[i] = _mix(before, y, dual) - decay * y
        z[i] = _mix(before, y, to_x)


@njit(**ELEMENTWISE)
def exchange_for_y(p, x, towards_z):
    """p, x = x + towards_z (p - x), p."""
    for i in range(p.size):
        z = p[i]
        p[i] = _mix(x[i], z, towards_z)
        x[i] = z


@njit(**LOOP)
def _dual_step(v, x, g, dual, rate, decay):
    square = v[0] * 0
    for i in range(v.size):
        v[i] = _mix(v[i], x[i], dual) - rate * g[i] - decay * x[i]
        square += v[i] * v[i]
    return square


@njit(**ELEMENTWISE)
def dual_step(v, x, g, dual, rate, decay):
    """v = v + dual (x - v) - rate g - decay x. Returns |v|^2."""
    total = 0.0
    for low in range(0, v.size, BLOCK):
        high = min(low + BLOCK, v.size)
        total += _dual_step(v[low:high], x[low:high], g[low:high], dual, rate, decay)
    return total


@njit(**ELEMENTWISE)
def primal_step(x, v, scale, share):
    """x = x + share (scale v - x)."""
    for i in range(x.size):
        x[i] = _mix(x[i], scale * v[i], share)


@njit(**ELEMENTWISE)
def move(p, d, by):
    """p = p + by d."""
    for i in range(p.size):
        p[i] += by * d[i]


@njit(**ELEMENTWISE)
def step_from_y(p, d, g, ahead, momentum, rate, decay, share):
    """x = p + ahead d, then d = momentum d + rate g + decay x and p = x - share d."""
    for i in range(p.size):
        x = p[i] + ahead * d[i]
        d[i] = momentum * d[i] + rate * g[i] + decay * x
        p[i] = x - share * d[i]


def fits(*tensors: Tensor) -> bool:
    """Whether a kernel can be used for these tensors."""
    first = tensors[0]
    return (
        first.numel() >= SMALLEST
        and not torch.compiler.is_compiling()
        and first.device.type == "cpu"
        and first.dtype in (torch.float32, torch.float64)
        and all(t.dtype == first.dtype for t in tensors)
        and laid_out_alike(*tensors)
    )


def laid_out_alike(*tensors: Tensor) -> bool:
    """Whether the tensors have one shape and one dense layout, so that element i of memory is the same entry in all."""
    first, stride = tensors[0], None
    for t in tensors:
        if type(t) not in PLAIN or t.layout != torch.strided:
            return False
        stride = stride or t.stride()
        if t.shape != first.shape or t.stride() != stride or t.device != first.device:
            return False
    return first.is_contiguous() or (first.ndim == 4 and first.is_contiguous(memory_format=torch.channels_last))


def run(kernel: Callable[..., Any], written: list[Tensor], read: list[Tensor], *numbers: float) -> list[Any]:
    """Run a kernel over tensors, in as many threads as torch would use. Returns what it returns, from every thread."""
    size = written[0].numel()
    flat = [t.detach().as_strided((size,), (1,)).numpy() for t in (*written, *read)]
    given = [flat[0].dtype.type(number) for number in numbers]
    threads = min(torch.get_num_threads(), size // SMALLEST)
    if threads == 1:
        results = [kernel(*flat, *given)]
    else:
        edges = np.linspace(0, size, threads + 1).astype(int)
        parts = [[a[low:high] for a in flat] for low, high in pairwise(edges)]
        results = list(_pool(threads).map(lambda arrays: kernel(*arrays, *given), parts))
    torch.autograd.graph.increment_version(written)
    return results


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="cesaro-optim")


def divide(*lists: list[Tensor]) -> tuple[list[tuple[Tensor, ...]], tuple[list[Tensor], ...]]:
    """The tensors that a kernel takes, side by side, and lists of the others."""
    large: list[tuple[Tensor, ...]] = []
    others: list[tuple[Tensor, ...]] = []
    for same in zip(*lists, strict=True):
        (large if fits(*same) else others).append(same)
    return large, tuple(map(list, zip(*others, strict=True))) if others else tuple([] for _ in lists)
