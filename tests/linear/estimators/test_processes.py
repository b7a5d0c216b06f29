"""Threads, forked and spawned processes give the bits of a serial fit; a thousand fits leave no memory behind."""

import gc
import multiprocessing
import os
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from estimator_data import data
from joblib import Parallel, delayed

from cesaro.linear import DualAveragingClassifier

FITS = int(os.environ.get("CESARO_FITS", "150"))


def coefficients(seed, solver="anchored"):
    warnings.simplefilter("ignore")
    X, y, _ = data(classes=3)
    return DualAveragingClassifier(solver=solver, max_iter=20, random_state=seed).fit(X, y).coef_


@pytest.mark.parametrize("solver", ["anchored", "sc-pda"])
@pytest.mark.parametrize("how", ["threads", "fork", "loky"])
def test_fits_at_once_have_the_bits_of_fits_one_after_the_other(how, solver, monkeypatch):
    serial = [coefficients(seed, solver) for seed in range(6)]
    if how == "threads":
        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(coefficients, range(6), [solver] * 6))
    elif how == "fork":
        if sys.platform != "linux":
            pytest.skip("forks")
        with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
            found = list(pool.map(coefficients, range(6), [solver] * 6))
    else:
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        found = Parallel(2, backend="loky")(delayed(coefficients)(seed, solver) for seed in range(6))
    for one, other in zip(serial, found, strict=True):
        np.testing.assert_array_equal(one, other)


def resident():
    """Bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.parametrize("solver", ["anchored", "gda"])
def test_many_fits_leave_no_memory_behind(solver):
    X, y, _ = data(n=5000, d=20)
    model = DualAveragingClassifier(solver=solver, tol=0, max_iter=2, random_state=0)
    for _ in range(20):
        model.fit(X, y)
    gc.collect()
    before = resident()
    for _ in range(FITS):
        model.fit(X, y)
    gc.collect()
    assert resident() - before < 8 * 2**20  # one fit's arrays are 2.4 MB: a leak would be hundreds
