"""What vector instructions are written with: a register that formulas can be applied to, the lanes of an array as such
registers, and the entries of a row. They write LLVM's language; `simd` makes functions of them.
"""

import sys
from contextlib import contextmanager

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import types
from numba.core import cgutils

FLAGS = ("contract", "nsz")


def _width() -> int:
    try:
        return 64 if get_host_cpu_features().get("avx512f") else 32
    except RuntimeError:  # a platform that does not tell
        return 32


WIDTH = _width()  # bytes of a vector


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


class LaneView:
    """The lanes of one row of an array, read and written as vectors; signed integers (labels) are read as float64.

    `real` is the kind of number to read where that is another than what is stored; such lanes are not written.
    """

    def __init__(self, context, builder, kind, value, row=None, width=WIDTH, real=None):
        array = context.make_array(kind)(context, builder, value)
        self.builder, self.bytes = builder, kind.dtype.bitwidth // 8
        stored, self.whole = context.get_value_type(kind.dtype), isinstance(kind.dtype, types.Integer)
        self.real = real or (ir.DoubleType() if self.whole else stored)
        self.vector = ir.VectorType(self.real, width // (4 if self.real == ir.FloatType() else 8))
        self.stored = ir.VectorType(stored, self.vector.count)
        self.lanes = cgutils.unpack_tuple(builder, array.shape)[-1]
        self.first = array.data if row is None else builder.gep(array.data, [builder.mul(row, self.lanes)])

    def at(self, k):
        return self.builder.bitcast(self.builder.gep(self.first, [k]), self.stored.as_pointer())

    def load(self, k):
        found = self.builder.load(self.at(k), align=self.bytes)
        if self.stored != self.vector:
            found = self.builder.sitofp(found, self.vector) if self.whole else self.builder.fpext(found, self.vector)
        return Vector(self.builder, found)

    def store(self, vector, k):
        self.builder.store(vector.value, self.at(k), align=self.bytes)

    def gathered(self, columns):
        """A vector of the numbers in these places of a row."""
        found = ir.Constant(self.vector, ir.Undefined)
        for k, column in enumerate(columns):
            number = self.builder.load(self.builder.gep(self.first, [column]))
            found = self.builder.insert_element(found, number, ir.IntType(32)(k))
        return Vector(self.builder, found)

    def everywhere(self, x):
        """The number x in every place of a vector."""
        undefined, whole = ir.Constant(self.vector, ir.Undefined), ir.VectorType(ir.IntType(32), self.vector.count)
        one = self.builder.insert_element(undefined, x, ir.IntType(32)(0))
        zeros = ir.Constant(whole, [0] * self.vector.count)
        return Vector(self.builder, self.builder.shuffle_vector(one, undefined, zeros))

    @contextmanager
    def each(self, gap):
        """A loop over the vectors outside the gap."""
        stop, step = self.outside(gap), self.lanes.type(self.vector.count)
        with cgutils.for_range_slice(self.builder, self.lanes.type(0), stop, step, inc=True) as (k, _):
            yield self.lane(k, gap)

    def outside(self, gap):
        """How many lanes are outside the gap."""
        return self.builder.sub(self.lanes, cgutils.unpack_tuple(self.builder, gap)[1])

    def lane(self, k, gap):
        """The lane that is number k of those outside the gap."""
        first, width = cgutils.unpack_tuple(self.builder, gap)
        jump = self.builder.select(self.builder.icmp_signed(">=", k, first), width, self.lanes.type(0))
        return self.builder.add(k, jump)

    def blocks(self, gap):
        """The lanes outside the gap, as many vectors at a time as registers can hold."""
        builder, word, place, stop = self.builder, self.lanes.type, self.lanes.type(0), self.outside(gap)
        for size in (8, 4, 3, 2, 1):
            width = word(size * self.vector.count)
            end = builder.add(place, builder.mul(builder.udiv(builder.sub(stop, place), width), width))
            with cgutils.for_range_slice(builder, place, end, width, inc=True) as (k, _):
                yield [self.lane(builder.add(k, word(i * self.vector.count)), gap) for i in range(size)]
            place = end


class Row:
    """The entries of a row, which meet rows of an array."""

    def __init__(self, context, builder, kinds, values):
        self.builder, (self.start, self.stop) = builder, values[2:]
        self.data, self.col = (
            None if kind is types.none else context.make_array(kind)(context, builder, value).data
            for kind, value in zip(kinds[:2], values[:2], strict=True)
        )

    def each(self, body, ways=1):
        """body(column, value, way) for every entry, in `ways` in turn."""
        builder, word = self.builder, self.start.type
        count = builder.sub(self.stop, self.start)
        even = builder.add(self.start, builder.mul(builder.udiv(count, word(ways)), word(ways)))
        with cgutils.for_range_slice(builder, self.start, even, word(ways), inc=True) as (j, _):
            for way in range(ways):
                self.meet(builder.add(j, word(way)), body, way)
        if ways > 1:
            with cgutils.for_range_slice(builder, even, self.stop, word(1), inc=True) as (j, _):
                self.meet(j, body, 0)

    def by_fours(self, body, four=None):
        """body(column, value, way) for every entry; or four(columns, values) where there are four more, in a vector.

        Columns are loaded two at a time and values four: it is loads that a short sum waits for.
        """
        builder, word = self.builder, self.start.type
        end = builder.add(self.start, builder.and_(builder.sub(self.stop, self.start), word(-4)))
        with cgutils.for_range_slice(builder, self.start, end, word(4), inc=True) as (j, _):
            columns, values = self.columns(j), self.values(j)
            if four is not None:
                four(columns, Vector(builder, values))
            else:
                for way, column in enumerate(columns):
                    body(column, builder.extract_element(values, ir.IntType(32)(way)), way)
        with cgutils.for_range_slice(builder, end, self.stop, word(1), inc=True) as (j, _):
            self.meet(j, body, 0)

    def columns(self, j):
        """The columns of four entries."""
        builder, word, found = self.builder, self.start.type, []
        for k in (0, 2):
            place = builder.bitcast(builder.gep(self.col, [builder.add(j, word(k))]), word.as_pointer())
            both = builder.load(place, align=4)
            pair = [builder.zext(builder.trunc(both, ir.IntType(32)), word), builder.lshr(both, word(32))]
            found += pair if sys.byteorder == "little" else pair[::-1]
        return found

    def values(self, j):
        """The values of four entries, as float64."""
        builder, four = self.builder, ir.VectorType(ir.DoubleType(), 4)
        if self.data is None:
            return ir.Constant(four, [1.0] * 4)
        stored = self.data.type.pointee
        place = builder.bitcast(builder.gep(self.data, [j]), ir.VectorType(stored, 4).as_pointer())
        if stored == ir.FloatType():
            return builder.fpext(builder.load(place, align=4), four)
        return builder.load(place, align=8)

    def meet(self, j, body, way):
        column = self.builder.zext(self.builder.load(self.builder.gep(self.col, [j])), j.type)
        one = ir.Constant(ir.DoubleType(), 1.0)
        body(column, one if self.data is None else self.builder.load(self.builder.gep(self.data, [j])), way)


def as_real(builder, x, real):
    """x as a number of another kind."""
    if x.type == real:
        return x
    return builder.fptrunc(x, real) if real == ir.FloatType() else builder.fpext(x, real)
