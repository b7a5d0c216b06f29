"""What an epoch costs beside scikit-learn's SGDClassifier: (time of 21 epochs - time of 11) / 10, hinge, alpha = 1e-4.

    python benchmarks/linear/epoch_cost.py            # narrow data, one-vs-rest with ten classes, wide data
    python benchmarks/linear/epoch_cost.py a9a w8a

CPU time of whole fits without intercept, interleaved, the best of several; Markdown on stdout.
"""

import os
import sys
import warnings

os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")})

import numpy as np
from cells import WIDE, load, mean, present, seconds
from sklearn.linear_model import SGDClassifier

from cesaro import DualAveragingClassifier

SHARED = {"alpha": 1e-4, "fit_intercept": False, "random_state": 0}


def peers(epochs):
    """name -> an unfitted estimator that makes so many epochs."""
    ours = {"max_iter": epochs, "tol": 0, **SHARED}
    return {
        "SGDClassifier": SGDClassifier(max_iter=epochs, tol=None, **SHARED),
        "gda": DualAveragingClassifier(solver="gda", **ours),
        "sc-pda": DualAveragingClassifier(solver="sc-pda", **ours),
    }


def epoch(X, y, repeats):
    """name -> seconds of CPU per epoch."""
    best = {}
    for _ in range(repeats + 1):  # the first round compiles
        for epochs in (11, 21):
            for name, estimator in peers(epochs).items():
                best.setdefault((name, epochs), []).append(seconds(estimator, X, y))
    least = {key: min(times[1:]) for key, times in best.items()}
    return {name: (least[name, 21] - least[name, 11]) / 10 for name, epochs in least if epochs == 11}


def ten_classes(X):
    """a9a's rows with ten classes that a linear model can tell apart, roughly."""
    rng = np.random.default_rng(0)
    return np.argmax(X @ rng.normal(size=(X.shape[1], 10)) + rng.normal(size=(X.shape[0], 10)), axis=1)


def main(names):
    warnings.simplefilter("ignore")
    print(
        "| data | SGDClassifier, ms | gda, ms | times cheaper | sc-pda, ms | times cheaper |\n|---|---|---|---|---|---|"
    )
    ratios = {False: [], True: []}
    for name in present(names):
        X, y = load(name.split(",")[0])
        if name.endswith("classes"):
            y = ten_classes(X)
        cost = epoch(X, y, 5 if X.shape[0] > 100_000 else 40 if name.endswith("classes") or X.nnz > 10**6 else 150)
        sgd, gda, pda = (1e3 * cost[k] for k in ("SGDClassifier", "gda", "sc-pda"))
        if not name.endswith("classes"):
            ratios[name in WIDE].append((sgd / gda, sgd / pda))
        print(f"| {name} | {sgd:.2f} | {gda:.2f} | {sgd / gda:.1f} | {pda:.2f} | {sgd / pda:.1f} |", flush=True)
    for wide, found in ratios.items():
        if len(found) > 1:
            gda, pda = map(mean, zip(*found, strict=True))
            print(f"| geometric mean, {'wide' if wide else 'narrow'} | | | {gda:.1f} | | {pda:.1f} |")


if __name__ == "__main__":
    main(sys.argv[1:] or ["a9a", "w8a", "ijcnn1", "covtype", "a9a, ten classes", *WIDE])
