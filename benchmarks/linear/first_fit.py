"""Seconds of the first fit in a fresh process, imports included: with an empty compile cache, and with a warm one.

python benchmarks/linear/first_fit.py
"""

import os
import subprocess
import sys
import tempfile
import time

CODE = """
import numpy as np
from cesaro import DualAveragingClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(2000, 20)); y = np.sign(X[:, 0] + rng.normal(size=2000))
DualAveragingClassifier(solver={solver!r}, tol={tol}, max_iter=20).fit(X, y)
"""


def main():
    for solver, tol in (("anchored", 1e-3), ("gda", 0.0)):
        with tempfile.TemporaryDirectory() as cache:
            for state, limit in (("cold", 6), ("warm", 2), ("warm", 2)):
                begin = time.perf_counter()
                subprocess.run(
                    [sys.executable, "-c", CODE.format(solver=solver, tol=tol)],
                    check=True,
                    env=os.environ | {"NUMBA_CACHE_DIR": cache},
                )
                print(f"- solver {solver}, {state} cache: {time.perf_counter() - begin:.1f} s (target {limit})")


if __name__ == "__main__":
    main()
