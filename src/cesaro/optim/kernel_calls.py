"""Which tensors a kernel takes, and one call of it for all of them, in as many threads as torch would use.

A kernel takes float32 and float64 on a CPU, laid out alike, if there is enough of them; the rest is left to torch's operations
on lists.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import compress, pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

SMALLEST = 1 << 14  # elements; below, calls cost more than passes, and nothing is compiled for a small network
PLAIN = frozenset((Tensor, torch.nn.Parameter))
NUMPY = {torch.float32: np.float32, torch.float64: np.float64}

TensorLists = Sequence[list[Tensor]]  # whose entries of one index belong to one parameter


def divide(*lists: list[Tensor]) -> tuple[TensorLists, TensorLists]:
    """The lists of what a kernel takes, and of the rest. Each list has one type and device."""
    taken = which(*lists)
    return subset(lists, taken), subset(lists, [not each for each in taken])


def which(*lists: list[Tensor]) -> list[bool]:
    """Which entries of the lists a kernel takes: none, if there are few elements."""
    first = lists[0]
    if torch.compiler.is_compiling() or sum(map(Tensor.numel, first)) < SMALLEST:
        return [False] * len(first)
    if first[0].is_cpu and first[0].dtype in NUMPY and all_laid_out_alike(*lists):
        return [True] * len(first)
    return [each[0].is_cpu and each[0].dtype in NUMPY and laid_out_alike(*each) for each in zip(*lists, strict=True)]


def subset(lists: TensorLists, which: list[bool]) -> TensorLists:
    """The entries that are chosen, of every list."""
    return lists if all(which) else [list(compress(tensors, which)) for tensors in lists]


def all_laid_out_alike(*lists: list[Tensor]) -> bool:
    """Whether that is so for every entry of the lists: usually all are contiguous, which takes a look at each list."""
    sizes = [*map(Tensor.numel, lists[0])]
    if (
        all(PLAIN.issuperset(map(type, tensors)) for tensors in lists)
        and len({(t.layout, t.dtype, t.device) for tensors in lists for t in tensors}) == 1
        and lists[0][0].layout is torch.strided
        and all(all(map(Tensor.is_contiguous, tensors)) for tensors in lists)
    ):
        return all([*map(Tensor.numel, tensors)] == sizes for tensors in lists)
    return all(laid_out_alike(*each) for each in zip(*lists, strict=True))


def laid_out_alike(*tensors: Tensor) -> bool:
    """Whether tensors of one shape have one type and dense layout, so that element i of memory is the same entry in all."""
    first, stride = tensors[0], None
    for t in tensors:
        if type(t) not in PLAIN or t.layout is not torch.strided:
            return False
        stride = stride or t.stride()
        if t.shape != first.shape or t.stride() != stride or t.dtype != first.dtype or t.device != first.device:
            return False
    return first.is_contiguous() or (first.ndim == 4 and first.is_contiguous(memory_format=torch.channels_last))


def run_kernel(
    kernel: Callable[..., None], written: TensorLists, read: TensorLists, *numbers: Any, totals: bool = False
) -> Any:
    """Run a kernel over lists that it takes, with numbers for all tensors or lists of one for each.

    Returns what the kernel has added up for every tensor, in float64, if it adds up totals.
    """
    lists = [*written, *read]
    elements = [*map(Tensor.numel, lists[0])]
    addresses = np.array([[*map(Tensor.data_ptr, tensors)] for tensors in lists], dtype=np.int64)
    sizes = np.array(elements, dtype=np.int64)
    given = np.empty((len(numbers), len(elements)), NUMPY[lists[0][0].dtype])
    for row, number in zip(given, numbers, strict=True):
        row[:] = number
    threads = max(1, min(torch.get_num_threads(), sum(elements) // SMALLEST))
    sums = np.zeros((threads, len(elements))) if totals else None
    if threads == 1:
        kernel(addresses, sizes, given, *(() if sums is None else sums))
    else:
        parts = _parts(addresses, sizes, given.itemsize, threads)
        own = [() if sums is None else (sums[part],) for part in range(threads)]
        list(_pool(threads).map(lambda part, total: kernel(*part, given, *total), parts, own))
    for tensors in written:
        torch.autograd.graph.increment_version(tensors)
    return None if sums is None else sums.sum(axis=0).tolist()


def _parts(
    addresses: np.ndarray, sizes: np.ndarray, itemsize: int, threads: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Addresses and sizes for each thread: parts of one length, with tensors cut where one ends."""
    ends = np.cumsum(sizes)
    begins = ends - sizes
    edges = np.linspace(0, ends[-1], threads + 1).astype(np.int64)
    cuts = [np.clip(edge, begins, ends) for edge in edges]
    return [(addresses + itemsize * (low - begins), high - low) for low, high in pairwise(cuts)]


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="cesaro-optim")
