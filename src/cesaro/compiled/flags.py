"""How kernels are compiled: cached, without the GIL, without exceptions for division, and without reference counts.

`_nrt=False` says that a kernel only borrows its arrays. With it Numba omits the atomic increments around every call
that takes an array, which would be much of the work in a loop over short rows; such a kernel cannot allocate.

Numba compiles two wrappers with every function, for callers in C and in Python. No kernel is called from C, and what only
kernels call is `register_jitable`, not `njit`: without wrappers, and called from Python it is Python. That saves time
to compile (`benchmarks/linear/first_fit.py`).

`fastmath` is said everywhere. A function that leaves it out is compiled with that of whoever calls it first, and cached so:
then the bits would depend on what was compiled before.
"""

from typing import Any

from cesaro.compiled import kernel_cache as kernel_cache  # for what it does on import

FAST = {"reassoc", "contract", "nsz", "arcp"}  # sums may be reordered; infinities and NaN keep their meaning
KERNEL: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
    "fastmath": False,
}
ALLOCATING: dict[str, Any] = {"cache": True, "nogil": True}
LOOP: dict[str, Any] = KERNEL | {"fastmath": FAST}
SCALAR: dict[str, Any] = KERNEL | {"fastmath": {"contract", "nsz", "arcp"}}  # short sums: vectors would not pay
SCALAR_INLINE: dict[str, Any] = SCALAR | {"forceinline": True}
INLINE: dict[str, Any] = LOOP | {"forceinline": True}  # a call that passes arrays costs as much as a short row
