"""Tests import their neighbours by name, and send Ctrl-C even where it was switched off for a job in the background.

Numba compiles a kernel again when its own file has changed, but not when a file has that it calls: so what was compiled
before the last change is thrown away.
"""

import contextlib
import signal
import sys
from pathlib import Path

import cesaro

sys.path.insert(0, str(Path(__file__).parent))
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SOURCE = Path(cesaro.__file__).parent
changed = max(file.stat().st_mtime for file in SOURCE.rglob("*.py"))
for index in SOURCE.rglob("*.nbi"):
    with contextlib.suppress(FileNotFoundError):  # another worker was here first
        if index.stat().st_mtime < changed:
            index.unlink()
