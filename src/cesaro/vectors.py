"""Linear combinations of vectors with few passes over memory: one to scale, one more for each vector that is added."""

import numpy as np
from scipy.linalg.blas import daxpy


def combine(*terms: tuple[float, np.ndarray]) -> np.ndarray:
    """c_1 v_1 + c_2 v_2 + ... as a new vector.

    Parameters
    ----------
    *terms : tuple of (float, ndarray)
        Pairs (c_k, v_k), at least two.

    Returns
    -------
    ndarray
        The sum; none of the vectors is written to.

    Examples
    --------
    >>> combine((2.0, np.array([1.0, 2.0])), (-1.0, np.array([0.0, 1.0])))
    array([2., 3.])
    """
    (c, v), *rest = terms
    if rest[0][1] is v:  # without a constraint the dual average and x are one vector
        c, rest = c + rest[0][0], rest[1:]
    total = c * v
    for b, u in rest:
        if total.ndim == 1 and total.dtype == float:
            daxpy(u, total, a=b)
        else:  # BLAS would add to a copy
            total += b * u
    return total
