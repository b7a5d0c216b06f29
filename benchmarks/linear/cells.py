"""A cell is a data set and an alpha: loading one, timing a fit, finding the fewest iterations that reach an accuracy.

Data: $CESARO_DATA or ../shared/data/libsvm beside the repository. One thread, CPU time.
"""

import io
import json
import lzma
import math
import os
import subprocess
import sys
import time
from pathlib import Path

os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")})

import numpy as np
from sklearn.datasets import load_svmlight_file

FILES = {name: f"{name}.xz" for name in ("a9a", "ijcnn1", "w8a", "debian", "phishing", "a8a")} | {
    "covtype": "covtype.libsvm.binary.scale.xz",
    "reuters": "reuters.trn.xz",
    "sector": "sector.scale.xz",
}
WIDE = ("reuters", "sector", "debian")  # text: thousands of columns; of many classes the lower half against the upper


def path_of(name):
    """The file of a data set; it may not exist."""
    folder = Path(os.environ.get("CESARO_DATA", Path(__file__).parents[3] / "shared" / "data" / "libsvm"))
    return folder / FILES[name]


def present(names):
    """Those of the data sets that are here; of the others one sentence on stderr."""
    missing = [name for name in names if not path_of(name.split(",")[0]).exists()]
    if missing:
        print(f"Skipped, no file in {path_of('a9a').parent}: {', '.join(missing)}.", file=sys.stderr)
    return [name for name in names if name not in missing]


def load(name):
    """X, y in {-1, 1}."""
    with lzma.open(path_of(name)) as file:
        X, y = load_svmlight_file(io.BytesIO(file.read()))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # SGDClassifier refuses wider ones
    return X, np.where(y < np.median(y) if len(np.unique(y)) > 2 else y > y.min(), 1.0, -1.0)


def seconds(estimator, X, y):
    """CPU time of a fit."""
    start = time.process_time()
    estimator.fit(X, y)
    return time.process_time() - start


def fewest(make, reached, high, budget):
    """The smallest max_iter from `high` on that is enough, to 5 %; None if a fit takes longer than the budget before it is."""
    low = high - 1
    while not reached(make(high)):
        if reached.seconds > budget or high >= 5000:
            return None
        low, high = high, max(high + 1, int(1.5 * high))
    while high - low > max(1, 0.05 * high):
        middle = (low + high) // 2
        low, high = (low, middle) if reached(make(middle)) else (middle, high)
    return high


def race(family, peers, X, y, objective, targets, repeats=3, patience=3.0):
    """{name: [CPU ms to each target]} of whole fits, stopped by the best max_iter known in advance; inf if out of reach.

    `family` maps names to functions max_iter -> unfitted estimator, `targets` are values in falling order. A solver is given
    up at a target for which it needs `patience` times as long as the fastest of `peers`. The timed fits are interleaved,
    each twice in a row.
    """
    chosen, fastest = {}, [math.inf] * len(targets)
    for name in sorted(family, key=lambda name: name not in peers):
        make, count = family[name], 1
        make(2).fit(X, y)  # compile, load
        for k, target in enumerate(targets):

            def reached(estimator, target=target):
                reached.seconds = seconds(estimator, X, y)
                return objective(np.ravel(estimator.coef_)) <= target

            count = fewest(make, reached, count, patience * fastest[k])
            if count is None:
                break
            chosen[name, k] = make(count)
            if name in peers:
                fastest[k] = min(fastest[k], seconds(make(count), X, y))
    times = {name: [math.inf] * len(targets) for name in family}
    for turn in range(repeats):
        for (name, k), estimator in chosen.items():
            for _ in range(
                2 if times[name][k] < 2000 or turn == 0 else 0
            ):  # the first pays for what another solver left
                times[name][k] = min(times[name][k], 1e3 * seconds(estimator, X, y))
    return times


def mean(ratios):
    """Geometric."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def in_own_process(script, *arguments):
    """The JSON that `script --cell ARGUMENTS` prints: one process per cell.

    With $CESARO_CELLS a folder, answers are kept there, and a run that was stopped goes on where it was.
    """
    kept = Path(os.environ.get("CESARO_CELLS", ".")) / ("-".join([Path(script).stem, *map(str, arguments)]) + ".json")
    if "CESARO_CELLS" in os.environ and kept.exists():
        return json.loads(kept.read_text())
    command = [sys.executable, script, "--cell", *map(str, arguments)]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    if "CESARO_CELLS" in os.environ:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(answer)
    return json.loads(answer)


def shown(times):
    """Milliseconds, a dash where out of reach."""
    return " ".join("–" if math.isinf(t) else f"{t:.1f}" for t in times)
