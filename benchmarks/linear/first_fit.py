"""Seconds of the first fit in a fresh process, imports included: with an empty compile cache, and with a warm one.

    python benchmarks/linear/first_fit.py            # a binary fit, by two solvers
    python benchmarks/linear/first_fit.py --search   # a search over alpha and its last fit, eight classes of made text

CPU time, the best of three; and what importing scikit-learn alone takes, in the same run.
"""

import os
import subprocess
import sys
import tempfile

CODE = """
import numpy as np
from cesaro import DualAveragingClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(2000, 20)); y = np.sign(X[:, 0] + rng.normal(size=2000))
DualAveragingClassifier(solver={solver!r}, tol={tol}, max_iter=200).fit(X, y)
"""
SEARCH = """
import numpy as np, scipy.sparse as sp
from cesaro import DualAveragingClassifierCV
rng = np.random.default_rng(0)
X = sp.random_array((1000, 6000), density=0.01, rng=rng, format="csr"); y = np.argmax(X @ rng.normal(size=(6000, 8)), 1)
DualAveragingClassifierCV(alphas=[1e-2, 1e-3], cv=3, tol=1e-6, {more}).fit(X, y)
"""


def seconds(code, cache):
    """From the start of the process to the end of the code; what Python takes to end is not counted."""
    code += "\nimport time; print(time.process_time())"
    environment = os.environ | {"NUMBA_CACHE_DIR": cache, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    found = subprocess.run([sys.executable, "-c", code], check=True, env=environment, stdout=subprocess.PIPE, text=True)
    return float(found.stdout)


def report(what, code):
    """A line about a first fit."""
    cold, warm = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(seconds(code, cache))
            warm.append(seconds(code, cache))
    print(f"- {what}: cold cache {min(cold):.1f} s, warm cache {min(warm):.1f} s")


def main():
    print(f"- `import sklearn.base`: {min(seconds('import sklearn.base', '') for _ in range(3)):.1f} s")
    if "--search" in sys.argv[1:]:
        report("search on text, hinge", SEARCH.format(more=""))
        like = "loss='squared_hinge', penalize_intercept=True"
        return report("search on text, squared hinge, the intercept penalised", SEARCH.format(more=like))
    for solver, tol in (("anchored", 1e-3), ("gda", 0.0)):
        report(f"solver {solver} (targets 6 and 2)", CODE.format(solver=solver, tol=tol))


if __name__ == "__main__":
    main()
