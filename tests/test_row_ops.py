"""A row's sums over one vector or two: by fours, and what is left of the row."""

import numpy as np
import pytest
from numba import njit

from cesaro.compiled.flags import SCALAR
from cesaro.compiled.row_ops import add_pairs, add_single, dot_pairs, dot_single

COLUMNS = 40


@njit(**(SCALAR | {"cache": False}))
def every(data, col, start, stop, z, zr, found):
    """All four, one after the other."""
    found[0] = dot_single(data, col, start, stop, z)
    found[1], found[2] = dot_pairs(data, col, start, stop, zr)
    add_single(z, data, col, start, stop, 0.5)
    add_pairs(zr, data, col, start, stop, 2.0, -3.0)


@pytest.mark.parametrize("kind", [np.float32, np.float64, None])
def test_rows_of_any_length_are_summed_and_added_entry_by_entry(kind):
    rng = np.random.default_rng(0)
    for length in range(14):
        start = int(rng.integers(3))
        stop = start + length
        col = rng.permutation(COLUMNS).astype(np.uint32)[: stop + 2]
        data = None if kind is None else rng.normal(size=stop + 2).astype(kind)
        x = np.zeros(COLUMNS)
        x[col[start:stop]] = 1.0 if data is None else data[start:stop]
        z, zr, found = rng.normal(size=COLUMNS), rng.normal(size=(COLUMNS, 2)), np.zeros(3)
        wanted, single, pairs = np.append(x @ z, x @ zr), z + 0.5 * x, zr + np.outer(x, [2.0, -3.0])
        every(data, col, start, stop, z, zr, found)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14)
        np.testing.assert_allclose(z, single, rtol=0, atol=1e-15)
        np.testing.assert_allclose(zr, pairs, rtol=0, atol=1e-15)
