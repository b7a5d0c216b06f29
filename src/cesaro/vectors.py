"""Linear combinations of vectors in one pass over memory.

NumPy reads and writes memory once per operation; a long vector is therefore worked through in pieces that stay in the cache.
"""

import numpy as np

PIECE = 8192  # float64 values: 64 kB, three of them fit a core's second-level cache many times over


def combine(*terms: tuple[float, np.ndarray]) -> np.ndarray:
    """c_1 v_1 + c_2 v_2 + ... as a new vector.

    >>> combine((2.0, np.array([1.0, 2.0])), (-1.0, np.array([0.0, 1.0])))
    array([2., 3.])
    """
    (c, v), *rest = terms
    if v.size <= PIECE:
        total = c * v
        for c, v in rest:
            total += c * v
        return total
    total, scratch = np.empty(v.shape), np.empty(PIECE)
    for i in range(0, v.size, PIECE):
        piece = total[i : i + PIECE]
        np.multiply(v[i : i + PIECE], c, out=piece)
        for b, u in rest:
            piece += np.multiply(u[i : i + PIECE], b, out=scratch[: piece.size])
    return total
