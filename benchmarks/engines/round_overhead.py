"""What a round costs beyond the kernels' own time: two local workers, d = 50,000, both modes.

    python benchmarks/engines/round_overhead.py [d] [partitions]

A round's overhead is its time on the driver's clock less the time of the busiest worker's tasks, which time themselves.
The quickest and the median of 40 rounds are printed: on a busy machine the quickest is nearer the truth.
"""

import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp
from clusters import client

from cesaro.engines import exact_mode, fit, local_mode
from cesaro.engines.dask import DaskDualAveragingClassifier
from cesaro.engines.executors import DaskCluster
from cesaro.engines.inputs import from_collections


def timed(function, *arguments):
    """The answer, the seconds it took and the process that gave it."""
    import os

    began = time.perf_counter()
    answer = function(*arguments)
    return answer, time.perf_counter() - began, os.getpid()


def timed_request(ready, order, place):
    return timed(local_mode.take_request, ready, order, place)


def timed_slopes(ready, order):
    return timed(exact_mode.slopes, ready, order)


class Timed(DaskCluster):
    """A cluster that remembers each round's seconds: on the driver's clock, and of the busiest worker's tasks."""

    def __init__(self, workers):
        super().__init__(workers)
        self.seconds = []

    def each(self, function, handles, order):
        if function is not exact_mode.slopes:
            return super().each(function, handles, order)
        return self._round(super().each, timed_slopes, handles, order)

    def each_at_home(self, function, handles, order):
        return self._round(super().each_at_home, timed_request, handles, order)

    def _round(self, ask, function, handles, order):
        began = time.perf_counter()
        found = ask(function, handles, order)
        wall, busy = time.perf_counter() - began, {}
        for _, seconds, process in found:
            busy[process] = busy.get(process, 0.0) + seconds
        self.seconds.append((wall, max(busy.values())))
        return [answer for answer, _, _ in found]


def data(n, d, partitions):
    """Sparse rows with ten entries, made by the workers from a seed."""
    import dask
    import dask.array as da

    def make(k, rows):
        rng = np.random.default_rng(k)
        columns = rng.integers(0, d, (rows, 10))
        return sp.csr_array((np.ones(10 * rows), columns.ravel(), np.arange(0, 10 * rows + 1, 10)), shape=(rows, d))

    rows, meta = n // partitions, sp.csr_array((0, d))
    X = [da.from_delayed(dask.delayed(make)(k, rows), (rows, d), meta=meta) for k in range(partitions)]
    y = [da.from_delayed(dask.delayed(lambda k: np.arange(rows) % 2)(k), (rows,), int) for k in range(partitions)]
    return da.concatenate(X), da.concatenate(y)


def measure(workers, mode, d, partitions, n=4000, rounds=40, **more):
    """(wall, busiest worker) of every round; the first ones load and compile."""
    batch = {"batch_size": None} if mode == "exact" else {}
    estimator = DaskDualAveragingClassifier(mode=mode, tol=0, max_iter=rounds, random_state=0, **batch | more)
    model, options = estimator._prepared()
    engine = Timed(workers)
    fit.fit(model, engine, from_collections(*data(n, d, partitions)), options)
    return np.array(engine.seconds[3:])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    d, partitions = (int(given) for given in [*sys.argv[1:], 50_000, 2][:2]) if len(sys.argv) > 2 else (50_000, 2)
    with client(2) as workers:
        print("| mode | round ms (quickest, median) | kernels ms | overhead ms (quickest, median) |\n|---|---|---|---|")
        for mode in ("local", "exact"):
            wall, busy = 1e3 * measure(workers, mode, d, partitions).T
            over = wall - busy
            shown = (
                f"{wall.min():.0f}, {np.median(wall):.0f} | {busy.min():.0f} | {over.min():.0f}, {np.median(over):.0f}"
            )
            print(f"| {mode} | {shown} |", flush=True)
