"""What a row does to one vector, or to two side by side, with fewer loads than Numba makes:

dot_single(data, col, start, stop, z)          sum_j data[j] z[col[j]]
add_single(z, data, col, start, stop, g)       z[col[j]] += data[j] g
dot_pairs, add_pairs                           the same for z and r side by side: 16 bytes at a time
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from cesaro.compiled.llvm_vectors import LaneView, Row, Vector, as_real

PLAIN = getattr(config, "DISABLE_JIT", False)  # as with NUMBA_DISABLE_JIT=1
HALVES = [0, 1], [2, 3]  # of four places


@intrinsic
def _dot_single(typingctx, data, col, start, stop, z):
    """Four sums, in a vector where there are values to multiply by."""

    def codegen(context, builder, signature, args):
        one, four = (LaneView(context, builder, signature.args[4], args[4], width=width) for width in (8, 32))
        row = Row(context, builder, signature.args, args[:4])
        nothing, word = ir.Constant(one.real, 0.0), ir.IntType(32)
        sums = [cgutils.alloca_once_value(builder, one.everywhere(nothing).value) for _ in range(4)]
        vector = cgutils.alloca_once_value(builder, four.everywhere(nothing).value)

        def add(column, x, way):
            term = one.load(column) * one.everywhere(as_real(builder, x, one.real))
            builder.store((Vector(builder, builder.load(sums[way])) + term).value, sums[way])

        def add_four(columns, values):
            term = four.gathered(columns) * values
            builder.store((Vector(builder, builder.load(vector)) + term).value, vector)

        row.by_fours(add, None if row.data is None else add_four)
        parts = [builder.load(part) for part in sums]
        total = builder.fadd(builder.fadd(parts[0], parts[1]), builder.fadd(parts[2], parts[3]))
        total = builder.extract_element(total, word(0))
        if row.data is not None:
            parts, pair = builder.load(vector), ir.VectorType(word, 2)
            both = builder.fadd(*(builder.shuffle_vector(parts, parts, ir.Constant(pair, half)) for half in HALVES))
            for k in range(2):
                total = builder.fadd(total, builder.extract_element(both, word(k)))
        return total

    return types.float64(data, col, types.intp, types.intp, z), codegen


@intrinsic
def _add_single(typingctx, z, data, col, start, stop, g):
    """z[col[j]] += data[j] g."""

    def codegen(context, builder, signature, args):
        into = LaneView(context, builder, signature.args[0], args[0], width=8)
        scale = into.everywhere(args[5])

        def add(column, x, _):
            into.store(into.load(column) + into.everywhere(as_real(builder, x, into.real)) * scale, column)

        Row(context, builder, signature.args[1:], args[1:5]).by_fours(add)
        return context.get_dummy_value()

    return types.void(z, data, col, types.intp, types.intp, types.float64), codegen


@intrinsic
def _dot_pairs(typingctx, data, col, start, stop, zr):
    """sum_j data[j] zr[col[j]] for zr of two columns; four sums in turn."""

    def codegen(context, builder, signature, args):
        pairs = LaneView(context, builder, signature.args[4], args[4], width=16)
        nothing = pairs.everywhere(ir.Constant(pairs.real, 0.0))
        sums = [cgutils.alloca_once_value(builder, nothing.value) for _ in range(4)]

        def add(column, x, way):
            term = pairs.load(builder.mul(column, pairs.lanes)) * pairs.everywhere(as_real(builder, x, pairs.real))
            builder.store((Vector(builder, builder.load(sums[way])) + term).value, sums[way])

        Row(context, builder, signature.args, args[:4]).by_fours(add)
        one, two, three, four = (builder.load(part) for part in sums)
        total = builder.fadd(builder.fadd(one, two), builder.fadd(three, four))
        found = [builder.extract_element(total, ir.IntType(32)(k)) for k in range(2)]
        return context.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(types.float64, 2)(data, col, types.intp, types.intp, zr), codegen


@intrinsic
def _add_pairs(typingctx, zr, data, col, start, stop, g, h):
    """zr[col[j]] += data[j] (g, h)."""

    def codegen(context, builder, signature, args):
        pairs = LaneView(context, builder, signature.args[0], args[0], width=16)
        both = builder.insert_element(pairs.everywhere(args[5]).value, args[6], ir.IntType(32)(1))

        def add(column, x, _):
            here = builder.mul(column, pairs.lanes)
            step = pairs.everywhere(as_real(builder, x, pairs.real)) * Vector(builder, both)
            pairs.store(pairs.load(here) + step, here)

        Row(context, builder, signature.args[1:], args[1:5]).by_fours(add)
        return context.get_dummy_value()

    return types.void(zr, data, col, types.intp, types.intp, types.float64, types.float64), codegen


def _values(data, start, stop):
    return np.ones(stop - start) if data is None else data[start:stop].astype(float)


def _dot_single_plainly(data, col, start, stop, z):
    return float(_values(data, start, stop) @ z[col[start:stop]])


def _add_single_plainly(z, data, col, start, stop, g):
    z[col[start:stop]] += g * _values(data, start, stop)  # no column comes twice


def _dot_pairs_plainly(data, col, start, stop, zr):
    return tuple(_values(data, start, stop) @ zr[col[start:stop]])


def _add_pairs_plainly(zr, data, col, start, stop, g, h):
    zr[col[start:stop]] += np.outer(_values(data, start, stop), (g, h))


dot_single: Any = _dot_single_plainly if PLAIN else _dot_single
add_single: Any = _add_single_plainly if PLAIN else _add_single
dot_pairs: Any = _dot_pairs_plainly if PLAIN else _dot_pairs
add_pairs: Any = _add_pairs_plainly if PLAIN else _add_pairs
