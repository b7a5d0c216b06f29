"""A model of what a round of the local mode costs, fitted to measurements here; docs/scale.md has its table.

    python benchmarks/engines/scale_model.py

    seconds of a partition's task = a + b entries + c entries in wide problems + d columns
    seconds of the driver         = e + f partitions + g partitions * columns

both of processor time in one round, without what Dask adds (round_overhead.py). A problem is wide if its weights and
their average, 16 bytes a column, do not fit into a core's cache: then an entry waits for memory. They are fitted in
this process by least squares of relative errors, then compared with problems that were not used for the fit, among
them partitions far beyond the cores of the machine, which run one after the other.
"""

import time
import warnings

import clusters  # noqa: F401  one thread
import numpy as np
import scipy.sparse as sp

from cesaro.engines import fit, local_mode
from cesaro.engines.dask import DaskDualAveragingClassifier
from cesaro.engines.executors import ThisProcess
from cesaro.engines.inputs import Source, make_chunk

ROUNDS = 8
WIDE = 2**20 // 16  # columns
FIT = [(20_000, 100, 10, 2), (80_000, 100, 10, 2), (20_000, 100, 60, 2), (60_000, 100, 60, 2), (20_000, 300_000, 10, 2)]
FIT += [
    (20_000, 1_000_000, 10, 2),
    (40_000, 100_000, 30, 4),
    (60_000, 1_000, 30, 8),
    (16_000, 100, 10, 16),
    (60_000, 500_000, 60, 2),
]
CHECK = [(160_000, 10_000, 20, 4), (64_000, 1_000, 20, 32), (128_000, 1_000, 20, 128), (30_000, 500_000, 40, 2)]


class Timed(ThisProcess):
    """This process, with chunks that are there; the processor time of every task of a round."""

    def __init__(self):
        self.tasks, self.rounds = [], []

    def load(self, chunks):
        return chunks

    def each_at_home(self, function, handles, order):
        assert function is local_mode.take_request
        answers, times = [], []
        for k, handle in enumerate(handles):
            began = time.process_time()
            answers.append(function(handle, order, k))
            times.append(time.process_time() - began)
        self.tasks.append(times)
        self.rounds.append(time.process_time())
        return answers


def measure(n, d, per_row, partitions):
    """Seconds of a partition's task in a round, and of the driver between two rounds: medians."""
    rng = np.random.default_rng(n + d)
    truth = rng.normal(size=d)

    def chunk(rows):
        columns = np.sort(rng.integers(0, d, (rows, per_row)), axis=1).ravel()
        pointers = np.arange(0, per_row * rows + 1, per_row)
        X = sp.csr_array((rng.normal(size=rows * per_row), columns, pointers), shape=(rows, d))
        return make_chunk(X, X @ truth + np.sqrt(per_row) * rng.normal(size=rows) > 0, None)

    engine = Timed()
    settings = {"alpha": 1e-4, "tol": 0, "max_iter": ROUNDS, "random_state": 0, "shuffle": False, "anchor": 1e4}
    model, options = DaskDualAveragingClassifier(**settings)._prepared()
    fit.fit(model, engine, Source([chunk(n // partitions) for _ in range(partitions)], d, None), options)
    tasks, ends = np.array(engine.tasks[1:-1]), np.array(engine.rounds)
    driver = np.diff(ends)[:-1] - tasks.sum(axis=1)
    return float(np.median(tasks)), float(np.median(driver))


def features(n, d, per_row, partitions):
    """Of a partition's task: one, entries, entries if wide, columns."""
    entries = n * per_row / partitions
    return np.array([1.0, entries, entries * (d > WIDE), d])


def driven(n, d, per_row, partitions):
    """Of the driver: one, partitions, partitions times columns."""
    return np.array([1.0, partitions, partitions * d])


def coefficients(cells, values):
    """Non-negative coefficients with the least squares of relative errors."""
    from scipy.optimize import nnls

    values = np.maximum(values, 1e-6)
    return nnls(np.array(cells) / np.array(values)[:, None], np.ones(len(values)))[0]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    measure(*FIT[0])  # compile
    seen = {cell: measure(*cell) for cell in FIT + CHECK}
    task = coefficients([features(*cell) for cell in FIT], [seen[cell][0] for cell in FIT])
    drive = coefficients([driven(*cell) for cell in FIT], [seen[cell][1] for cell in FIT])
    ms, entry, wide, column = task * [1e3, 1e9, 1e9, 1e9]
    print(f"task = {ms:.2f} ms + {entry:.1f} ns entries (+ {wide:.1f} ns if wide) + {column:.0f} ns columns")
    ms, partition, column = drive * [1e3, 1e6, 1e9]
    print(f"driver = {ms:.2f} ms + {partition:.0f} us partitions + {column:.1f} ns partitions * columns\n")
    print("| rows | columns | entries a row | partitions | task ms | model | driver ms | model | in the fit |")
    print("|---|---|---|---|---|---|---|---|---|")
    for cell, (a, b) in seen.items():
        model = 1e3 * (features(*cell) @ task), 1e3 * (driven(*cell) @ drive)
        shown = f"{1e3 * a:.2f} | {model[0]:.2f} | {1e3 * b:.2f} | {model[1]:.2f}"
        print(f"| {' | '.join(f'{x:,}' for x in cell)} | {shown} | {'yes' if cell in FIT else 'no'} |")
