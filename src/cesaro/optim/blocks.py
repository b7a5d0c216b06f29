"""Lists of tensors in blocks that stay in the processor's cache, so that several operations cost one pass over memory."""

from collections.abc import Iterator

import torch
from torch import Tensor

BLOCK = 1 << 16  # elements


def blocks(*lists: list[Tensor]) -> Iterator[tuple[list[Tensor], ...]]:
    """The same tensors in lists of at most BLOCK elements; on a GPU, where kernels take whole lists, all of them at once.

    Large tensors are cut into flat pieces, alike in every list, if they are laid out alike; else they come whole.
    """
    if torch.compiler.is_compiling() or any(tensors[0].device.type != "cpu" for tensors in lists):
        yield lists
        return
    small: tuple[list[Tensor], ...] = tuple([] for _ in lists)
    room = BLOCK
    for same in zip(*lists, strict=True):
        size = same[0].numel()
        if size > BLOCK and laid_out_alike(*same):
            flat = [t.as_strided((size,), (1,)).split(BLOCK) for t in same]
            for pieces in zip(*flat, strict=True):
                yield tuple([piece] for piece in pieces)
            continue
        if size > room and small[0]:
            yield small
            small, room = tuple([] for _ in lists), BLOCK
        for tensors, t in zip(small, same, strict=True):
            tensors.append(t)
        room -= size
    if small[0]:
        yield small


def laid_out_alike(*same: Tensor) -> bool:
    """Whether the tensors have one shape and one dense layout, so that element i of memory is the same entry in all."""
    first = same[0]
    if any(type(t) not in (Tensor, torch.nn.Parameter) or t.layout != torch.strided for t in same):
        return False
    if any(t.shape != first.shape or t.stride() != first.stride() or t.device != first.device for t in same[1:]):
        return False
    return first.is_contiguous() or (first.ndim == 4 and first.is_contiguous(memory_format=torch.channels_last))
