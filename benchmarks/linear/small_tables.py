"""CPU milliseconds of a fit against tol, on scikit-learn's small tables, raw and standardised: a looser tol is not slower.

    python benchmarks/linear/small_tables.py

Best of seven. The last column is the largest ratio of a time to that of any tighter tol (at most 1.1 is asked for); `!` is a
fit that has not reached its tol.
"""

import os
import time
import warnings

os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")})

import numpy as np
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from cesaro import DualAveragingClassifier, DualAveragingRegressor

TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
LABELS = {
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "wine": datasets.load_wine,
    "iris": datasets.load_iris,
}
CLASSIFICATION = ("hinge", "squared_hinge", "log_loss", "modified_huber")
REGRESSION = ("squared_error", "absolute_error", "huber", "epsilon_insensitive")


def milliseconds(model, X, y, repeats=7):
    """Of the fastest fit, and whether it has reached its tol."""
    best = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        model.fit(X, y)
        best = min(best, time.process_time() - began)
    return 1e3 * best, bool(np.max(model.relative_gap_) <= model.tol)


def tasks():
    """Name, loss, estimator, rows, targets."""
    for name, load in LABELS.items():
        for loss in CLASSIFICATION:
            yield name, loss, DualAveragingClassifier, *load(return_X_y=True)
    for loss in REGRESSION:
        yield "diabetes", loss, DualAveragingRegressor, *datasets.load_diabetes(return_X_y=True, scaled=False)


def main():
    warnings.simplefilter("ignore")
    print(f"| table | loss | columns | {' | '.join(f'{tol:g}' for tol in TOLERANCES)} | largest ratio |")
    print("|---|---|---|" + "---|" * (len(TOLERANCES) + 1))
    for name, loss, kind, X, y in tasks():
        for columns, rows in (("raw", X), ("standardised", StandardScaler().fit_transform(X))):
            found = [milliseconds(kind(loss, tol=tol, random_state=0), rows, y) for tol in TOLERANCES]
            times = [each for each, _ in found]
            ratio = max(times[k] / min(times[k:]) for k in range(len(times)))
            cells = " | ".join(f"{each:.1f}{'' if reached else '!'}" for each, reached in found)
            print(f"| {name} | {loss} | {columns} | {cells} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
