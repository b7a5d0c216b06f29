"""Ctrl-C, heard by every thread before its next epoch."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def heard(stop: threading.Event) -> Iterator[None]:
    """Within, Ctrl-C sets the event beside what it does otherwise.

    Python raises KeyboardInterrupt wherever it happens to be, and forgets it if that is a callback of the garbage collector.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def hear(number: int, frame: Any) -> None:
        stop.set()
        before(number, frame)

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
