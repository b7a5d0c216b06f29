"""Rounds of the local mode to a relative suboptimality on covtype (mu = 1e-4, hinge, no intercept).

    python benchmarks/engines/rounds_to_accuracy.py            # 1, 2, 8 and 32 partitions, in this process
    python benchmarks/engines/rounds_to_accuracy.py --cluster  # 8 partitions on two worker processes

How many rounds it takes depends on the partitions, not on where they are: so more of them than there are cores are
simulated by running one after the other. Markdown on stdout.
"""

import itertools
import sys
import warnings

from clusters import COVTYPE, client, covtype, covtype_in

from cesaro.engines import fit
from cesaro.engines.dask import DaskDualAveragingClassifier
from cesaro.engines.executors import DaskCluster, ThisProcess
from cesaro.engines.inputs import Source, make_chunk

SETTINGS = {"alpha": 1e-4, "fit_intercept": False, "tol": 1e-4, "max_iter": 60, "random_state": 0}


class Loaded(ThisProcess):
    """This process, with chunks that are there already."""

    def load(self, chunks):
        return chunks


def here(partitions, **more):
    """A fit in this process."""
    X, y = covtype()
    cut = [len(y) * k // partitions for k in range(partitions + 1)]
    chunks = [make_chunk(X[i:j], y[i:j], None) for i, j in itertools.pairwise(cut)]
    model, options = DaskDualAveragingClassifier(**SETTINGS | more)._prepared()
    return fit.fit(model, Loaded(), Source(chunks, 54, None), options)


def there(partitions):
    """A fit on two workers."""
    with client(2) as workers:
        DaskCluster(workers)
        return DaskDualAveragingClassifier(**SETTINGS).fit(*covtype_in(partitions)).to_local()


def row(name, model):
    """Rounds to 1e-2 and 1e-3 of suboptimality, and to proofs of 1e-2, 1e-3 and 1e-4."""
    history = model.history_
    short, gap = history["objective"] / COVTYPE - 1, 1 - history["lower_bound"] / history["objective"]
    reached = [(short, 1e-2), (short, 1e-3), (gap, 1e-2), (gap, 1e-3), (gap, 1e-4)]
    found = [str(int(history["epoch"][v <= at][0])) if (v <= at).any() else "–" for v, at in reached]
    print(f"| {name} | {' | '.join(found)} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("| partitions | 1e-2 | 1e-3 | proved 1e-2 | proved 1e-3 | proved 1e-4 |\n|---|---|---|---|---|---|")
    if "--cluster" in sys.argv:
        row("8, two workers", there(8))
    else:
        for partitions in (1, 2, 8, 32):
            row(partitions, here(partitions))
        row("8, one epoch a round", here(8, passes=1))
        row("8, as the file has them", here(8, shuffle=False))
