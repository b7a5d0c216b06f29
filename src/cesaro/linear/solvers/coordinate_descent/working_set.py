"""The working set: the columns that the next epochs are about, side by side in a copy.

Rows are kept as they are; of columns only those are copied, as CSC, that have been in a working set: with L1 these are few.
"""

from typing import NamedTuple

import numpy as np

from cesaro.linear.problem.csr import Rows
from cesaro.linear.solvers.coordinate_descent import kernels
from cesaro.linear.solvers.coordinate_descent.kernels import NONE

SMALLEST, GROWTH = 200, 3  # columns of a working set, and as a multiple of those with a weight


class Entries(NamedTuple):
    """Of copied columns: column k has data[ptr[k, 0]:ptr[k, 1]] in these rows; no data where all are 1."""

    data: np.ndarray | None
    row: np.ndarray
    ptr: np.ndarray


class ColumnPool:
    """Columns of `rows` that have been copied so far, each with its place among them."""

    def __init__(self, rows: Rows, counts: np.ndarray):
        """`counts` are the numbers of entries of the columns."""
        self.rows, self.counts = rows, counts
        self.place = np.full(rows.d, NONE)
        self.columns = np.empty(0, np.intp)
        data = None if rows.data is None else np.empty(0, rows.data.dtype)
        self.entries = Entries(data, np.empty(0, np.uint32), np.empty((0, 2), np.uint64))
        self.used = 0

    def add(self, columns: np.ndarray) -> None:
        """Copy those of the columns that have not been yet."""
        new = columns[self.place[columns] == NONE]
        if not len(new):
            return
        first, ends = len(self.columns), self.used + np.cumsum(self.counts[new].astype(np.int64))
        self._reserve(int(ends[-1]))
        starts = np.append(self.used, ends[:-1]).astype(np.uint64)
        data, row, ptr = self.entries
        kernel_place = np.full(self.rows.d, NONE)
        kernel_place[new] = np.arange(len(new), dtype=np.uint32)
        kernels.extract_columns(self.rows, kernel_place, starts.copy(), data, row)
        self.place[new] = np.arange(first, first + len(new), dtype=np.uint32)
        ptr = np.concatenate([ptr, np.column_stack([starts, ends.astype(np.uint64)])])
        self.entries, self.columns, self.used = Entries(data, row, ptr), np.append(self.columns, new), int(ends[-1])

    def _reserve(self, size: int) -> None:
        """Room for so many entries."""
        data, row, ptr = self.entries
        if size > len(row):
            room = min(4 * size, len(self.rows.col))
            self.entries = Entries(None if data is None else self._longer(data, room), self._longer(row, room), ptr)

    def _longer(self, array: np.ndarray, room: int) -> np.ndarray:
        """The array with room after what is used of it; that room is not touched."""
        longer = np.empty(room, array.dtype)
        longer[: self.used] = array[: self.used]
        return longer


def most_violated(g: np.ndarray, w: np.ndarray, l1: float, squares: np.ndarray) -> np.ndarray:
    """The columns of the next working set: those with a weight, and of the others the ones that promise most.

    A column without a weight can lower the objective if |g_j| > l1, by about (|g_j| - l1)^2 / (2 |x_j|^2).
    """
    support, sizes = np.flatnonzero(w), np.abs(g)
    others = np.flatnonzero(sizes > l1)
    others = others[w[others] == 0.0]
    room = max(SMALLEST, GROWTH * len(support)) - len(support)
    if len(others) > room:
        promise = (sizes[others] - l1) ** 2 / np.maximum(squares[others], 1e-300)
        others = others[np.argpartition(-promise, room)[:room]]
    return np.sort(np.concatenate([support, others]))
