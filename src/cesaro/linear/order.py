"""The order of the rows in an epoch: drawn here, handed to the kernels as data.

Shuffling is Fisher and Yates's; its numbers come from a linear congruential generator that NumPy's seeds anew for every
epoch; its high digits choose, j = x (k + 1) / 2^32. Generator.permutation would take a third of an epoch.

A processor guesses where a row ends and whether it will move w; at a random row it is often wrong, and what it did in the
meantime is lost. So rows come in runs of 16 that are alike: of one length where lengths differ, else all of them moved w
when they were last visited, or none. Rows that are alike are shuffled and cut into runs, and the runs are shuffled.
(Runs alike in both would cost more epochs than they save time.)
"""

import numpy as np
from numba import njit

RUN = np.uint32(16)  # rows that are alike in a row
ONE = np.uint32(1)
MANY = 1 << 14  # rows from which on there are enough of them
VARIED = 0.2  # lengths whose standard deviation is more than this part of their mean


class Orders:
    """The orders of the epochs of a run: every row of `exist` once, in place. In `moved` a kernel says who moved w."""

    def __init__(self, exist: np.ndarray, ptr: np.ndarray):
        if len(exist) >= 2**31:
            raise ValueError(f"{len(exist)} rows: at most 2^31 can be shuffled at once. Use partial_fit on parts.")
        self.rows, self.exist, self.order, self.ends = len(ptr) - 1, exist, exist.copy(), None
        self.moved = np.zeros(self.rows, dtype=np.uint8)
        self.runs = np.zeros(len(exist) // RUN if len(exist) >= MANY else 0, dtype=np.uint32)
        self.alike = np.empty_like(exist) if len(self.runs) else self.order
        length = np.minimum(np.diff(ptr)[exist], 65535).astype(np.uint16)  # 16 bits are sorted fast
        if len(self.runs) and length.std() > VARIED * length.mean():
            by_length = np.argsort(length, kind="stable")
            self.exist, steps = exist[by_length], np.diff(length[by_length])
            self.ends = np.append(np.flatnonzero(steps) + 1, len(exist))

    def draw(self, rng: np.random.Generator, layout=None) -> np.ndarray:
        """The next order. Of those before it knows only who moved, so that a run resumed is a run.

        Rows in a file have a layout, by whose groups they come.
        """
        x = int(rng.integers(2**32))
        self.alike[:] = self.exist
        if len(self.runs):
            ends = self.ends
            if ends is None:
                ends = np.array([split(self.exist, self.moved, self.alike), len(self.exist)])
            draw_runs(self.alike, ends, x, self.runs, self.order)
        else:
            shuffle(self.order, x)
        if layout is None or layout.single(self.rows):
            return self.order
        return layout.shuffle(self.order, self.rows, lambda part: shuffle(part, int(rng.integers(2**32))))


def replace(v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As many draws as rows have weight, row i with probability v_i / sum v: then every draw counts the same."""
    share = np.cumsum(v)
    draws = np.searchsorted(share, rng.random(np.count_nonzero(v)) * share[-1], side="right")
    return np.minimum(draws, len(v) - 1).astype(np.uint32)


@njit(cache=True, nogil=True)
def shuffle(order, x):
    """order[k] changes places with one of order[0..k], for k from the last to the first; x is the seed. Returns the next."""
    for k in range(len(order) - 1, 0, -1):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        j = (x * (k + 1)) >> 32
        order[k], order[j] = order[j], order[k]
    return x


@njit(cache=True, nogil=True)
def split(exist, moved, alike):
    """The rows that did not move w, then those that did; where these begin."""
    first, last = np.uint32(0), np.uint32(len(exist) - 1)
    for i in exist:
        alike[last if moved[i] else first] = i
        last -= moved[i]
        first += ONE - moved[i]
    return first


@njit(cache=True, nogil=True)
def draw_runs(alike, ends, x, runs, order):
    """Shuffle what is alike, which ends at `ends`, and the runs that it is cut into; what fills no run comes last."""
    begin = 0
    for end in ends:
        x = shuffle(alike[begin:end], x)
        begin = end
    for k in range(len(runs)):
        runs[k] = k
    shuffle(runs, x)
    order[:] = alike
    for k in range(len(runs)):
        to, source = RUN * np.uint32(k), RUN * runs[k]
        for j in range(RUN):
            order[to + j] = alike[source + j]
