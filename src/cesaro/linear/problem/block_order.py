"""How rows in a file are visited: blocks in random order, the rows of a few blocks at a time at random.

Every row is visited once an epoch, which is all that a proof needs, and only a few blocks have to be in memory at a
time. With so few rows that all blocks are visited at a time it is the order of rows in memory, to the bit.
"""

import os
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL

PIECE = 1 << 20
TOGETHER = 16  # blocks at a time
STATE = 96  # bytes that a solver keeps for a row


def pieces(n: int) -> list[slice]:
    """n rows in parts of which an array of floats may be made."""
    return [slice(low, low + PIECE) for low in range(0, n, PIECE)]


class Layout(NamedTuple):
    """Rows of a block, blocks at a time, and where arrays with an entry for every row go: memory, or this folder."""

    block: int
    together: int
    folder: Path | None
    digest: str  # of the rows

    def empty(self, shape, dtype=np.float64) -> np.ndarray:
        """Room for an array; in the folder it is a file without a name that vanishes with the array."""
        if self.folder is None or not np.prod(shape):
            return np.empty(shape, dtype)
        with tempfile.TemporaryFile(dir=self.folder) as file:
            reserve(file.fileno(), int(np.prod(shape)) * np.dtype(dtype).itemsize, self.folder)
            return np.asarray(np.memmap(file, dtype, mode="w+", shape=shape))

    def single(self, n: int) -> bool:
        """Whether all n rows are visited at a time."""
        return n <= self.block * self.together

    def shuffle(self, order: np.ndarray, n: int, mix: Callable[[np.ndarray], object]) -> np.ndarray:
        """The rows of `order`, of n, in a new one; `mix` shuffles an array in place."""
        if self.single(n):
            mix(order)
            return order
        rank = np.arange(-(-n // self.block), dtype=np.uint32)
        mix(rank)
        rank //= np.uint32(self.together)
        sizes, fresh = np.zeros(int(rank.max()) + 2, np.int64), self.empty(len(order), np.uint32)
        count_groups(order, rank, self.block, sizes)
        starts = np.cumsum(sizes)
        group_rows(order, rank, self.block, starts[:-1].copy(), fresh)
        for low, high in pairwise(starts.tolist()):
            mix(fresh[low:high])
        return fresh


def reserve(handle: int, size: int, folder: Path) -> None:
    """Make the disk promise so many bytes: to write to a map of a file for which it has no room kills the process."""
    try:
        os.posix_fallocate(handle, 0, size)
    except AttributeError:  # Windows
        pass
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}; {size} bytes are needed for the fit", str(folder)) from error


def choose(n: int, size: int, digest: str, memory: float, models: int, jobs: int, folder: Path) -> Layout:
    """Blocks of a 64th of `memory`, for rows of `size` bytes in all; what is kept for them is in memory if half of that
    is enough.
    """
    row = size / max(n, 1)
    block = int(min(max(1, memory / 64 // row), n))
    inside = n * (STATE * jobs + 8 * models) <= memory / 2
    return Layout(block, TOGETHER, None if inside else folder, digest)


@njit(**KERNEL)
def count_groups(order, rank, block, sizes):
    """sizes[1 + g] = how many rows of `order` belong to group g; rank[k] is the group of block k."""
    for k in range(order.shape[0]):
        sizes[rank[order[k] // block] + 1] += 1


@njit(**KERNEL)
def group_rows(order, rank, block, place, fresh):
    """Write the rows of every group next to each other, from place[g] on."""
    for k in range(order.shape[0]):
        group = rank[order[k] // block]
        fresh[place[group]] = order[k]
        place[group] += 1
