"""Blocks of neighbouring rows: every row once, neighbours together, short blocks where neighbours are alike."""

import numpy as np
import pytest

from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.neighbour_order import SHORT, STREAM, WIDE, NeighbourOrders, orders_of
from cesaro.linear.problem.row_order import RowOrders


def rows_over(d, n):
    return Rows(np.ones(n), np.zeros(n, np.uint32), np.arange(n + 1, dtype=np.uint32), d)


@pytest.mark.parametrize("n", [1, 31, 1024, 3333])
def test_every_row_comes_once_and_neighbours_come_together(n):
    exist = np.flatnonzero(np.random.default_rng(0).random(2 * n) < 0.5).astype(np.uint32)[:n]
    orders, rng = NeighbourOrders(exist, STREAM), np.random.default_rng(1)
    drawn = [orders.draw(rng).copy() for _ in range(2)]
    for order in drawn:
        np.testing.assert_array_equal(np.sort(order), exist)
    if len(exist) > 1024:
        rank = np.searchsorted(exist, drawn[1])
        assert np.mean(np.diff(rank.astype(int)) == 1) > 0.9
        assert (drawn[0] != drawn[1]).any()


def test_narrow_rows_and_files_have_the_order_they_had():
    exist, y = np.arange(2000, dtype=np.uint32), np.ones(2000)
    assert isinstance(orders_of(rows_over(WIDE - 1, 2000), exist, y), RowOrders)
    assert isinstance(orders_of(rows_over(WIDE, 2000), exist, y), NeighbourOrders)


def test_blocks_are_short_where_neighbours_have_like_targets():
    rng, exist = np.random.default_rng(2), np.arange(2000, dtype=np.uint32)
    mixed = rng.choice([-1.0, 1.0], 2000)
    assert orders_of(rows_over(WIDE, 2000), exist, mixed).block == STREAM
    assert orders_of(rows_over(WIDE, 2000), exist, np.sort(mixed)).block == SHORT
