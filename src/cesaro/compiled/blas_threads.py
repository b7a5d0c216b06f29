"""One BLAS thread while a solver runs: more of them cost more than they bring, and change the last bits.

The limit is a property of the process, so that calls in several threads share it: the first sets it, the last lifts it.
"""

import threading
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside: list[list[tuple[Any, int]]] = []  # the limit in force, once per call that relies on it


@cache
def _libraries() -> list[Any]:
    """The BLAS libraries of this process, each of which can be asked for its number of threads, and told one."""
    return ThreadpoolController().select(user_api="blas").lib_controllers


def _one_thread() -> list[tuple[Any, int]]:
    """Set the number of threads to 1, of libraries that have more; these, and how many they had."""
    more = [(library, count) for library in _libraries() if (count := library.get_num_threads()) != 1]
    for library, _ in more:
        library.set_num_threads(1)
    return more


@contextmanager
def one_blas_thread():
    """`with one_blas_thread(): ...`"""
    with _lock:
        _inside.append(_inside[0] if _inside else _one_thread())
    try:
        yield
    finally:
        with _lock:
            limit = _inside.pop()
            if not _inside:
                for library, count in limit:
                    library.set_num_threads(count)
