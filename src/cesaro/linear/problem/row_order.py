"""The order of the rows in an epoch: drawn here, handed to the kernels as data.

Shuffling is Fisher and Yates's; its numbers come from SplitMix64 (Steele, Lea and Flood, 2014), which makes each of them
from a count, so that none has to wait for the one before; the seed is NumPy's. Generator.permutation takes more of an
epoch's time.

A processor guesses where a row ends and whether it will move w; at a random row it is often wrong, and what it did in the
meantime is lost. So many rows come in runs of similar ones: of one length where lengths differ, else, where the kernel
tells, all of them moved w when they were last visited, or none. What is similar is shuffled and cut into runs, and the runs
are shuffled. `benchmarks/linear/versions.py` tells what an order costs, and how many epochs it saves.
"""

from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

import numpy as np
from numba import config, njit
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL

RUN = 16  # rows of one length in a row
MOVED = 32  # rows in a row that moved w, or did not
MANY = 1 << 14  # rows from which on there are enough of them
SAMPLE = 4096  # rows whose lengths tell whether
VARIED = 0.2  # ... their standard deviation is more than this part of their mean
SHORT = 64  # ... and their mean at most this: else a wrong guess at the end of a row costs less than the row
BLOCK = 8  # neighbours that stay together: their entries come in one stream, and dual coordinate ascent does as well
ALIKE = 0.1  # correlation of neighbouring targets, up to which neighbours count as unrelated
FEW = 1 << 10  # rows up to which each has a place of its own
LONG = 255  # entries from which on a row is long
ONE, BITS, STRIDE = np.uint64(1), np.uint64(32), np.uint64(0x9E3779B97F4A7C15)


class RowOrders:
    """The orders of the epochs of a run: every row of `exist`, which ascends, once; in place.

    `marks` promises that the kernel puts the rows into `grouped`, the first `still` of them those that did not move w. Rows
    in a file have a `layout`, by whose groups they come; then there are no runs.
    """

    def __init__(self, exist: np.ndarray, ptr: np.ndarray, layout=None, marks: bool = False):
        if len(exist) >= 2**31:
            raise ValueError(f"{len(exist)} rows: at most 2^31 can be shuffled at once. Use partial_fit on parts.")
        self.rows, self.order, self.grouped, self.still = len(ptr) - 1, exist.copy(), exist.copy(), len(exist)
        self.layout = None if layout is None or layout.single(self.rows) else layout
        found = by_length(exist, ptr, self.layout)
        self.sorted, self.ends = (exist, np.array([len(exist)])) if found is None else found
        self.marks = marks and found is None and len(exist) >= MANY and self.layout is None
        self.run = MOVED if self.marks else RUN if found is not None else max(1, len(exist))
        self.runs = np.zeros(len(exist) // self.run, dtype=np.uint32)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """The next order. Of those before it knows only `grouped` and `still`, so that a run resumed is a run."""
        x, y = (2.0**32 * rng.random(2)).astype(np.uint64)  # `integers` takes ten times as long
        if self.marks:
            self.ends = np.array([self.still, len(self.grouped)])
        else:
            self.grouped[:] = self.sorted
        with wrapping_around():
            shuffle_parts(self.grouped, self.ends, x)
            shuffle_runs(self.grouped, self.run, self.runs, y, self.order)
        if self.layout is None:
            return self.order
        return self.layout.shuffle(
            self.order, self.rows, lambda part: shuffled_in_place(part, rng.integers(2**32, dtype=np.uint64))
        )


@lru_cache(maxsize=64)
def first_seed(seed: Any) -> int:
    """Where the orders of a run begin. NumPy takes as long for it as for an epoch over a small table: once for a seed."""
    return int(np.random.default_rng(seed).integers(1, 2**32))


def shuffled_in_place(order: np.ndarray, seed: int | np.unsignedinteger, block: int = 1) -> int:
    """Shuffle an array in place, in blocks of neighbours if it is long; returns the next seed."""
    with wrapping_around():
        if block > 1 and len(order) >= FEW:
            return int(shuffle_blocks(order, np.uint64(block), np.uint64(seed)))
        return int(shuffle(order, np.uint64(seed)))


def neighbours_to_keep(y: np.ndarray) -> int:
    """How many rows may stay together in a random order: `BLOCK`, but one where neighbours have similar targets.

    Such rows, sorted by class or from one document, say the same again: coordinate ascent over them one after the
    other makes less of an epoch.
    """
    some = y[: SAMPLE * 16]
    off = some - some.mean()
    return BLOCK if np.abs(off[1:] @ off[:-1]) <= ALIKE * (off @ off) else 1


def wrapping_around() -> AbstractContextManager[None]:
    """Whole numbers wrap around in here; where kernels run as plain Python, NumPy need not warn of it."""
    return np.errstate(over="ignore") if getattr(config, "DISABLE_JIT", False) else nullcontext()


def by_length(exist: np.ndarray, ptr: np.ndarray, layout=None) -> tuple[np.ndarray, np.ndarray] | None:
    """The rows that exist, sorted by length, and where each length ends; None where that would not pay."""
    if layout is not None or len(exist) < MANY:
        return None
    some = exist[:: len(exist) // SAMPLE]
    length = ptr[some + ONE] - ptr[some]
    if length.mean() > SHORT or length.std() <= VARIED * length.mean():
        return None
    length = np.minimum(np.diff(ptr)[exist], LONG).astype(np.uint8)
    return exist[np.argsort(length, kind="stable")], np.cumsum(np.bincount(length))


def draw_with_replacement(v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As many draws as rows have weight, row i with probability v_i / sum v: then every draw counts the same."""
    share = np.cumsum(v)
    draws = np.searchsorted(share, rng.random(np.count_nonzero(v)) * share[-1], side="right")
    return np.minimum(draws, len(v) - 1).astype(np.uint32)


@register_jitable(**KERNEL)
def below(k, x):
    """One of 0..k-1: the high digits of SplitMix64's number for the count x."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x >> BITS) * k) >> BITS


@njit(**KERNEL)
def shuffle(order, x):
    """order[k] changes places with one of order[0..k], for k from the last to the first; x is the seed. Returns the next."""
    k = np.uint64(order.shape[0])
    while k > ONE:
        x += STRIDE
        j = below(k, x)
        k -= ONE
        order[k], order[j] = order[j], order[k]
    return below(ONE << BITS, x + STRIDE)


@njit(**KERNEL)
def shuffle_blocks(order, block, x):
    """`shuffle` for blocks of `block` neighbours; those that fill none change places with single ones."""
    k = np.uint64(order.shape[0])
    while k % block:
        x += STRIDE
        j = below(k, x)
        k -= ONE
        order[k], order[j] = order[j], order[k]
    k //= block
    while k > ONE:
        x += STRIDE
        j = below(k, x)
        k -= ONE
        for e in range(block):
            here, there = k * block + e, j * block + e
            order[here], order[there] = order[there], order[here]
    return below(ONE << BITS, x + STRIDE)


@njit(**KERNEL)
def shuffle_parts(grouped, ends, x):
    """Shuffle the parts that end at `ends`."""
    begin = 0
    for k in range(ends.shape[0]):
        x = shuffle(grouped[begin : ends[k]], x)
        begin = ends[k]


@njit(**KERNEL)
def shuffle_runs(grouped, run, runs, x, order):
    """`grouped` with its runs, of `run` rows, shuffled; what fills no run stays where it is, at the end."""
    for k in range(runs.shape[0]):
        runs[k] = k
    shuffle(runs, x)
    for k in range(run * runs.shape[0], order.shape[0]):
        order[k] = grouped[k]
    for k in range(runs.shape[0]):
        to, source = np.uint64(run * k), np.uint64(run) * np.uint64(runs[k])
        for j in range(np.uint64(run)):
            order[to + j] = grouped[source + j]
