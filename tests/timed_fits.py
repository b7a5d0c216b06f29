"""By how much fits overrun their time limit, from the call of `fit` to the next line.

    python tests/timed_fits.py [data set ...]        # all of them

Cases and data sets are those of `interrupted_fits`. The promise: a tenth of the limit, or 50 ms if that is more.
"""

import signal
import sys
import time
import warnings

import numpy as np
from interrupted_fits import SHAPES, cases, compiled, labelled, rows
from sklearn.base import clone

LIMITS = (0.2, 1.0, 3.0)  # seconds


def overrun(model, X, y, limit):
    """Seconds beyond the limit that a fit takes; less than zero if it ends before."""
    model, began = clone(model).set_params(time_limit=limit), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    seconds = time.perf_counter() - began - limit
    if not np.isfinite(model.coef_).all():
        raise AssertionError(f"{model} is not usable")
    return seconds


def main(*names):
    """Every case on these data sets; ends with an error if the promise is broken."""
    broken = count = 0
    for name in names or SHAPES:
        X, y = rows(name)
        for case, (model, classes) in cases().items():
            target = labelled(X, y, classes)
            compiled(model, X, target)
            found = [overrun(model, X, target, limit) for limit in LIMITS]
            late = [seconds > max(0.1 * limit, 0.05) for seconds, limit in zip(found, LIMITS, strict=True)]
            broken, count = broken + sum(late), count + len(late)
            listed = ", ".join(
                f"{limit:g} s {s:+.3f}{' *' * bad}" for limit, s, bad in zip(LIMITS, found, late, strict=True)
            )
            print(f"{name}, {case}: {listed}", flush=True)
    print(f"{count} fits, {broken} of them beyond a tenth of the limit and 50 ms")
    return broken


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
    sys.exit(bool(main(*sys.argv[1:])))
