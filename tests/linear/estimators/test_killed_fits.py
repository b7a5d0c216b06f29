"""A fit that is killed (kill -9) at random moments resumes to the same bits."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

KILLS = int(os.environ.get("CESARO_KILLS", "3"))
CHILD = """
import sys, warnings
sys.path.insert(0, {here!r})
warnings.simplefilter("ignore")
import numpy as np
from checkpointed_fits import long_fit, numbers
from cesaro.storage import checkpoint
checkpoint.RARELY = 0.0
for solver, place, result in {work!r}:
    np.save(result, numbers(long_fit(solver, place)))
"""


def begin(work, cache):
    """A process of its own that does these fits. Its compiled kernels are its family's own: where Numba compiles a
    kernel next to others it may round differently.
    """
    code = CHILD.format(here=str(Path(__file__).parents[2]), work=[tuple(map(str, one)) for one in work])
    return subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"NUMBA_CACHE_DIR": str(cache)})


def newest(place):
    """The number of the newest checkpoint."""
    return max((int(path.name.split(".")[1]) for path in place.glob("*.checkpoint")), default=0)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_killed_at_random_moments_every_resume_gives_the_same_bits(tmp_path):
    rng, cache, solvers = np.random.default_rng(KILLS), tmp_path / "kernels", ("anchored", "sc-pda", "pegasos")
    solvers = solvers if KILLS > 3 else solvers[:1]
    assert begin([(solver, tmp_path / solver, tmp_path / f"{solver}.npy") for solver in solvers], cache).wait() == 0
    work = [(solvers[k % len(solvers)], tmp_path / f"{k}", tmp_path / f"{k}.npy") for k in range(KILLS)]
    for solver, place, result in work:
        epochs, deadline = int(rng.integers(1, 50)), time.monotonic() + 600.0
        child = begin([(solver, place, result)], cache)
        while newest(place) < epochs and child.poll() is None and time.monotonic() < deadline:
            time.sleep(1e-3)
        time.sleep(float(rng.uniform(0.0, 0.02)))
        child.send_signal(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL, "it ended before it was killed"
        assert newest(place) >= epochs
    assert begin(work, cache).wait() == 0
    for solver, _, result in work:
        np.testing.assert_array_equal(np.load(result), np.load(tmp_path / f"{solver}.npy"))
