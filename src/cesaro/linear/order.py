"""The order of the rows in an epoch: drawn here, handed to the kernels as data.

Shuffling is Fisher and Yates's; its numbers come from a linear congruential generator that NumPy's seeds anew for every
epoch; its high digits choose, j = x (k + 1) / 2^32. Generator.permutation would take a third of an epoch.
"""

import numpy as np
from numba import njit


def reshuffle(order: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Every row once, in a new order (in place)."""
    if len(order) >= 2**31:
        raise ValueError(f"{len(order)} rows: at most 2^31 can be shuffled at once. Use partial_fit on parts.")
    shuffle(order, int(rng.integers(2**32)))
    return order


def replace(v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As many draws as rows have weight, row i with probability v_i / sum v: then every draw counts the same."""
    share = np.cumsum(v)
    draws = np.searchsorted(share, rng.random(np.count_nonzero(v)) * share[-1], side="right")
    return np.minimum(draws, len(v) - 1).astype(np.uint32)


@njit(cache=True, nogil=True)
def shuffle(order, x):
    """order[k] changes places with one of order[0..k], for k from the last to the first; x is the seed."""
    for k in range(len(order) - 1, 0, -1):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        j = (x * (k + 1)) >> 32
        order[k], order[j] = order[j], order[k]
