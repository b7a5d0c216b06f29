"""The grid and the kills that are too long for the suite. Ends with an error if a bit differs or a round takes a minute.

python benchmarks/engines/soak.py             # both
python benchmarks/engines/soak.py grid        # "exact" on 1, 2, 4 workers and 1..8 partitions: the bits of one process
python benchmarks/engines/soak.py kills       # a worker is killed (kill -9) at 10 different rounds, both modes
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "engines"))

import numpy as np
from clusters import client
from killing import Deadly
from sources import classes, cut, fit_on

from cesaro.engines import exact_mode, local_mode
from cesaro.engines.dask import DaskDualAveragingClassifier
from cesaro.engines.executors import DaskCluster, ThisProcess
from cesaro.linear import DualAveragingClassifier

SETTINGS = {"alpha": 1e-2, "random_state": 0}


def bits(model):
    """What must not differ."""
    names = ("coef_", "intercept_", "objective_", "lower_bound_")
    return b"".join(np.asarray(getattr(model, name)).tobytes() for name in names)


def grid():
    """Workers times partitions, full gradients and batches."""
    X, y = classes(1, n=803, kinds=3)
    for batch_size in (None, 200):
        estimator = DaskDualAveragingClassifier(mode="exact", tol=0, max_iter=4, batch_size=batch_size, **SETTINGS)
        known = bits(fit_on(ThisProcess(), estimator, *cut(X, y, 803)))
        for workers in (1, 2, 4):
            with client(workers) as those:
                for partitions in range(1, 9):
                    model = fit_on(DaskCluster(those), estimator, *cut(X, y, -(-803 // partitions)))
                    assert bits(model) == known, (batch_size, workers, partitions)
            print(f"exact, batch_size={batch_size}, {workers} workers, 1..8 partitions: the same bits", flush=True)


def kills():
    """Ten rounds at which one of two workers dies, each on a cluster of its own."""
    X, y = classes(5)
    dX, dy = cut(X, y, 100)
    known = DualAveragingClassifier(tol=1e-7, **SETTINGS).fit(X, y)
    for mode, function in (("exact", exact_mode.slopes), ("local", local_mode.take_request)):
        estimator = DaskDualAveragingClassifier(mode=mode, tol=0, max_iter=12, **SETTINGS)
        alone = bits(fit_on(ThisProcess(), estimator, dX, dy))
        for number in range(1, 11):
            with client(2) as those:
                engine = Deadly(those, function, number)
                model = fit_on(engine, estimator, dX, dy)
            assert engine.killed
            assert engine.longest < 60
            assert mode == "local" or bits(model) == alone
            assert model.lower_bound_ <= known.objective_ * (1 + 1e-9)
            assert known.lower_bound_ <= model.objective_ * (1 + 1e-9)
            said = f"longest round {engine.longest:.1f} s, relative gap {model.relative_gap_:.1e}"
            print(f"{mode}: killed at round {number}, {said}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for part in sys.argv[1:] or ["grid", "kills"]:
        {"grid": grid, "kills": kills}[part]()
