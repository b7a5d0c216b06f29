"""Two versions of the library side by side: is the new one slower? Ratios of CPU time, alternating, in one run.

    python benchmarks/linear/versions.py OLD/src NEW/src [data ...]        # Markdown on stdout

Each version lives in a process of its own, with one thread. A cell is the best of several whole fits: to a proved gap of
1e-2, 1e-3 and 1e-4 by the default solver, and ten more epochs of gda and sc-pda.
"""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

from cells import WIDE

REPEATS = 15
DATA = ("a9a", "w8a", "ijcnn1", "covtype")

WORKER = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
from cells import load, seconds
from cesaro import DualAveragingClassifier
X, y = load(sys.argv[2])
for line in sys.stdin:
    settings = json.loads(line)
    settings["alpha"] = 1.0 / len(y) if settings["alpha"] == "1/n" else settings["alpha"]
    print(seconds(DualAveragingClassifier(fit_intercept=False, random_state=0, **settings), X, y), flush=True)
"""


class Version:
    """A process that fits with one version of the library."""

    def __init__(self, source: str, data: str):
        here = str(Path(__file__).parent)
        environment = os.environ | {"PYTHONPATH": source} | {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS")}
        command = [sys.executable, "-c", WORKER, here, data]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def seconds(self, **settings) -> float:
        self.process.stdin.write(json.dumps(settings) + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def ratio(versions, repeats, *cells) -> float:
    """Best CPU time of the new version over that of the old; of two cells, of their difference."""
    best = [[math.inf] * len(cells) for _ in versions]
    for _ in range(repeats + 1):  # the first round compiles
        for k, version in enumerate(versions):
            for j, cell in enumerate(cells):
                best[k][j] = min(best[k][j], version.seconds(**cell))
    old, new = (times[-1] - sum(times[:-1]) for times in best)
    return new / old


def mean(ratios) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main(old: str, new: str, *data: str) -> None:
    print("alpha is 1e-2 (wide data: 1e-3), 1e-4, 1/n; figures are new / old.\n")
    print("| data | proof of 1e-2, 1e-3, 1e-4 at each alpha | epoch of gda | of sc-pda |\n|---|---|---|---|")
    proofs, epochs = [], []
    for name in data or DATA:
        versions, repeats = [Version(old, name), Version(new, name)], 5 if name == "covtype" else REPEATS
        alphas = (1e-3 if name in WIDE else 1e-2, 1e-4, "1/n")
        row = [ratio(versions, repeats, {"alpha": a, "tol": t}) for a in alphas for t in (1e-2, 1e-3, 1e-4)]
        cost = [
            ratio(versions, repeats, *({"solver": s, "alpha": 1e-4, "tol": 0, "max_iter": e} for e in (11, 21)))
            for s in ("gda", "sc-pda")
        ]
        proofs, epochs = proofs + row, epochs + cost
        print(f"| {name} | {' '.join(f'{r:.2f}' for r in row)} | {cost[0]:.2f} | {cost[1]:.2f} |", flush=True)
        for version in versions:
            version.close()
    print(f"| geometric mean | {mean(proofs):.3f} | {mean(epochs[::2]):.3f} | {mean(epochs[1::2]):.3f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
