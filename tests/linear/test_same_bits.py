"""The bits of a fit do not depend on what was compiled before it, and so not on which solver filled the cache."""

import os
import subprocess
import sys

import pytest

FITS = """
import sys, warnings
import numpy as np
from cesaro.linear import DualAveragingClassifier
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 7))
y = X @ rng.normal(size=7) + rng.normal(size=300) > 0
found = {}
for solver in sys.argv[1:]:
    model = DualAveragingClassifier("log_loss", alpha=1e-3, solver=solver, max_iter=20, tol=0, random_state=0).fit(X, y)
    found[solver] = [value.hex() for value in (*model.coef_[0].tolist(), model.objective_, model.lower_bound_)]
print(sorted(found.items()))
"""


@pytest.mark.slow
def test_solvers_give_the_same_bits_whichever_of_them_is_compiled_first(tmp_path):
    orders = [("gda", "sc-pda", "anchored"), ("anchored", "sc-pda", "gda")]
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", FITS, *solvers],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / solvers[0])},
            stdout=subprocess.PIPE,
        )
        for solvers in orders
    ]
    found = [run.communicate(timeout=600)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert found[0] == found[1]
    assert any((tmp_path / "gda").rglob("*.nbc"))
