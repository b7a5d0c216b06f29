"""Rows over many columns, visited in blocks of neighbours: the blocks come in random order, the rows of one as they lie.

Where the weights do not stay in the first cache a row at random waits for memory twice, for its entries and for its
weights; a block is read as a stream. Every row comes once an epoch, which is all that a proof needs, but the order is not
uniform: rows of a block follow each other. Where neighbours have like targets (a file sorted by class) long blocks would
push w the same way for too long, so blocks are short there.
"""

import numpy as np

from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.row_order import RowOrders, neighbours_to_keep, shuffled_in_place

WIDE = 4096  # columns whose weights fill the first cache
STREAM, SHORT = 32, 4  # rows of a block where neighbours are unrelated, and where they are alike


class NeighbourOrders:
    """What `RowOrders` is, in blocks."""

    def __init__(self, exist: np.ndarray, block: int):
        self.order, self.grouped, self.still, self.sorted = exist.copy(), exist.copy(), len(exist), exist
        self.block = block

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """The next order. It depends on none before, so that a run resumed is a run."""
        self.order[:] = self.sorted
        shuffled_in_place(self.order, np.uint64(2.0**32 * rng.random()), self.block)
        return self.order


def orders_of(
    rows: Rows, exist: np.ndarray, y: np.ndarray, layout=None, marks: bool = False
) -> RowOrders | NeighbourOrders:
    """Orders of the rows that exist, with targets y: blocks of neighbours where there are many columns."""
    if rows.d < WIDE or layout is not None:
        return RowOrders(exist, rows.ptr, layout, marks)
    return NeighbourOrders(exist, SHORT if neighbours_to_keep(y[exist]) == 1 else STREAM)
