"""The order of the rows in an epoch: drawn here, handed to the kernels as data.

Shuffling is Fisher and Yates's; its numbers come from a linear congruential generator that NumPy's seeds anew for every
epoch; its high digits choose, j = x (k + 1) / 2^32. Generator.permutation would take a third of an epoch.

Where rows differ in length, a processor that guesses where a row ends guesses wrong at nearly every row. There the rows are
drawn in runs of 16 of one length: the rows of a length are shuffled, cut into runs, and the runs are shuffled.
"""

import numpy as np
from numba import njit

RUN = 16  # rows of one length in a row
VARIED = 0.2  # lengths whose standard deviation is more than this part of their mean


class Orders:
    """The orders of the epochs of a run: every row of `exist` once, in place, the same for the same seed."""

    def __init__(self, exist: np.ndarray, ptr: np.ndarray):
        if len(exist) >= 2**31:
            raise ValueError(f"{len(exist)} rows: at most 2^31 can be shuffled at once. Use partial_fit on parts.")
        length = np.minimum(np.diff(ptr)[exist], 65535).astype(np.uint16)  # 16 bits are sorted fast
        self.rows, self.exist, self.order, self.ends = len(ptr) - 1, exist, exist.copy(), [len(exist)]
        if length.std() > VARIED * length.mean():
            by_length = np.argsort(length, kind="stable")
            self.exist, steps = exist[by_length], np.diff(length[by_length])
            self.ends = [*(np.flatnonzero(steps) + 1).tolist(), len(exist)]
        self.runs = np.arange(len(exist) // RUN if len(self.ends) > 1 else 0, dtype=np.uint32)
        self.shuffled = np.empty_like(self.exist) if len(self.runs) else self.order

    def draw(self, rng: np.random.Generator, layout=None) -> np.ndarray:
        """The next order. It does not depend on those before, so that a run resumed is a run.

        Rows in a file have a layout, by whose groups they come.
        """
        x, begin = int(rng.integers(2**32)), 0
        self.shuffled[:] = self.exist
        for end in self.ends:
            x = shuffle(self.shuffled[begin:end], x)
            begin = end
        if len(self.runs):
            self.runs[:] = np.arange(len(self.runs), dtype=np.uint32)
            shuffle(self.runs, x)
            deal(self.shuffled, self.runs, self.order)
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
def deal(rows, runs, order):
    """The runs one after the other; the rows that do not fill one come last."""
    for k in range(len(runs)):
        for j in range(RUN):
            order[RUN * k + j] = rows[RUN * np.intp(runs[k]) + j]
    for k in range(RUN * len(runs), len(order)):
        order[k] = rows[k]
