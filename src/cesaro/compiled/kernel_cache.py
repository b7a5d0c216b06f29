"""Where compiled kernels are kept: where Numba keeps them, and nowhere if that fails.

Numba raises what it meets: that no folder can be written to (on import), that the disk is full, that a file was cut off.
None of this is a reason not to compute. For functions of this package it is a warning, once, and the kernel is compiled.
"""

import contextlib
import pickle
import warnings
from typing import Any

from numba.core import dispatcher
from numba.core.caching import FunctionCache, NullCache

DAMAGE = (OSError, EOFError, pickle.UnpicklingError, ArithmeticError, AttributeError, ImportError, LookupError)
BROKEN = (*DAMAGE, MemoryError, TypeError, ValueError)  # what unpickling any bytes may raise
NUMBAS: Any = FunctionCache
said: set[str] = set()


class KernelCache(NUMBAS):
    """Numba's cache of one function, whose failures are warnings."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function, or None."""
        try:
            return super().load_overload(sig, target_context)
        except BROKEN as error:
            warn_once("read", error)
            with contextlib.suppress(*BROKEN):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, if that can be done."""
        try:
            super().save_overload(sig, data)
        except (OSError, RuntimeError) as error:  # the latter if Ctrl-C came while LLVM was at work, and got lost
            warn_once("written", error)


def cache_of(function: Any) -> Any:
    """The cache that Numba asks for; only functions of this package have another."""
    if not function.__module__.startswith("cesaro."):
        return NUMBAS(function)
    try:
        return KernelCache(function)
    except (RuntimeError, OSError) as error:  # no folder can be written to
        warn_once("kept", error)
        return NullCache()


def warn_once(what: str, error: Exception) -> None:
    """Say that compiled code cannot be read, written or kept, the first time."""
    if what not in said:
        said.add(what)
        warnings.warn(
            f"compiled kernels cannot be {what}: {error}. They are compiled anew, which takes seconds in every process. "
            "Set NUMBA_CACHE_DIR to a folder that can be written to.",
            RuntimeWarning,
            stacklevel=3,
        )


dispatcher.FunctionCache = cache_of  # type: ignore[attr-defined]  # which `enable_caching` looks up
