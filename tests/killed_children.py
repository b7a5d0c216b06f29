"""Processes that are killed (kill -9) at random moments, and whether what goes on afterwards has the same bits."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
KILLS = int(os.environ.get("CESARO_KILLS", "3"))
BEGIN = """
import sys, warnings
sys.path.insert(0, {here!r})
warnings.simplefilter("ignore")
import numpy as np
from cesaro.storage import checkpoint
checkpoint.RARELY = 0.0
"""


def begin(code, cache, *arguments):
    """A process of its own. Its compiled kernels are its family's own: where Numba compiles a kernel next to others it
    may round differently.
    """
    code = BEGIN.format(here=str(HERE)) + code
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, env=os.environ | {"NUMBA_CACHE_DIR": str(cache)})


def newest(place):
    """The number of the newest checkpoint."""
    return max((int(path.name.split(".")[1]) for path in place.glob("*.checkpoint")), default=0)


def kill_when(child, reached, seconds):
    """Kill the child some time after it has come so far; whether it was alive until then."""
    deadline = time.monotonic() + 600.0
    while not reached() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(1e-3)
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    return child.wait() == -signal.SIGKILL
