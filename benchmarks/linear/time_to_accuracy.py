"""CPU time to a relative suboptimality of the hinge objective, and to a proof of 1e-3, against scikit-learn's solvers.

    python benchmarks/linear/time_to_accuracy.py a9a w8a          # Markdown on stdout, one process per cell

Every solver is a whole fit without intercept, stopped by the best `max_iter`, which is found beforehand; the timed runs
are interleaved, one thread, the best of several. Data: $CESARO_DATA or ../shared/data/libsvm beside the repository.
"""

import argparse
import functools
import io
import json
import lzma
import math
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")})

FILES = {name: f"{name}.xz" for name in ("a9a", "ijcnn1", "w8a")} | {"covtype": "covtype.libsvm.binary.scale.xz"}
OPTIMA = {  # of mu/2 |w|^2 + mean hinge, for mu = 1e-2, 1e-4, 1/n
    "a9a": (0.380703366164, 0.351761800467, 0.351150385340),
    "ijcnn1": (0.239837496893, 0.175811273709, 0.171954475680),
    "w8a": (0.239440835461, 0.144325891647, 0.132764208748),
    "covtype": (0.719155598053, 0.591127841830, 0.581662735570),
}
ACCURACIES = (1e-2, 1e-3, 1e-4)
PEERS = ("LinearSVC", "SGD", "SGD average", "SGD tail")
PATIENCE = 1.5  # a solver is given up at an accuracy for which it needs this many times longer than the fastest peer


def load(name):
    """X, y in {-1, 1}."""
    import numpy as np
    from sklearn.datasets import load_svmlight_file

    folder = Path(os.environ.get("CESARO_DATA", Path(__file__).parents[3] / "shared" / "data" / "libsvm"))
    with lzma.open(folder / FILES[name]) as file:
        X, y = load_svmlight_file(io.BytesIO(file.read()))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # SGDClassifier refuses wider ones
    return X, np.where(y > y.min(), 1.0, -1.0)


def solvers(mu, n):
    """name -> max_iter -> an unfitted estimator."""
    from sklearn.linear_model import SGDClassifier
    from sklearn.svm import LinearSVC

    from cesaro.linear.estimators import DualAveragingClassifier

    sgd = {"alpha": mu, "tol": None, "fit_intercept": False, "random_state": 0}
    ours = {"alpha": mu, "tol": 0.0, "fit_intercept": False, "random_state": 0}
    return {
        "cesaro": lambda k: DualAveragingClassifier(max_iter=k, **ours),
        "LinearSVC": lambda k: LinearSVC(loss="hinge", C=1 / (mu * n), fit_intercept=False, max_iter=k, random_state=0),
        "SGD": lambda k: SGDClassifier(max_iter=k, **sgd),
        "SGD average": lambda k: SGDClassifier(max_iter=k, average=True, **sgd),
        "SGD tail": lambda k: SGDClassifier(max_iter=k, average=(k // 2) * n + 1, **sgd),
        "cesaro, no anchor": lambda k: DualAveragingClassifier(max_iter=k, anchor=0.0, **ours),
        "cesaro, memoryless": lambda k: DualAveragingClassifier(max_iter=k, solver="gda", **ours),
    }


def seconds(estimator, X, y):
    start = time.process_time()
    estimator.fit(X, y)
    return time.process_time() - start


def fewest(make, reached, high, budget):
    """The smallest max_iter from `high` on that is enough; None if a fit takes longer than the budget before it is."""
    low = high - 1
    while not reached(make(high)):
        if reached.seconds > budget or high >= 5000:
            return None
        low, high = high, max(high + 1, int(1.5 * high))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(make(middle)) else (middle, high)
    return high


def cell(name, which, repeats):
    """One data set and one mu: {solver: [ms per accuracy]}, and the proof's figures."""
    import numpy as np
    from sklearn.svm import LinearSVC

    from cesaro.linear.estimators import DualAveragingClassifier

    warnings.simplefilter("ignore")
    X, y = load(name)
    n, best = len(y), OPTIMA[name][which]
    mu = (1e-2, 1e-4, 1.0 / n)[which]
    family, times, fastest = solvers(mu, n), {}, [math.inf] * len(ACCURACIES)
    family["cesaro"](2).fit(X, y)  # compile
    chosen = {}
    for solver, make in family.items():
        count = 1
        for k, accuracy in enumerate(ACCURACIES):

            def reached(estimator, accuracy=accuracy):
                reached.seconds = seconds(estimator, X, y)
                w = np.ravel(estimator.coef_)
                return mu / 2 * w @ w + np.maximum(0.0, 1.0 - y * (X @ w)).mean() <= best * (1 + accuracy)

            count = fewest(make, reached, count, PATIENCE * fastest[k])
            if count is None:
                break
            chosen[solver, k] = make(count)
            if solver in PEERS:
                fastest[k] = min(fastest[k], seconds(make(count), X, y))
    proof = DualAveragingClassifier(alpha=mu, fit_intercept=False, random_state=0)
    default = LinearSVC(loss="hinge", C=1 / (mu * n), fit_intercept=False, random_state=0)
    everything = chosen | {("proof of 1e-3", 0): proof, ("LinearSVC's defaults", 0): default}
    for _ in range(repeats):
        for key, estimator in everything.items():
            times[key] = min(times.get(key, math.inf), seconds(estimator, X, y))
    table = {s: [1e3 * times.get((s, k), math.inf) for k in range(len(ACCURACIES))] for s in family}
    table |= {s: [1e3 * times[s, 0]] for s in ("proof of 1e-3", "LinearSVC's defaults")}
    return table | {"relative gap": float(np.max(proof.relative_gap_)), "sweeps": int(np.max(proof.n_iter_))}


def report(results):
    """The Markdown tables of all cells."""
    names = [s for s in next(iter(results.values())) if s.startswith("cesaro")] + list(PEERS)
    lines = ["CPU ms to relative suboptimality 1e-2, 1e-3, 1e-4 (–: not within reach).", ""]
    lines += ["| data | mu | " + " | ".join(names) + " | ratio to the fastest peer |", "|---" * (len(names) + 3) + "|"]
    ratios = [[], [], []]
    for (name, mu), table in results.items():
        fastest = [min(table[p][k] for p in PEERS) for k in range(3)]
        ours = [table["cesaro"][k] / fastest[k] for k in range(3)]
        for k in range(3):
            ratios[k].append(ours[k])
        shown = [" ".join("–" if math.isinf(t) else f"{t:.1f}" for t in table[s]) for s in names]
        lines.append(f"| {name} | {mu} | " + " | ".join(shown) + " | " + " ".join(f"{r:.2f}" for r in ours) + " |")
    means = [math.exp(sum(map(math.log, r)) / len(r)) for r in ratios]
    lines += ["", "Geometric means of the ratios: " + ", ".join(f"{m:.3f}" for m in means) + "; worst: "]
    lines[-1] += ", ".join(f"{max(r):.2f}" for r in ratios) + "."
    lines += [
        "",
        "| data | mu | proof of 1e-3 (ms) | sweeps | gap | LinearSVC's defaults (ms) | ratio |",
        "|---" * 7 + "|",
    ]
    total = []
    for (name, mu), t in results.items():
        a, b = t["proof of 1e-3"][0], t["LinearSVC's defaults"][0]
        total.append(math.log(a / b))
        lines.append(f"| {name} | {mu} | {a:.1f} | {t['sweeps']} | {t['relative gap']:.1e} | {b:.0f} | {a / b:.3f} |")
    return "\n".join([*lines, "", f"Geometric mean of the ratios: {math.exp(sum(total) / len(total)):.3f}."])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(FILES))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cell", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.cell:
        return print(json.dumps(cell(asked.cell[0], int(asked.cell[1]), asked.repeats)))
    run = functools.partial(subprocess.run, check=True, stdout=subprocess.PIPE, text=True)
    results = {}
    for name in asked.names:
        for which, mu in enumerate(("1e-2", "1e-4", "1/n")):
            command = [sys.executable, __file__, "--cell", name, str(which), "--repeats", str(asked.repeats)]
            results[name, mu] = json.loads(run(command).stdout)
            print(f"{name} {mu} done", file=sys.stderr)
    print(report(results))


if __name__ == "__main__":
    main()
