"""`array_at`: memory that others own, as an array inside a kernel. One call can then go over many arrays."""

import ctypes
from typing import Any

import numpy as np
from numba import config, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array


@intrinsic
def _array_at(typingctx, address, size, like):
    """The `size` numbers at this address, of the type of the array `like`."""

    def codegen(context, builder, signature, args):
        array = context.make_array(signature.return_type)(context, builder)
        data, itemsize = array.data.type, context.get_abi_sizeof(context.get_data_type(like.dtype))
        step = context.get_constant(types.intp, itemsize)
        pointer = builder.inttoptr(args[0], data)
        populate_array(array, data=pointer, shape=[args[1]], strides=[step], itemsize=step, meminfo=None)
        return array._getvalue()

    return types.Array(like.dtype, 1, "C")(types.intp, types.intp, like), codegen


def _python_array_at(address, size, like):
    memory = (ctypes.c_char * (int(size) * like.itemsize)).from_address(int(address)) if size else b""
    return np.frombuffer(memory, like.dtype)


array_at: Any = _python_array_at if getattr(config, "DISABLE_JIT", False) else _array_at
