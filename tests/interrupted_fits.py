"""Ctrl-C at random moments: how long until control returns, and what is left.  python tests/interrupted_fits.py [count] [seed]

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
from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from cesaro.data import load
from cesaro.linear import DualAveragingClassifier, DualAveragingClassifierCV

ENDLESS = {"alpha": 1e-9, "tol": 1e-300, "max_iter": 10**9, "random_state": 0}
SEARCH = {"alphas": 16, "cv": 5, "tol": 1e-300, "max_iter": 10**9, "random_state": 0}
PAPER = ("gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda")
PROMISE = 0.3  # seconds


class Interrupted(NamedTuple):
    """What became of a fit."""

    seconds: float  # from the signal to the line after `fit`
    cpu: float  # seconds of processor time meanwhile: what others on the machine do not count
    usable: bool  # a fitted model, or an untouched one with KeyboardInterrupt before its first epoch
    left: bool  # whether a model is left


def cases():
    """Name: estimator, data set."""
    found = {"anchored": (DualAveragingClassifier(l1_ratio=0.1, **ENDLESS), 2)}
    found |= {solver: (DualAveragingClassifier(solver=solver, **ENDLESS), 2) for solver in PAPER}
    found["anchored, 10 classes"] = (DualAveragingClassifier(l1_ratio=0.1, **ENDLESS), 10)
    found["anchored, 10 classes, n_jobs=2"] = (DualAveragingClassifier(l1_ratio=0.1, n_jobs=2, **ENDLESS), 10)
    found["gda, 10 classes, n_jobs=2"] = (DualAveragingClassifier(solver="gda", n_jobs=2, **ENDLESS), 10)
    found["CV"] = (DualAveragingClassifierCV(**SEARCH), 2)
    found["CV, 10 classes"] = (DualAveragingClassifierCV(**SEARCH), 10)
    found["CV, n_jobs=2"] = (DualAveragingClassifierCV(**SEARCH, solver="sc-pda", n_jobs=2), 2)
    return found


def interrupt(model, X, y, after):
    """Fit until a Ctrl-C so many seconds later."""
    sent = []

    def send():
        sent.extend([time.perf_counter(), time.process_time()])
        os.kill(os.getpid(), signal.SIGINT)

    before, timer = dict(vars(model)), threading.Timer(after, send)
    try:
        timer.start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
    except KeyboardInterrupt:
        wall, cpu = time.perf_counter() - sent[0], time.process_time() - sent[1]
        return Interrupted(wall, cpu, vars(model) == before, False)
    finally:
        timer.cancel()
    wall, cpu = (time.perf_counter() - sent[0], time.process_time() - sent[1]) if sent else (0.0, 0.0)
    usable = bool(np.isfinite(model.coef_).all()) and len(model.predict(X[:10])) == 10
    return Interrupted(wall, cpu, usable, True)


def compiled(model, X, y):
    """Compile before the clock runs: what a fit needs, and what is done in a hurry."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clone(model).set_params(time_limit=0.5).fit(X, y)
        clone(model).set_params(time_limit=1e-9).fit(X, y)
    interrupt(clone(model), X, y, 1.0)


def rows(name):
    """A data set of the benchmarks, or one of that shape."""
    try:
        found = load(name)
        return found.X, found.y
    except Exception:
        rng = np.random.default_rng(0)
        X = rng.normal(size={"covtype": (581_012, 54), "a9a": (32_561, 123)}[name]).astype(np.float32)
        return X, np.sign(X[:, 0] + rng.normal(size=len(X)))


def labelled(X, y, classes):
    """The labels, or so many classes that have to do with the rows."""
    if classes == 2:
        return y
    score = X @ np.random.default_rng(1).normal(size=(X.shape[1], classes))
    return score.argmax(axis=1)


def main(count=100, seed=0):
    """Interrupts over all cases in turn; ends with an error if a promise is broken."""
    rng, known, worst, tally = np.random.default_rng(seed), cases(), {}, Counter()
    data = {name: rows(name) for name in ("a9a", "covtype")}
    targets = {(name, c): labelled(X, y, c) for name, (X, y) in data.items() for c in (2, 10)}
    for model, classes in known.values():
        for name in data:
            compiled(model, data[name][0], targets[name, classes])
    for k in range(count):
        (name, (model, classes)), data_name = list(known.items())[k % len(known)], ("a9a", "covtype")[k % 2]
        found = interrupt(clone(model), data[data_name][0], targets[data_name, classes], float(rng.uniform(0.0, 2.0)))
        tally["a model" if found.left else "none, before the first epoch"] += 1
        tally["later than 0.3 s"] += found.seconds > PROMISE
        tally["late"] += min(found.seconds, found.cpu / (model.n_jobs or 1)) > PROMISE
        tally["unusable"] += not found.usable
        worst[name] = max(worst.get(name, (0.0, 0.0, "")), (found.cpu, found.seconds, data_name))
        print(f"{k + 1}: {name}, {data_name}: {found}", file=sys.stderr, flush=True)
    for name, (cpu, seconds, data_name) in worst.items():
        print(f"{name}: at most {cpu:.2f} s of processor time, then {seconds:.2f} s by the clock ({data_name})")
    print(f"{count} interrupts, seed {seed}, load {os.getloadavg()[0]:.0f}: {dict(tally)}")
    return tally["late"] + tally["unusable"]


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
