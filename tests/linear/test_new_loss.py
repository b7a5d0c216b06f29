"""A loss is one class in one place: fit, proofs, the path, Dask and the command line take it from there.

The loss is added in a process of its own. Kernels that were compiled before take it as they are: all that they are told
of a loss is its dual form.
"""

import os
import subprocess
import sys

ADDED = """
import json, sys, warnings
from dataclasses import dataclass
import numpy as np
from cesaro import losses
from cesaro.dual_form import DualForm

@dataclass(frozen=True)
class SmoothedHinge:
    '''max(0, 1 - yp) with its kink rounded off by a parabola of width gamma.'''

    gamma: float = 0.5

    def value(self, p, y):
        short = 1.0 - np.multiply(y, p)
        return np.where(short < self.gamma, np.maximum(0.0, short) ** 2 / (2.0 * self.gamma), short - self.gamma / 2.0)

    def slope(self, p, y):
        return np.negative(y) * np.clip((1.0 - np.multiply(y, p)) / self.gamma, 0.0, 1.0)

    def conjugate(self, u, y):
        b = -np.multiply(u, y)
        return np.where((b >= 0.0) & (b <= 1.0), self.gamma * b**2 / 2.0 - b, np.inf)

    def dual(self):
        return DualForm(bend=self.gamma, cap=1.0)

losses.CLASSIFICATION["smoothed_hinge"] = losses.ALL["smoothed_hinge"] = SmoothedHinge
"""

USED = """
from scipy.optimize import minimize
from sklearn.datasets import dump_svmlight_file, make_classification
import cesaro
from cesaro.linear.problem.scalar_losses import dual_form

X, y = make_classification(800, 12, flip_y=0.2, random_state=0)
sign, loss, Z = 2.0 * y - 1.0, SmoothedHinge(), np.column_stack([X, np.ones(800)])

def f(w, last, alpha=0.01):
    p, mu = Z @ w, alpha * np.append(np.ones(12), last)
    return (mu * w) @ w / 2 + loss.value(p, sign).mean(), mu * w + Z.T @ loss.slope(p, sign) / 800

def least(last):
    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000}
    return minimize(f, np.zeros(13), (last,), jac=True, method="L-BFGS-B", options=options).fun

free, penalized = least(0.0), least(1.0)
found = {}
for solver in ("anchored", "gda", "sc-pda"):
    model = cesaro.DualAveragingClassifier("smoothed_hinge", alpha=0.01, solver=solver, tol=1e-3, random_state=0).fit(X, y)
    assert model.relative_gap_ <= 1e-3, solver
    best = free if solver == "anchored" else penalized
    assert model.lower_bound_ <= best * (1 + 1e-12) <= model.objective_ * (1 + 1e-9), solver
    labels, sure = model.predict_certified(X)
    found[solver] = float(sure.mean())
tight = cesaro.DualAveragingClassifier("smoothed_hinge", alpha=0.01, tol=1e-9, random_state=0).fit(X, y)
assert abs(tight.objective_ - free) <= 1e-8 * free
sparse = cesaro.DualAveragingClassifier("smoothed_hinge", alpha=0.05, l1_ratio=0.5, random_state=0).fit(X, y)
assert sparse.relative_gap_ <= 1e-3
cv = cesaro.DualAveragingClassifierCV([0.1, 0.01, 0.001], loss="smoothed_hinge", random_state=0).fit(X, y)
assert cv.relative_gap_ <= 1e-3 and cv.best_score_ > 0.7
found["alpha"] = cv.alpha_
"""

DASK = """
import dask.array as da
sys.path.insert(0, TESTS)
from sources import fit_here
from cesaro.engines.dask import DaskDualAveragingClassifier
for mode, tol in (("local", 1e-3), ("exact", 5e-2)):
    estimator = DaskDualAveragingClassifier("smoothed_hinge", mode=mode, alpha=0.01, tol=tol, random_state=0)
    model = fit_here(estimator, da.from_array(X, chunks=(300, 12)), da.from_array(y, chunks=300))
    assert model.relative_gap_ <= tol, mode
    best = free if mode == "local" else penalized
    assert model.lower_bound_ <= best * (1 + 1e-12) <= model.objective_ * (1 + 1e-9), mode
"""

COMMAND = """
dump_svmlight_file(X, y, FILE, zero_based=False)
from cesaro.cli import main
sys.argv = ["cesaro", "fit", FILE, "--loss", "smoothed_hinge", "--alpha", "0.01", "--json"]
try:
    main()
except SystemExit as ended:
    assert ended.code == 0
"""


def test_a_loss_added_in_one_place_is_fitted_proved_searched_over_distributed_and_on_the_command_line(tmp_path):
    tests = os.path.join(os.path.dirname(__file__), os.pardir, "engines")
    try:
        import distributed  # noqa: F401

        dask = DASK
    except ImportError:
        dask = ""
    code = ADDED + USED + f"TESTS, FILE = {tests!r}, {str(tmp_path / 'rows')!r}\n" + dask + COMMAND
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert '"loss": "smoothed_hinge"' in done.stdout
