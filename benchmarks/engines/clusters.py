"""What the scripts of this folder share: covtype as a dask array whose chunks are loaded by the workers, a quiet cluster.

Data: $CESARO_DATA or ../shared/data/libsvm beside the repository.
"""

import os
import sys
from functools import lru_cache
from pathlib import Path

for _name in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parents[1] / "linear"))

import itertools

import dask
import dask.array as da
import numpy as np
import scipy.sparse as sp
from cells import load
from dask.distributed import Client, LocalCluster

COVTYPE = 0.591127841830  # the optimum for mu = 1e-4, hinge, no intercept
QUIET = {"distributed.comm.timeouts.connect": "60s", "distributed.admin.tick.limit": "1h"}


def client(workers):
    """A client of so many local worker processes with one thread each."""
    with dask.config.set(QUIET):
        cluster = LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", memory_limit=None, silence_logs=50
        )
        return Client(cluster)


@lru_cache(maxsize=1)
def covtype():
    """X, y."""
    X, y = load("covtype")
    return sp.csr_array(X), y


def _rows(low, high):
    return covtype()[0][low:high]


def _labels(low, high):
    return covtype()[1][low:high]


def covtype_in(chunks):
    """Covtype in so many chunks, in the order of the file."""
    cut = np.linspace(0, 581_012, chunks + 1).astype(int).tolist()
    ranges = list(itertools.pairwise(cut))
    rows = [da.from_delayed(dask.delayed(_rows)(i, j), (j - i, 54), meta=sp.csr_array((0, 54))) for i, j in ranges]
    labels = [da.from_delayed(dask.delayed(_labels)(i, j), (j - i,), float) for i, j in ranges]
    return da.concatenate(rows), da.concatenate(labels)
