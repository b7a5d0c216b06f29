"""Orders are fair enough to trust."""

import numpy as np
import pytest

from cesaro.linear.problem import row_order


def starts(lengths):
    """Where rows of these lengths begin."""
    return np.append(0, np.cumsum(lengths)).astype(np.uint32)


@pytest.mark.parametrize("n", [1, 15, 1000, 20_003])
@pytest.mark.parametrize("longest", [1, 40])
def test_an_order_holds_every_row_once(n, longest):
    rows = 3 * np.arange(n, dtype=np.uint32)
    rng = np.random.default_rng(0)
    orders = row_order.RowOrders(rows, starts(rng.integers(1, longest + 1, 3 * n)), marks=True)
    orders.still = n // 3
    kept = orders.grouped.copy()
    drawn = orders.draw(np.random.default_rng(0)).copy()
    np.testing.assert_array_equal(np.sort(drawn), rows)
    assert n < 15 or not np.array_equal(drawn, rows)
    orders.draw(np.random.default_rng(1))
    orders.grouped[:] = kept
    np.testing.assert_array_equal(orders.draw(np.random.default_rng(0)), drawn)


@pytest.mark.parametrize("by", ["length", "moved"])
def test_rows_come_in_runs_that_are_alike_and_the_runs_in_any_order(by):
    rng, n = np.random.default_rng(0), 20_000
    length = rng.integers(1, 9, n) if by == "length" else np.full(n, 5)
    orders = row_order.RowOrders(np.arange(n, dtype=np.uint32), starts(length), marks=True)
    orders.grouped[:], orders.still = rng.permutation(n), 7 * n // 10
    kind = length.copy() if by == "length" else np.zeros(n)
    if by == "moved":
        kind[orders.grouped[orders.still :]] = 1
    drawn = kind[orders.draw(np.random.default_rng(1))]
    assert np.mean(drawn[1:] == drawn[:-1]) > 0.9
    runs = drawn[: n // orders.run * orders.run : orders.run]
    assert abs(np.corrcoef(runs[1:], runs[:-1])[0, 1]) < 5 / np.sqrt(len(runs))


def test_few_rows_are_shuffled_whatever_they_are_like():
    length = np.random.default_rng(0).integers(1, 9, 4000)
    orders = row_order.RowOrders(np.arange(4000, dtype=np.uint32), starts(length))
    drawn = length[orders.draw(np.random.default_rng(1))]
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 5 / np.sqrt(4000)


def by_shuffle(x):
    rows = np.arange(8, dtype=np.uint32)
    row_order.shuffle(rows, x)
    return rows


def by_parts(x):
    rows = np.arange(11, dtype=np.uint32)
    row_order.shuffle_parts(rows, np.array([3, 11]), x)
    assert sorted(rows[:3]) == [0, 1, 2]
    return rows[3:] - 3


def by_runs(x):
    rows = np.zeros(8 * 16 + 5, dtype=np.uint32)
    row_order.shuffle_runs(np.arange(len(rows), dtype=np.uint32), 16, np.zeros(8, dtype=np.uint32), x, rows)
    np.testing.assert_array_equal(rows[:-5].reshape(8, 16) % 16, np.tile(np.arange(16), (8, 1)))
    np.testing.assert_array_equal(rows[-5:], 128 + np.arange(5))
    return rows[:-5:16] // 16


@pytest.mark.parametrize("draw", [by_shuffle, by_parts, by_runs])
def test_every_row_is_as_likely_at_every_place_and_next_to_every_other(draw):
    rng, n, runs = np.random.default_rng(1), 8, 20000
    with np.errstate(over="ignore"):  # whole numbers wrap around, and say so where kernels run as plain Python
        orders = np.array([draw(x) for x in rng.integers(2**32, size=runs, dtype=np.uint64)], dtype=int)
    np.testing.assert_array_equal(np.sort(orders, axis=1), np.tile(np.arange(n), (runs, 1)))
    places = np.array([np.bincount(orders[:, k], minlength=n) for k in range(n)])
    pairs = np.zeros((n, n))
    np.add.at(pairs, (orders[:, :-1].ravel(), orders[:, 1:].ravel()), 1)
    expected = runs / n  # of a row at a place; and n - 1 pairs an order, n (n - 1) kinds
    assert ((places - expected) ** 2 / expected).sum() < 49 + 5 * np.sqrt(2 * 49)  # chi squared, (n - 1)^2 degrees
    off = ~np.eye(n, dtype=bool)
    assert np.abs(pairs[off] - expected).max() < 5 * np.sqrt(expected)


def test_draws_with_replacement_follow_the_weights():
    v = np.array([0.0, 1.0, 3.0, 0.0])
    draws = np.concatenate([row_order.draw_with_replacement(v, np.random.default_rng(k)) for k in range(2000)])
    share = np.bincount(draws, minlength=4) / len(draws)
    assert len(draws) == 4000
    assert share[[0, 3]].sum() == 0.0
    assert abs(share[2] - 0.75) < 5 * np.sqrt(0.75 * 0.25 / 4000)
