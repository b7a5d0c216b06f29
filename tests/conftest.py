"""Tests import their neighbours by name, and send Ctrl-C even where it was switched off for a job in the background."""

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
