"""Small data as dask collections, and the engines' training in this process."""

import dask.array as da
import numpy as np
import scipy.sparse as sp

from cesaro.engines import fit
from cesaro.engines.executors import ThisProcess
from cesaro.engines.inputs import from_collections


def classes(seed, n=400, d=8, kinds=2, noise=0.5):
    """Rows that lie in an order (by their first column), and their labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    X = X[np.argsort(X[:, 0], kind="stable")]
    scores = X @ rng.normal(size=(d, kinds)) + noise * rng.normal(size=(n, kinds))
    return X, np.array(["ant", "bee", "cat", "dog"])[:kinds][scores.argmax(axis=1)]


def cut(X, y, chunks, sparse=False):
    """Dask arrays in chunks of so many rows."""
    dX, dy = da.from_array(X, chunks=(chunks, X.shape[1])), da.from_array(y, chunks=chunks)
    return (dX.map_blocks(sp.csr_array) if sparse else dX), dy


def fit_on(engine, estimator, dX, dy, sample_weight=None):
    """The ordinary estimator that a Dask estimator would fit, trained on this engine."""
    model, how = estimator._prepared()
    return fit.fit(model, engine, from_collections(dX, dy, sample_weight), how)


def fit_here(estimator, dX, dy, sample_weight=None):
    """The same in this process."""
    return fit_on(ThisProcess(), estimator, dX, dy, sample_weight)
