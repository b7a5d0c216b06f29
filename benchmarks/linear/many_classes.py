"""Classifiers of many classes at their defaults: CPU time, accuracy on rows they have not seen, memory, two threads.

    python benchmarks/linear/many_classes.py [debian sector ...]        # Markdown on stdout
    python benchmarks/linear/many_classes.py --loss log_loss --alpha 1e-5 debian    # no LinearSVC: it has no such loss
    python benchmarks/linear/many_classes.py --like-linear-svc debian    # with LinearSVC's defaults: both have one optimum

One process for each fit, which also compiles beforehand. debian is split 4 to 1; hashed: its rows as if
HashingVectorizer had made 2^20 columns of them, of its eight largest classes. Two are made on the spot (`made_rows`).
"""

import argparse
import io
import json
import lzma
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from cells import FILES, mean, present, seconds
from made_rows import MADE
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import train_test_split

FILES |= {"letter": "letter.scale.xz", "letter.t": "letter.scale.t.xz", "sector.t": "sector.t.scale.xz"}
FILES |= {"pendigits": "pendigits.xz", "pendigits.t": "pendigits.t.xz", "hashed": FILES["debian"]}
NAMES = ("debian", "sector", "hashed", "letter", "pendigits", *MADE)
REPEATS = 3


def rows(name, n_features=None):
    from cells import path_of

    with lzma.open(path_of(name)) as file:
        X, y = load_svmlight_file(io.BytesIO(file.read()), n_features=n_features)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y


def split(name):
    """X, y to fit to and X, y to predict."""
    X, y = MADE[name]() if name in MADE else rows(name)
    if f"{name}.t" in FILES:
        return X, y, *rows(f"{name}.t", X.shape[1])
    if name == "hashed":
        large = np.isin(y, np.argsort(np.bincount(y.astype(int)))[-8:])
        X, y = X[large], y[large]
        X.indices = (X.indices.astype(np.uint64) * 2654435761 % 2**20).astype(np.int32)
        X = sp.csr_matrix((X.data, X.indices, X.indptr), shape=(len(y), 2**20))
        X.sum_duplicates()
    X, there, y, then = train_test_split(X, y, test_size=0.2, random_state=0)
    return X, y, there, then


def estimator(who, **more):
    from sklearn.linear_model import SGDClassifier
    from sklearn.svm import LinearSVC

    from cesaro import DualAveragingClassifier

    return {"cesaro": DualAveragingClassifier, "SGDClassifier": SGDClassifier, "LinearSVC": LinearSVC}[who](
        random_state=0, **more
    )


def forget_peak():
    """From here on `peak` is that of what follows (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")


def peak():
    """The most memory that the process has had, rows included, in MB."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1000


def measure(name, who, **given):
    """CPU seconds, accuracy, the peak of memory, and wall seconds with one and with two threads."""
    warnings.simplefilter("ignore")
    X, y, there, then = split(name)
    if given.pop("like_linear_svc", False) and who == "cesaro":
        given |= {"loss": "squared_hinge", "alpha": 1.0 / len(y), "penalize_intercept": True}
    estimator(who, max_iter=2, **given).fit(X[:2000], y[:2000])
    forget_peak()
    best = min(seconds(estimator(who, **given), X, y) for _ in range(REPEATS if who == "cesaro" else 1))
    model = estimator(who, **given).fit(X, y)
    found = {"seconds": best, "MB": peak(), "accuracy": model.score(there, then)}
    if who == "cesaro":
        walls = []
        for jobs in (1, 2):
            start = time.perf_counter()
            estimator(who, n_jobs=jobs, **given).fit(X, y)
            walls.append(time.perf_counter() - start)
        found |= {"walls": walls, "gap": float(model.relative_gap_.max()), "classes": len(model.classes_)}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--loss")
    parser.add_argument("--alpha", type=float)
    parser.add_argument("--like-linear-svc", action="store_true")
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    given = {key: value for key in ("loss", "alpha") if (value := getattr(asked, key)) is not None}
    if asked.cell:
        return print(json.dumps(measure(*asked.names, asked.cell, **given, like_linear_svc=asked.like_linear_svc)))
    solvers = ("cesaro", "SGDClassifier", *(() if given else ("LinearSVC",)))
    solvers = ("cesaro", "LinearSVC") if asked.like_linear_svc else solvers
    print(
        f"| data | classes | cesaro: CPU s, accuracy, MB at most | {' | '.join(solvers[1:])} | ratio | two threads, wall |"
    )
    print("|---" * (4 + len(solvers)) + "|")
    ratios, options = [], [part for key, value in given.items() for part in (f"--{key}", str(value))]
    options += ["--like-linear-svc"] * asked.like_linear_svc
    for name in [name for name in asked.names if name in MADE or present([name])]:
        found = {}
        for who in solvers:
            command = [sys.executable, __file__, name, "--cell", who, *options]
            found[who] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        ours, *peers = found.values()
        ratios.append(ours["seconds"] / min(peer["seconds"] for peer in peers))
        cells = [f"{one['seconds']:.2f}, {one['accuracy']:.4f}, {one['MB']:.0f}" for one in found.values()]
        one, two = ours["walls"]
        print(f"| {name} | {ours['classes']} | {' | '.join(cells)} | {ratios[-1]:.2f} | {two / one:.2f} |", flush=True)
    print(f"\nGeometric mean of the ratios to the faster peer: {mean(ratios):.2f}.")


if __name__ == "__main__":
    main()
