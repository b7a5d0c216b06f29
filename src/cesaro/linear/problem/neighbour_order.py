"""Rows over many columns, visited in blocks of neighbours: the blocks come in random order, the rows of one as they lie.

Where the weights do not stay in the first cache a row at random waits for memory twice, for its entries and for its
weights; a block is read as a stream. Every row comes once an epoch, which is all that a proof needs, but the order is not
uniform: rows of a block follow each other. Where neighbours have like targets (a file sorted by class) long blocks would
push w the same way for too long, so blocks are short there: 8 rows cost about as many epochs as rows at random do.
"""

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.row_order import RowOrders, shuffle, wrapping_around

WIDE = 4096  # columns whose weights fill the first cache
BLOCK = 32  # rows
SHORT = 8  # where neighbours are alike
ALIKE = 0.1  # the correlation of neighbours' targets from which on they are
SAMPLE = 1 << 16  # rows that tell


class NeighbourOrders:
    """What `RowOrders` is, in blocks."""

    def __init__(self, exist: np.ndarray, block: int):
        self.order, self.grouped, self.still, self.sorted = exist.copy(), exist.copy(), len(exist), exist
        self.block, self.blocks = block, np.zeros(-(-len(exist) // block), dtype=np.uint32)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """The next order."""
        with wrapping_around():
            shuffle_blocks(self.sorted, self.block, self.blocks, np.uint64(2.0**32 * rng.random()), self.order)
        return self.order


def orders_of(
    rows: Rows, exist: np.ndarray, y: np.ndarray, layout=None, marks: bool = False
) -> RowOrders | NeighbourOrders:
    """Orders of the rows that exist, with targets y: blocks of neighbours where there are many columns."""
    if rows.d < WIDE or layout is not None:
        return RowOrders(exist, rows.ptr, layout, marks)
    return NeighbourOrders(exist, SHORT if neighbours_alike(y[exist[:SAMPLE]]) else BLOCK)


def neighbours_alike(y: np.ndarray) -> bool:
    """Whether the targets of neighbouring rows are correlated."""
    y = y - y.mean()
    return bool(y[1:] @ y[:-1] > ALIKE * (y @ y))


@njit(**KERNEL)
def shuffle_blocks(exist, size, blocks, x, order):
    """`exist` in blocks of `size` rows, shuffled; the last block may be shorter."""
    n, to = exist.shape[0], 0
    for k in range(blocks.shape[0]):
        blocks[k] = k
    shuffle(blocks, x)
    for k in range(blocks.shape[0]):
        first = size * np.intp(blocks[k])
        for j in range(first, min(n, first + size)):
            order[to] = exist[j]
            to += 1
