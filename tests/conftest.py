"""Tests import their neighbours by name, and send Ctrl-C even where it was switched off for a job in the background.

Numba compiles a kernel again when its own file has changed, but not when a file has that it calls: so where anything was
compiled before the last change, all of it is thrown away. (What lies in $NUMBA_CACHE_DIR is left alone.)
"""

import os
import signal
import sys
from pathlib import Path

import cesaro

sys.path.insert(0, str(Path(__file__).parent))
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SOURCE = Path(cesaro.__file__).parent
changed = max(file.stat().st_mtime for file in SOURCE.rglob("*.py"))
compiled = [*SOURCE.rglob("*.nbc"), *SOURCE.rglob("*.nbi")]  # the code of one signature; which there are
if "PYTEST_XDIST_WORKER" not in os.environ and any(file.stat().st_mtime < changed for file in compiled):
    for file in compiled:
        file.unlink()
