"""Vector instructions for lanes, where Numba cannot promise the compiler that arrays do not overlap:

    dot_rows(m, data, col, start, stop, h, gap)    m += sum_j data[j] h[col[j]]
    add_to_row(h, c, x, g, gap)                    h[c] += x g
    map_lanes(formula)                             a formula, written once in Python, at every lane
    dot_pairs, add_pairs                           the same for z and r side by side: 16 bytes at a time

64 bytes at a time, so there must be `padded(L)` lanes. Those from gap[0] on, gap[1] in number, are left out; both are
multiples of 16. Without this, checks for overlap and the ends of the loops cost more than the lanes.
"""

from contextlib import contextmanager
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

PLAIN = getattr(config, "DISABLE_JIT", False)  # as with NUMBA_DISABLE_JIT=1
FLAGS = ("contract", "nsz")
GAP = types.UniTuple(types.intp, 2)


def padded(lanes: int) -> int:
    """The next multiple of 16: whole vectors in float32 and float64."""
    return -(-lanes // 16) * 16


class Vector:
    """A vector register, as a formula sees it."""

    def __init__(self, builder, value):
        self.builder, self.value = builder, value

    def __add__(self, other):
        return Vector(self.builder, self.builder.fadd(self.value, other.value, flags=FLAGS))

    def __sub__(self, other):
        return Vector(self.builder, self.builder.fsub(self.value, other.value, flags=FLAGS))

    def __mul__(self, other):
        return Vector(self.builder, self.builder.fmul(self.value, other.value, flags=FLAGS))

    def __truediv__(self, other):
        return Vector(self.builder, self.builder.fdiv(self.value, other.value))

    def __neg__(self):
        return Vector(self.builder, self.builder.fneg(self.value))

    def larger(self, other, sign=">"):
        chosen = self.builder.fcmp_ordered(sign, self.value, other.value)
        return Vector(self.builder, self.builder.select(chosen, self.value, other.value))


def maximum(x, y):
    """The larger one, of numbers, arrays or vectors."""
    return x.larger(y) if isinstance(x, Vector) else np.maximum(x, y)


def minimum(x, y):
    """The smaller one."""
    return x.larger(y, "<") if isinstance(x, Vector) else np.minimum(x, y)


def where_less(x, y, then, other):
    """`then` where x < y, else `other`."""
    if not isinstance(x, Vector):
        return np.where(x < y, then, other)
    return Vector(x.builder, x.builder.select(x.builder.fcmp_ordered("<", x.value, y.value), then.value, other.value))


class Strip:
    """The lanes of one row of an array, read and written as vectors of 64 bytes."""

    def __init__(self, context, builder, kind, value, row=None):
        array = context.make_array(kind)(context, builder, value)
        self.builder, self.bytes = builder, kind.dtype.bitwidth // 8
        self.vector = ir.VectorType(context.get_value_type(kind.dtype), 64 // self.bytes)
        self.lanes = cgutils.unpack_tuple(builder, array.shape)[-1]
        self.first = array.data if row is None else builder.gep(array.data, [builder.mul(row, self.lanes)])

    def at(self, k):
        return self.builder.bitcast(self.builder.gep(self.first, [k]), self.vector.as_pointer())

    def load(self, k):
        return Vector(self.builder, self.builder.load(self.at(k), align=self.bytes))

    def store(self, vector, k):
        self.builder.store(vector.value, self.at(k), align=self.bytes)

    def everywhere(self, x):
        """The number x in every place of a vector."""
        undefined, whole = ir.Constant(self.vector, ir.Undefined), ir.VectorType(ir.IntType(32), self.vector.count)
        one = self.builder.insert_element(undefined, x, ir.IntType(32)(0))
        zeros = ir.Constant(whole, [0] * self.vector.count)
        return Vector(self.builder, self.builder.shuffle_vector(one, undefined, zeros))

    @contextmanager
    def each(self, gap):
        """A loop over the vectors outside the gap."""
        builder, word = self.builder, self.lanes.type
        first, width = cgutils.unpack_tuple(builder, gap)
        stop, step = builder.sub(self.lanes, width), ir.Constant(word, self.vector.count)
        with cgutils.for_range_slice(builder, ir.Constant(word, 0), stop, step, inc=True) as (k, _):
            behind = builder.icmp_signed(">=", k, first)
            yield builder.add(k, builder.select(behind, width, ir.Constant(word, 0)))


@intrinsic
def _dot_rows(typingctx, m, data, col, start, stop, h, gap):
    """m += sum_j data[j] h[col[j]], j from start to stop: a vector of lanes stays in registers while the row passes."""

    def codegen(context, builder, signature, args):
        into = Strip(context, builder, signature.args[0], args[0])
        source = Strip(context, builder, signature.args[5], args[5])
        values, columns = (context.make_array(signature.args[i])(context, builder, args[i]).data for i in (1, 2))
        real, word = into.vector.element, into.lanes.type
        with into.each(args[6]) as k:
            total = cgutils.alloca_once(builder, into.vector)
            builder.store(into.load(k).value, total)
            with cgutils.for_range_slice(builder, args[3], args[4], ir.Constant(word, 1), inc=True) as (j, _):
                x = builder.load(builder.gep(values, [j]))
                x = x if x.type == real else builder.fptrunc(x, real)
                row = builder.mul(builder.zext(builder.load(builder.gep(columns, [j])), word), source.lanes)
                term = source.load(builder.add(row, k)) * into.everywhere(x)
                builder.store((Vector(builder, builder.load(total)) + term).value, total)
            into.store(Vector(builder, builder.load(total)), k)
        return context.get_dummy_value()

    return types.void(m, data, col, types.intp, types.intp, h, GAP), codegen


@intrinsic
def _add_to_row(typingctx, h, c, x, g, gap):
    """h[c] += x g."""

    def codegen(context, builder, signature, args):
        row = Strip(context, builder, signature.args[0], args[0], args[1])
        source = Strip(context, builder, signature.args[3], args[3])
        scale = source.everywhere(args[2])
        with source.each(args[4]) as k:
            row.store(row.load(k) + scale * source.load(k), k)
        return context.get_dummy_value()

    return types.void(h, types.uint64, h.dtype, g, GAP), codegen


class Pairs:
    """An array (d, 2), read and written two numbers at a time, and the row that is to meet it."""

    def __init__(self, context, builder, kinds, values):
        self.builder, self.pair = builder, ir.VectorType(ir.DoubleType(), 2)
        self.first, self.data, self.col = (
            context.make_array(kind)(context, builder, value).data for kind, value in zip(kinds, values, strict=True)
        )

    def make(self, x, y):
        """The pair (x, y)."""
        half = self.builder.insert_element(ir.Constant(self.pair, ir.Undefined), x, ir.IntType(32)(0))
        return self.builder.insert_element(half, y, ir.IntType(32)(1))

    def meet(self, j):
        """Where the pair of entry j's column is, and the entry's value, twice."""
        builder, word = self.builder, j.type
        column = builder.zext(builder.load(builder.gep(self.col, [j])), word)
        where = builder.bitcast(builder.gep(self.first, [builder.shl(column, word(1))]), self.pair.as_pointer())
        x = builder.load(builder.gep(self.data, [j]))
        x = x if x.type == ir.DoubleType() else builder.fpext(x, ir.DoubleType())
        return where, self.make(x, x)

    def plus(self, sum_, x, y):
        """sum_ + x y."""
        return self.builder.fadd(sum_, self.builder.fmul(x, y, flags=FLAGS), flags=FLAGS)


@intrinsic
def _dot_pairs(typingctx, data, col, start, stop, zr):
    """sum_j data[j] zr[col[j]]; two sums in turn, so that one addition need not wait for the other."""

    def codegen(context, builder, signature, args):
        kinds = signature.args
        pairs = Pairs(context, builder, (kinds[4], kinds[0], kinds[1]), (args[4], args[0], args[1]))
        word = args[2].type
        sums = [cgutils.alloca_once_value(builder, ir.Constant(pairs.pair, [0.0, 0.0])) for _ in range(2)]

        def add(j, total):
            where, x = pairs.meet(j)
            builder.store(pairs.plus(builder.load(total), builder.load(where, align=8), x), total)

        even = builder.add(args[2], builder.and_(builder.sub(args[3], args[2]), word(-2)))
        with cgutils.for_range_slice(builder, args[2], even, word(2), inc=True) as (j, _):
            add(j, sums[0])
            add(builder.add(j, word(1)), sums[1])
        with builder.if_then(builder.icmp_signed("<", even, args[3])):
            add(even, sums[0])
        total = builder.fadd(*[builder.load(part) for part in sums])
        found = [builder.extract_element(total, ir.IntType(32)(k)) for k in range(2)]
        return context.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(types.float64, 2)(data, col, types.intp, types.intp, zr), codegen


@intrinsic
def _add_pairs(typingctx, zr, data, col, start, stop, g, h):
    """zr[col[j]] += data[j] (g, h)."""

    def codegen(context, builder, signature, args):
        pairs = Pairs(context, builder, signature.args[:3], args[:3])
        step = pairs.make(args[5], args[6])
        with cgutils.for_range_slice(builder, args[3], args[4], args[3].type(1), inc=True) as (j, _):
            where, x = pairs.meet(j)
            builder.store(pairs.plus(builder.load(where, align=8), step, x), where, align=8)
        return context.get_dummy_value()

    return types.void(zr, data, col, types.intp, types.intp, types.float64, types.float64), codegen


def map_lanes(formula) -> Any:
    """Turn formula(numbers..., arrays...) -> new arrays into a kernel f(numbers, arrays, gap), which stores them in the
    last arrays and returns the largest absolute value in the very last."""

    def by_numpy(numbers, arrays, gap):
        lanes = _outside(len(arrays[0]), gap)
        found = formula(*numbers, *(array[lanes] for array in arrays))
        for array, new in zip(arrays[-len(found) :], found, strict=True):
            array[lanes] = new
        return np.abs(found[-1]).max()

    if PLAIN:
        return by_numpy

    @intrinsic
    def by_vectors(typingctx, numbers, arrays, gap):
        def codegen(context, builder, signature, args):
            kinds = signature.args[1].types
            strips = [
                Strip(context, builder, kind, value)
                for kind, value in zip(kinds, cgutils.unpack_tuple(builder, args[1]), strict=True)
            ]
            scalars = [strips[0].everywhere(x) for x in cgutils.unpack_tuple(builder, args[0])]
            zero = strips[0].everywhere(ir.Constant(strips[0].vector.element, 0.0))
            largest = cgutils.alloca_once_value(builder, zero.value)
            with strips[0].each(args[2]) as k:
                found = formula(*scalars, *[strip.load(k) for strip in strips])
                for strip, new in zip(strips[-len(found) :], found, strict=True):
                    strip.store(new, k)
                size = maximum(found[-1], -found[-1])
                builder.store(maximum(size, Vector(builder, builder.load(largest))).value, largest)
            vector, real = strips[0].vector, strips[0].vector.element
            name = f"llvm.vector.reduce.fmax.v{vector.count}f{8 * strips[0].bytes}"
            reduce = cgutils.get_or_insert_function(builder.module, ir.FunctionType(real, [vector]), name)
            return builder.call(reduce, [builder.load(largest)])

        real = arrays.types[0].dtype
        return real(types.UniTuple(real, len(numbers)), arrays, GAP), codegen

    return by_vectors


def _outside(lanes, gap):
    """The lanes that are not in the gap."""
    return np.r_[0 : gap[0], gap[0] + gap[1] : lanes]


def _dot_rows_plainly(m, data, col, start, stop, h, gap):
    lanes = _outside(len(m), gap)
    m[lanes] += data[start:stop].astype(m.dtype) @ h[col[start:stop]][:, lanes]


def _add_to_row_plainly(h, c, x, g, gap):
    lanes = _outside(len(g), gap)
    h[c, lanes] += x * g[lanes]


def _dot_pairs_plainly(data, col, start, stop, zr):
    return tuple(data[start:stop].astype(float) @ zr[col[start:stop]])


def _add_pairs_plainly(zr, data, col, start, stop, g, h):
    for j in range(start, stop):
        zr[col[j]] += data[j] * np.array([g, h])


dot_rows: Any = _dot_rows_plainly if PLAIN else _dot_rows
add_to_row: Any = _add_to_row_plainly if PLAIN else _add_to_row
dot_pairs: Any = _dot_pairs_plainly if PLAIN else _dot_pairs
add_pairs: Any = _add_pairs_plainly if PLAIN else _add_pairs
