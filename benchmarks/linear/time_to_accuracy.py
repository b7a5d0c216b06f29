"""CPU time to a relative suboptimality of the hinge objective, and to a proof of 1e-3, against the solvers of the field.

    python benchmarks/linear/time_to_accuracy.py a9a w8a          # Markdown on stdout, one process per cell

Every solver is a whole fit without intercept, one thread, stopped by the best `max_iter`, which is found beforehand
(LIBLINEAR's own program: by the best of 14 tolerances, and without the time to convert its data). Peers that are not
installed are left out: benchmarks/requirements.txt lists them. (celer has no hinge.)
"""

import argparse
import json
import sys
import warnings
from importlib.util import find_spec

from cells import WIDE, in_own_process, load, mean, present, race, seconds, shown

NARROW = ("a9a", "w8a", "ijcnn1", "covtype")
OPTIMA = {  # of mu/2 |w|^2 + mean hinge, for mu = 1e-2, 1e-4, 1/n; of wide data they are computed, to a proved 1e-9
    "a9a": (0.380703366164, 0.351761800467, 0.351150385340),
    "ijcnn1": (0.239837496893, 0.175811273709, 0.171954475680),
    "w8a": (0.239440835461, 0.144325891647, 0.132764208748),
    "covtype": (0.719155598053, 0.591127841830, 0.581662735570),
}
ACCURACIES = (1e-2, 1e-3, 1e-4)


class Official:
    """LIBLINEAR's own solver behind fit; the k-th of its tolerances stands for max_iter = k."""

    converted = None  # its form of the data, made once

    def __init__(self, mu, n, k):
        self.options = f"-s 3 -c {1 / (mu * n)} -e {10.0 ** (1 - k / 2)} -B -1 -q"

    def fit(self, X, y):
        from liblinear.liblinearutil import parameter, problem, train

        if Official.converted is None:
            Official.converted = problem(y, X)
        model = train(Official.converted, parameter(self.options))
        self.coef_ = [c * model.get_labels()[0] for c in model.get_decfun()[0]]
        return self


def solvers(mu, n):
    """name -> max_iter -> an unfitted estimator; ours, our ablation, and the peers that are installed."""
    from sklearn.linear_model import SGDClassifier
    from sklearn.svm import LinearSVC

    from cesaro import DualAveragingClassifier

    sgd = {"alpha": mu, "tol": None, "fit_intercept": False, "random_state": 0}
    ours = {"alpha": mu, "tol": 0.0, "fit_intercept": False, "random_state": 0}
    own = {
        "cesaro": lambda k: DualAveragingClassifier(max_iter=k, **ours),
        "no anchor": lambda k: DualAveragingClassifier(max_iter=k, anchor=0.0, **ours),
        "memoryless": lambda k: DualAveragingClassifier(max_iter=k, solver="gda", **ours),
    }
    peers = {
        "LinearSVC": lambda k: LinearSVC(loss="hinge", C=1 / (mu * n), fit_intercept=False, max_iter=k, random_state=0),
        "SGD": lambda k: SGDClassifier(max_iter=k, **sgd),
        "SGD average": lambda k: SGDClassifier(max_iter=k, average=True, **sgd),
        "SGD tail": lambda k: SGDClassifier(max_iter=k, average=(k // 2) * n + 1, **sgd),
    }
    if find_spec("liblinear"):
        peers["LIBLINEAR"] = lambda k: Official(mu, n, min(k, 14))
    if find_spec("lightning"):
        from lightning.classification import SDCAClassifier

        peers["lightning"] = lambda k: SDCAClassifier(loss="hinge", alpha=mu, max_iter=k, tol=0, random_state=0)
    if find_spec("snapml"):
        from snapml import SupportVectorMachine

        snap = {"regularizer": mu * n, "fit_intercept": False, "tol": 1e-12, "n_jobs": 1, "random_state": 0}
        peers["snapml"] = lambda k: SupportVectorMachine(max_iter=k, **snap)
    if find_spec("skglm"):
        import skglm

        peers["skglm"] = lambda k: skglm.LinearSVC(C=1 / (mu * n), fit_intercept=False, max_iter=k, tol=1e-12)
    return own, peers


def cell(name, which):
    """One data set and one mu: {solver: [ms per accuracy]}, and the proof's figures."""
    import numpy as np
    from sklearn.svm import LinearSVC

    from cesaro import DualAveragingClassifier

    warnings.simplefilter("ignore")
    X, y = load(name)
    n = len(y)
    mu = (1e-3 if name in WIDE else 1e-2, 1e-4, 1.0 / n)[which]
    if name in OPTIMA:
        best = OPTIMA[name][which]
    else:
        exact = {"alpha": mu, "fit_intercept": False, "random_state": 1, "tol": 1e-9, "max_iter": 20_000}
        best = DualAveragingClassifier(**exact).fit(X, y).lower_bound_
    own, peers = solvers(mu, n)

    def objective(w):
        return mu / 2 * w @ w + np.maximum(0.0, 1.0 - y * (X @ w)).mean()

    table = race(own | peers, peers, X, y, objective, [best * (1 + accuracy) for accuracy in ACCURACIES])
    proof = DualAveragingClassifier(alpha=mu, fit_intercept=False, random_state=0)
    default = LinearSVC(loss="hinge", C=1 / (mu * n), fit_intercept=False, random_state=0)
    times = [min(1e3 * seconds(estimator, X, y) for _ in range(3)) for estimator in (proof, default)]
    assert objective(proof.coef_[0]) <= best + proof.dual_gap_ + 1e-11, "the proved gap is smaller than the truth"
    tight = DualAveragingClassifier(alpha=mu, fit_intercept=False, random_state=0, tol=1e-6).fit(X, y)
    figures = {
        "ms": times,
        "gap": proof.relative_gap_,
        "epochs": int(proof.n_iter_),
        "1e-6": float(tight.relative_gap_),
    }
    return {"own": list(own), "peers": list(peers), "table": table, "proof": figures}


def report(results):
    """The Markdown tables of all cells."""
    some = next(iter(results.values()))
    own, peers = some["own"], some["peers"]
    print(
        "CPU ms of a whole fit to relative suboptimality 1e-2, 1e-3, 1e-4 (–: more than three times the fastest peer).\n"
    )
    print("| data | mu | " + " | ".join(own + peers) + " | ratio to the fastest peer |")
    print("|---" * (len(own + peers) + 3) + "|")
    ratios = []
    for (name, mu), result in results.items():
        table = result["table"]
        ratios.append([table["cesaro"][k] / min(table[p][k] for p in peers) for k in range(3)])
        cells = [shown(table[s]) for s in own + peers]
        print(f"| {name} | {mu} | " + " | ".join(cells) + " | " + " ".join(f"{r:.2f}" for r in ratios[-1]) + " |")
    columns = list(zip(*ratios, strict=True))
    print("\nGeometric means of the ratios: " + ", ".join(f"{mean(c):.3f}" for c in columns), end="; worst cells: ")
    print(", ".join(f"{max(c):.2f}" for c in columns) + ".\n")
    print(
        "`fit` at its defaults, which ends with a proof of 1e-3, beside LinearSVC at its defaults, which proves nothing:\n"
    )
    print("| data | mu | proof (ms) | epochs | proved gap | LinearSVC (ms) | ratio | gap with tol=1e-6 |")
    print("|---" * 8 + "|")
    total = []
    for (name, mu), result in results.items():
        (a, b), f = result["proof"]["ms"], result["proof"]
        total.append(a / b)
        print(f"| {name} | {mu} | {a:.1f} | {f['epochs']} | {f['gap']:.1e} | {b:.0f} | {a / b:.3f} | {f['1e-6']:.1e} |")
    print(f"\nGeometric mean of the ratios: {mean(total):.3f}.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=[*NARROW, *WIDE])
    parser.add_argument("--cell", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.cell:
        return print(json.dumps(cell(asked.cell[0], int(asked.cell[1])), default=float))
    results = {}
    for name in present(asked.names):
        for which, mu in enumerate(("1e-3" if name in WIDE else "1e-2", "1e-4", "1/n")):
            results[name, mu] = in_own_process(__file__, name, which)
            print(f"{name} {mu} done", file=sys.stderr)
    for kind, wide in (("Narrow rows", False), ("Wide rows", True)):
        if some := {key: found for key, found in results.items() if (key[0] in WIDE) == wide}:
            print(f"### {kind}\n")
            report(some)


if __name__ == "__main__":
    main()
