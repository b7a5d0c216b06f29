"""A small support vector machine."""

import numpy as np
import scipy.sparse as sp


def rows(n=60, d=8, seed=0):
    """X and y, a third of the entries of X not zero."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=0.4, rng=rng, data_sampler=rng.standard_normal, format="csr")
    return X, np.where(X @ rng.normal(size=d) + 0.3 * rng.normal(size=n) > 0, 2, 1)
