"""Orders are fair enough to trust."""

import numpy as np

from cesaro.linear import order


def test_a_reshuffled_order_holds_every_row_once():
    rows = np.arange(1000, dtype=np.uint32)
    shuffled = order.reshuffle(rows.copy(), np.random.default_rng(0))
    assert not np.array_equal(shuffled, rows)
    np.testing.assert_array_equal(np.sort(shuffled), rows)


def test_every_row_is_as_likely_at_every_place_and_next_to_every_other():
    rng, n, runs = np.random.default_rng(1), 8, 20000
    orders = np.array([order.reshuffle(np.arange(n, dtype=np.uint32), rng) for _ in range(runs)], dtype=int)
    places = np.array([np.bincount(orders[:, k], minlength=n) for k in range(n)])
    pairs = np.zeros((n, n))
    np.add.at(pairs, (orders[:, :-1].ravel(), orders[:, 1:].ravel()), 1)
    expected = runs / n
    assert ((places - expected) ** 2 / expected).sum() < 49 + 5 * np.sqrt(2 * 49)  # chi squared, (n - 1)^2 degrees
    expected = runs / n  # n - 1 pairs an order, n (n - 1) kinds
    off = ~np.eye(n, dtype=bool)
    assert np.abs(pairs[off] - expected).max() < 5 * np.sqrt(expected)


def test_draws_with_replacement_follow_the_weights():
    v = np.array([0.0, 1.0, 3.0, 0.0])
    draws = np.concatenate([order.replace(v, np.random.default_rng(k)) for k in range(2000)])
    share = np.bincount(draws, minlength=4) / len(draws)
    assert len(draws) == 4000
    assert share[[0, 3]].sum() == 0.0
    assert abs(share[2] - 0.75) < 5 * np.sqrt(0.75 * 0.25 / 4000)
