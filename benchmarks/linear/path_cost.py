"""A search over 16 alphas and 5 folds, 10 epochs each, beside GridSearchCV(SGDClassifier(max_iter=10, tol=None)).

    python benchmarks/linear/path_cost.py [data ...]        # a9a, covtype, small and wide data

CPU time, hinge, no intercept, without GridSearchCV's final refit; the best cross-validated accuracy of both.
"""

import os
import sys
import time
import warnings

os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")})

import numpy as np
from cells import WIDE, load, present
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from cesaro.linear.model_selection.path import cross_validate
from cesaro.linear.problem.csr import make_rows
from cesaro.losses import Hinge


def ours(X, y, alphas):
    """The best mean accuracy over the folds."""
    rows, folds = make_rows(X), np.empty(len(y), dtype=int)
    for k, (_, test) in enumerate(StratifiedKFold(5).split(X, y)):
        folds[test] = k
    path = cross_validate(rows, y, np.ones(len(y)), Hinge(), alphas, folds)
    right = (path.held_out[:, :, 0] > 0) == (y[:, None] > 0)
    return np.mean([right[folds == k].mean(axis=0) for k in range(5)], axis=0).max()


def theirs(X, y, alphas):
    model = SGDClassifier(max_iter=10, tol=None, fit_intercept=False, random_state=0)
    return GridSearchCV(model, {"alpha": alphas}, cv=5, refit=False).fit(X, y).cv_results_["mean_test_score"].max()


def seconds(search, *data):
    start = time.process_time()
    score = search(*data)
    return time.process_time() - start, score


def main(names):
    warnings.simplefilter("ignore")
    print(
        "| data | GridSearchCV, s | path, s | times cheaper | accuracy of theirs | of ours |\n|---|---|---|---|---|---|"
    )
    for name in present(names):
        X, y = load(name)
        data = X, y, np.geomspace(0.1, 0.1 / len(y), 16)
        ours(*data)  # compiles
        rounds = 5 if len(y) < 100_000 else 2
        mine = [seconds(ours, *data) for _ in range(rounds)]
        other = [seconds(theirs, *data) for _ in range(3 if len(y) < 100_000 else 1)]
        mine += [seconds(ours, *data) for _ in range(rounds)]
        (a, score), (b, best) = min(mine), min(other)
        print(f"| {name} | {b:.2f} | {a:.3f} | {b / a:.0f} | {best:.5f} | {score:.5f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["a9a", "covtype", "a8a", "phishing", *WIDE])
