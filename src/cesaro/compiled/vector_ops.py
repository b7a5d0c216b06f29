"""Vector instructions for lanes, where Numba cannot promise the compiler that arrays do not overlap:

    dot_rows(m, data, col, start, stop, h, gap)    m += sum_j data[j] h[col[j]]; single numbers h are read as what m has
    add_rows(h, data, col, start, stop, g, gap)    h[col[j]] += data[j] g
    add_to_row(h, c, x, g, gap)                    h[c] += x g
    map_lanes(formula)                             a formula, written once in Python, at every lane

There must be `padded(L, dtype)` lanes: whole vectors. Those from gap[0] on, gap[1] in number, are left out; both are
multiples of `padded(1, dtype)`. Without this, checks for overlap and the ends of the loops cost more than the lanes.
"""

import mmap
from contextlib import suppress
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from cesaro.compiled.llvm_vectors import WIDTH, LaneView, Row, Vector, as_real
from cesaro.compiled.prefetch import LINE

PLAIN = getattr(config, "DISABLE_JIT", False)  # as with NUMBA_DISABLE_JIT=1
LARGE = 1 << 22  # bytes
GAP = types.UniTuple(types.intp, 2)


def padded(lanes: int, dtype) -> int:
    """The next number of lanes that makes whole vectors."""
    unit = WIDTH // np.dtype(dtype).itemsize
    return -(-lanes // unit) * unit


def zeros(shape: tuple[int, ...] | int, dtype=np.float64) -> np.ndarray:
    """np.zeros from the beginning of a cache line on: no vector then lies across two lines.

    A large one has pages of its own, which go back to the system when it goes; a heap might keep them. They are huge ones
    where there are any: at random rows of an array a processor looks up more pages than it can remember.
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if size >= LARGE:
        return np.frombuffer(_pages(size), dtype=dtype).reshape(shape)
    room = np.zeros(size + LINE, dtype=np.uint8)
    first = -room.ctypes.data % LINE
    return room[first : first + size].view(dtype).reshape(shape)


def _pages(size: int) -> mmap.mmap:
    if not hasattr(mmap, "MAP_PRIVATE"):  # Windows
        return mmap.mmap(-1, size)
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without them
            pages.madvise(mmap.MADV_HUGEPAGE)
    return pages


@intrinsic
def _dot_rows(typingctx, m, data, col, start, stop, h, gap):
    """m += sum_j data[j] h[col[j]], j from start to stop: the sums stay in registers while the row passes.

    Where they are few, two sums in turn: so that one addition need not wait for the other.
    """

    def codegen(context, builder, signature, args):
        into = LaneView(context, builder, signature.args[0], args[0])
        source = LaneView(context, builder, signature.args[5], args[5], real=into.real)
        row = Row(context, builder, signature.args[1:5], args[1:5])
        nothing = into.everywhere(ir.Constant(into.real, 0.0))
        for lanes in into.blocks(args[6]):
            begin = [[into.load(k) for k in lanes], [nothing] * len(lanes)][: 2 if len(lanes) <= 4 else 1]
            sums = [[cgutils.alloca_once_value(builder, one.value) for one in way] for way in begin]

            def add(column, x, way, lanes=lanes, sums=sums):
                first, value = builder.mul(column, source.lanes), source.everywhere(as_real(builder, x, into.real))
                for k, total in zip(lanes, sums[way], strict=True):
                    term = source.load(builder.add(first, k)) * value
                    builder.store((Vector(builder, builder.load(total)) + term).value, total)

            row.each(add, len(sums))
            for k, *parts in zip(lanes, *sums, strict=True):
                loaded = [Vector(builder, builder.load(part)) for part in parts]
                into.store(loaded[0] + loaded[1] if len(loaded) > 1 else loaded[0], k)
        return context.get_dummy_value()

    return types.void(m, data, col, types.intp, types.intp, h, GAP), codegen


@intrinsic
def _add_rows(typingctx, h, data, col, start, stop, g, gap):
    """h[col[j]] += data[j] g, j from start to stop: g stays in registers."""

    def codegen(context, builder, signature, args):
        into = LaneView(context, builder, signature.args[0], args[0])
        source = LaneView(context, builder, signature.args[5], args[5])
        row = Row(context, builder, signature.args[1:5], args[1:5])
        for lanes in source.blocks(args[6]):
            added = [source.load(k) for k in lanes]

            def add(column, x, _, lanes=lanes, added=added):
                first, value = builder.mul(column, into.lanes), into.everywhere(as_real(builder, x, into.real))
                for k, g in zip(lanes, added, strict=True):
                    here = builder.add(first, k)
                    into.store(into.load(here) + value * g, here)

            row.each(add)
        return context.get_dummy_value()

    return types.void(h, data, col, types.intp, types.intp, g, GAP), codegen


@intrinsic
def _add_to_row(typingctx, h, c, x, g, gap):
    """h[c] += x g."""

    def codegen(context, builder, signature, args):
        row = LaneView(context, builder, signature.args[0], args[0], args[1])
        source = LaneView(context, builder, signature.args[3], args[3])
        scale = source.everywhere(args[2])
        with source.each(args[4]) as k:
            row.store(row.load(k) + scale * source.load(k), k)
        return context.get_dummy_value()

    return types.void(h, types.uint64, h.dtype, g, GAP), codegen


def map_lanes(formula) -> Any:
    """Turn formula(numbers..., arrays...) -> new arrays into a kernel f(numbers, arrays, gap), which stores them in the
    last arrays and returns whether anything in the very last is not 0."""

    def by_numpy(numbers, arrays, gap):
        lanes = _outside(len(arrays[0]), gap)
        found = formula(*numbers, *(array[lanes] for array in arrays))
        for array, new in zip(arrays[-len(found) :], found, strict=True):
            array[lanes] = new
        return bool(np.any(found[-1]))

    if PLAIN:
        return by_numpy

    @intrinsic
    def by_vectors(typingctx, numbers, arrays, gap):
        def codegen(context, builder, signature, args):
            kinds = signature.args[1].types
            strips = [
                LaneView(context, builder, kind, value)
                for kind, value in zip(kinds, cgutils.unpack_tuple(builder, args[1]), strict=True)
            ]
            scalars = [strips[0].everywhere(x) for x in cgutils.unpack_tuple(builder, args[0])]
            zero = strips[0].everywhere(ir.Constant(strips[0].real, 0.0))
            bits = ir.VectorType(ir.IntType(1), strips[0].vector.count)
            moved = cgutils.alloca_once_value(builder, ir.Constant(bits, [0] * bits.count))
            with strips[0].each(args[2]) as k:
                found = formula(*scalars, *[strip.load(k) for strip in strips])
                for strip, new in zip(strips[-len(found) :], found, strict=True):
                    strip.store(new, k)
                apart = builder.fcmp_unordered("!=", found[-1].value, zero.value)
                builder.store(builder.or_(builder.load(moved), apart), moved)
            whole = ir.IntType(bits.count)
            return builder.icmp_unsigned("!=", builder.bitcast(builder.load(moved), whole), whole(0))

        real = arrays.types[-1].dtype
        return types.boolean(types.UniTuple(real, len(numbers)), arrays, GAP), codegen

    return by_vectors


def _outside(lanes, gap):
    """The lanes that are not in the gap."""
    return np.r_[0 : gap[0], gap[0] + gap[1] : lanes]


def _values(data, start, stop):
    return np.ones(stop - start) if data is None else data[start:stop].astype(float)


def _dot_rows_plainly(m, data, col, start, stop, h, gap):
    lanes = _outside(len(m), gap)
    m[lanes] += _values(data, start, stop).astype(m.dtype) @ h[col[start:stop]][:, lanes].astype(m.dtype)


def _add_rows_plainly(h, data, col, start, stop, g, gap):
    for c, x in zip(col[start:stop], _values(data, start, stop), strict=True):
        _add_to_row_plainly(h, c, h.dtype.type(x), g, gap)


def _add_to_row_plainly(h, c, x, g, gap):
    lanes = _outside(len(g), gap)
    h[c, lanes] += x * g[lanes]


dot_rows: Any = _dot_rows_plainly if PLAIN else _dot_rows
add_rows: Any = _add_rows_plainly if PLAIN else _add_rows
add_to_row: Any = _add_to_row_plainly if PLAIN else _add_to_row
