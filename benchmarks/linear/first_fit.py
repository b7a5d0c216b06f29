"""Seconds of the first fit in a fresh process, imports included: with an empty compile cache, and with a warm one.

    python benchmarks/linear/first_fit.py

Wall-clock time, the best of three; and what importing scikit-learn alone takes, in the same run.
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
DualAveragingClassifier(solver={solver!r}, tol={tol}, max_iter=200).fit(X, y)
"""


def seconds(code, cache):
    """From the start of the process to the end of the code; what Python takes to end is not waited for."""
    code += "\nimport time; print(time.time())"
    begin = time.time()
    found = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        env=os.environ | {"NUMBA_CACHE_DIR": cache},
        stdout=subprocess.PIPE,
        text=True,
    )
    return float(found.stdout) - begin


def main():
    print(f"- `import sklearn.base`: {min(seconds('import sklearn.base', '') for _ in range(3)):.1f} s")
    for solver, tol in (("anchored", 1e-3), ("gda", 0.0)):
        code, cold, warm = CODE.format(solver=solver, tol=tol), [], []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(seconds(code, cache))
                warm.append(seconds(code, cache))
        print(f"- solver {solver}: cold cache {min(cold):.1f} s (target 6), warm cache {min(warm):.1f} s (target 2)")


if __name__ == "__main__":
    main()
