"""The order of the rows in an epoch: drawn here, handed to the kernels as data.

Shuffling is Fisher and Yates's with one 32-bit key per row, j = key (i+1) / 2^32: a fifth of the cost of
Generator.permutation, which would take a third of an epoch. The bias of that division is n / 2^32.
"""

import numpy as np
from numba import njit


def reshuffle(order: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Every row once, in a new order (in place)."""
    if len(order) > 2**32:
        raise ValueError(f"{len(order)} rows: at most 2^32 can be shuffled at once. Use partial_fit on parts.")
    shuffle(order, rng.integers(0, 2**32, len(order), dtype=np.uint32))
    return order


def replace(v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As many draws as rows have weight, row i with probability v_i / sum v: then every draw counts the same."""
    share = np.cumsum(v)
    draws = np.searchsorted(share, rng.random(np.count_nonzero(v)) * share[-1], side="right")
    return np.minimum(draws, len(v) - 1).astype(np.uint32)


@njit(cache=True, nogil=True)
def shuffle(order, keys):
    """order[i] changes places with one of order[0..i], for i from the last to the first."""
    for i in range(len(order) - 1, 0, -1):
        j = (np.uint64(keys[i]) * np.uint64(i + 1)) >> np.uint64(32)
        order[i], order[j] = order[j], order[i]
