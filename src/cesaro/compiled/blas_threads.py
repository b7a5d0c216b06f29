"""One BLAS thread while a solver runs: more of them cost more than they bring, and change the last bits.

The limit is a property of the process, so that calls in several threads share it: the first sets it, the last lifts it.
"""

import threading
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside: list = []  # the limit in force, once per call that relies on it


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_blas_thread():
    """`with one_blas_thread(): ...`"""
    with _lock:
        _inside.append(_inside[0] if _inside else _controller().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            limit = _inside.pop()
            if not _inside:
                limit.restore_original_limits()
