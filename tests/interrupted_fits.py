"""Ctrl-C at random moments: how long until control returns, and what is left.

    python tests/interrupted_fits.py [count] [seed] [data set ...]        # 100 0 and all of them

Every fit goes on until it is stopped. An interrupt before the first epoch has ended leaves no model: what was fitted
before stays. Data sets are those of the benchmarks, where they are at hand ($CESARO_DATA); else rows of that shape.
"""

import os
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from cesaro.data import load
from cesaro.linear import DualAveragingClassifier, DualAveragingClassifierCV

ENDLESS = {"alpha": 1e-9, "tol": 1e-300, "max_iter": 10**9, "random_state": 0}
SEARCH = {"alphas": 16, "cv": 5, "tol": 1e-300, "max_iter": 10**9, "random_state": 0}
PAPER = ("gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda")
PROMISE = 0.3  # seconds
SHAPES = {  # rows, columns, entries of a row
    "a9a": (32_561, 123, 14),
    "w8a": (49_749, 300, 12),
    "ijcnn1": (49_990, 22, 13),
    "covtype": (581_012, 54, 12),
    "reuters": (7_770, 8_315, 44),
    "sector": (6_412, 55_197, 163),
    "debian": (63_651, 218_855, 85),
}
FILES = {"covtype": "covtype.libsvm.binary.scale", "reuters": "reuters.trn", "sector": "sector.scale"}


class Interrupted(NamedTuple):
    """What became of a fit."""

    seconds: float  # from the signal to the line after `fit`
    usable: bool  # a fitted model, or an untouched one with KeyboardInterrupt before its first epoch
    left: bool  # whether a model is left


def cases():
    """Name: estimator, number of classes."""
    found = {"anchored": (DualAveragingClassifier(**ENDLESS), 2)}
    found["anchored, L1"] = (DualAveragingClassifier(l1_ratio=0.1, **ENDLESS), 2)
    found["log loss, L1"] = (DualAveragingClassifier(loss="log_loss", l1_ratio=0.5, **ENDLESS | {"alpha": 1e-7}), 2)
    found |= {solver: (DualAveragingClassifier(solver=solver, **ENDLESS), 2) for solver in PAPER}
    found["anchored, 10 classes"] = (DualAveragingClassifier(**ENDLESS), 10)
    found["anchored, L1, 10 classes, n_jobs=2"] = (DualAveragingClassifier(l1_ratio=0.1, n_jobs=2, **ENDLESS), 10)
    found["gda, 10 classes, n_jobs=2"] = (DualAveragingClassifier(solver="gda", n_jobs=2, **ENDLESS), 10)
    found["CV"] = (DualAveragingClassifierCV(**SEARCH), 2)
    found["CV, 10 classes"] = (DualAveragingClassifierCV(**SEARCH), 10)
    found["CV, sc-pda, n_jobs=2"] = (DualAveragingClassifierCV(**SEARCH, solver="sc-pda", n_jobs=2), 2)
    return found


def interrupt(model, X, y, after):
    """Fit until a Ctrl-C so many seconds later."""
    sent = []

    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    before, timer = dict(vars(model)), threading.Timer(after, send)
    try:
        timer.start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
    except KeyboardInterrupt:
        return Interrupted(time.perf_counter() - sent[0], vars(model) == before, False)
    finally:
        timer.cancel()
    seconds = time.perf_counter() - sent[0] if sent else 0.0
    usable = bool(np.isfinite(model.coef_).all()) and len(model.predict(X[:10])) == 10
    return Interrupted(seconds, usable, True)


def compiled(model, X, y):
    """Compile before the clock runs: what a fit needs, and what is done in a hurry."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clone(model).set_params(time_limit=0.2).fit(X, y)
        clone(model).set_params(time_limit=1e-9).fit(X, y)
    interrupt(clone(model), X, y, 0.5)


def rows(name):
    """A data set of the benchmarks, or one of that shape; of many classes as they are."""
    folder = Path(os.environ.get("CESARO_DATA", ""))
    for path in (folder / f"{FILES.get(name, name)}.xz", folder / FILES.get(name, name)):
        if path.is_file():
            found = load(str(path))
            return found.X, found.y
    rng, (n, d, length) = np.random.default_rng(0), SHAPES[name]
    ptr, col = np.arange(n + 1) * length, rng.integers(d, size=n * length)
    X = sp.csr_array((rng.random(n * length), col, ptr), shape=(n, d))
    X.sum_duplicates()
    return X, np.sign(X[:, :10].sum(axis=1) - 10 * length / d / 2 + rng.normal(size=n))


def labelled(X, y, classes):
    """Two classes, or so many that have to do with the rows."""
    many = len(np.unique(y)) > 2
    if classes == 2:
        return np.where(y < np.median(y) if many else y > y.min(), 1.0, -1.0)
    return y % classes if many else (X @ np.random.default_rng(1).normal(size=(X.shape[1], classes))).argmax(axis=1)


def drawn(count, names, seed):
    """Numbers, cases, data sets and moments; one data set after the other."""
    rng, known = np.random.default_rng(seed), cases()
    for k in range(count):
        case = list(known)[(k + seed) % len(known)]
        yield k, case, list(SHAPES)[k * len(SHAPES) // count], float(rng.uniform(0.0, 2.0))


def main(count="100", seed="0", *names):
    """Interrupts over all cases in turn; ends with an error if a promise is broken."""
    known, worst, tally, data = cases(), {}, Counter(), {}
    for k, case, name, after in drawn(int(count), names, int(seed)):
        if names and name not in names:
            continue
        if name not in data:
            data = {name: rows(name)}
        (model, classes), X = known[case], data[name][0]
        y = labelled(X, data[name][1], classes)
        compiled(model, X, y)
        found = interrupt(clone(model), X, y, after)
        tally["a model" if found.left else "none, before the first epoch"] += 1
        tally["later than 0.3 s"] += found.seconds > PROMISE
        tally["unusable"] += not found.usable
        worst[case] = max(worst.get(case, (0.0, "")), (found.seconds, name))
        print(f"{k + 1}: {case}, {name}, after {after:.2f} s: {found}", file=sys.stderr, flush=True)
    for case, (seconds, name) in worst.items():
        print(f"{case}: at most {seconds:.2f} s ({name})")
    print(
        f"{sum(tally[w] for w in ('a model', 'none, before the first epoch'))} interrupts, seed {seed}: {dict(tally)}"
    )
    return tally["later than 0.3 s"] + tally["unusable"]


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
    sys.exit(bool(main(*sys.argv[1:])))
