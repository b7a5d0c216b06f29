"""`prefetch` asks the CPU for memory that a later row will need: rows are visited in random order, so latency rules."""

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

LINE = 64  # bytes of a cache line


@intrinsic
def _prefetch(typingctx, array, i):
    """Start loading array[i] into the cache; array[i] need not exist."""

    def codegen(context, builder, signature, args):
        kind = signature.args[0]
        view = context.make_array(kind)(context, builder, args[0])
        address = cgutils.get_item_pointer(context, builder, kind, view, [args[1]], wraparound=False)
        word, byte = ir.IntType(32), ir.IntType(8).as_pointer()
        signature_ = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, signature_, "llvm.prefetch.p0")
        read, keep, data = word(0), word(3), word(1)
        builder.call(function, [builder.bitcast(address, byte), read, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


def _nothing(array, i):
    """Plain Python has nothing to prefetch."""


prefetch: Any = _nothing if getattr(config, "DISABLE_JIT", False) else _prefetch
