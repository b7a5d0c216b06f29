"""What blocks of neighbouring rows cost the paper's solvers in accuracy: the objective beside that of rows at random.

    python benchmarks/linear/row_blocks.py [reuters] [sector] [debian] [one-hot]        # Markdown on stdout

The mean objective of five seeds after 1, 3, 10 and 21 epochs, less that with single rows at random, in percent of it, and
the seeds' standard deviation: for the rows as they lie and sorted by class, hinge, alpha = 1e-4 and 1e-5, no intercept.
"""

import sys
import warnings

import numpy as np
import scipy.sparse as sp
from cells import WIDE, load, present

from cesaro import DualAveragingClassifier
from cesaro.linear.problem import neighbour_order

EPOCHS, SEEDS = (1, 3, 10, 21), 5


def one_hot(n=50_000, d=200_000, fields=20):
    """Rows of clicks: one of many values in every field, the frequent ones first."""
    rng = np.random.default_rng(0)
    sizes = np.geomspace(3, d / 2, fields).astype(int)
    values = [np.minimum(size ** rng.random(n) - 1, size - 1).astype(np.int32) for size in sizes]
    columns = np.stack(values, axis=1) + np.append(0, np.cumsum(sizes)[:-1]).astype(np.int32)
    X = sp.csr_matrix((np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, fields, dtype=np.int32)))
    score = X @ rng.normal(size=X.shape[1])
    return X, np.where(score + rng.normal(size=n) > np.quantile(score, 0.7), 1.0, -1.0)


def objectives(X, y, solver, alpha, block):
    """(seeds, epochs)."""
    neighbour_order.STREAM = neighbour_order.SHORT = block
    settings = {"solver": solver, "alpha": alpha, "tol": 0, "fit_intercept": False}
    return np.array(
        [
            [DualAveragingClassifier(**settings, max_iter=k, random_state=seed).fit(X, y).objective_ for k in EPOCHS]
            for seed in range(SEEDS)
        ]
    )


def shown(numbers):
    return " ".join(f"{100 * number:.1f}" for number in numbers)


def main(names):
    warnings.simplefilter("ignore")
    blocks = neighbour_order.SHORT, neighbour_order.STREAM
    print(f"| data | solver | alpha | of seeds | blocks of {blocks[0]} | of {blocks[1]} |\n|---|---|---|---|---|---|")
    for name in [*present([name for name in names if name != "one-hot"]), *(["one-hot"] if "one-hot" in names else [])]:
        X, y = one_hot() if name == "one-hot" else load(name)
        order = np.argsort(y, kind="stable")
        for what, (rows, labels) in {name: (X, y), f"{name}, sorted": (X[order], y[order])}.items():
            for solver in ("gda", "sc-pda"):
                for alpha in (1e-4, 1e-5):
                    single, *several = (objectives(rows, labels, solver, alpha, block) for block in (1, *blocks))
                    mean = single.mean(axis=0)
                    costs = [shown(found.mean(axis=0) / mean - 1) for found in several]
                    print(
                        f"| {what} | {solver} | {alpha:g} | {shown(single.std(axis=0) / mean)} | {costs[0]} | {costs[1]} |"
                    )


if __name__ == "__main__":
    main(sys.argv[1:] or [*WIDE, "one-hot"])
