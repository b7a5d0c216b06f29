"""Exponential and logarithm of the lanes of a vector, for formulas of `vector_ops.map_lanes`; of arrays they are NumPy's.

LLVM would call the C library for one lane after the other. Series are as long as the precision of the lanes asks for.
"""

import math

import numpy as np
from llvmlite import ir

from cesaro.compiled.llvm_vectors import Vector, maximum

LOG2_E, LOG_2 = 1.4426950408889634, (0.693359375, -2.12194440054690583e-4)  # the first part of log 2 has few digits
LEAST = -87.0  # 2^-126 is the least normal single number
TAYLOR = [1.0 / math.factorial(k) for k in range(14)]  # of e^r, |r| <= log(2) / 2
ARTANH = [2.0 / k for k in range(1, 32, 2)]  # 2 artanh(z) / z in z^2, z <= 1/3
SINGLE = 8  # coefficients that single numbers need


def constant(x, number: float):
    """The number in every lane of a vector like x."""
    if not isinstance(x, Vector):
        return x.dtype.type(number)
    return Vector(x.builder, ir.Constant(x.value.type, [number] * x.value.type.count))


def exponential(x):
    """e^x for x <= 0; below -87 it is e^-87."""
    x = maximum(x, constant(x, LEAST))
    if not isinstance(x, Vector):
        return np.exp(x)
    whole, power = _nearest_power(x * constant(x, LOG2_E))
    r = x - whole * constant(x, LOG_2[0]) - whole * constant(x, LOG_2[1])
    return _polynomial(TAYLOR, r) * power


def log_one_plus(e):
    """log(1 + e) for 0 <= e <= 1:  2 artanh(e / (2 + e))."""
    if not isinstance(e, Vector):
        return np.log1p(e)
    z = e / (e + constant(e, 2.0))
    return z * _polynomial(ARTANH, z * z)


def _polynomial(coefficients: list[float], x: Vector) -> Vector:
    first, *others = reversed(coefficients[:SINGLE] if x.value.type.element == ir.FloatType() else coefficients)
    total = constant(x, first)
    for coefficient in others:
        total = total * x + constant(x, coefficient)
    return total


def _nearest_power(x: Vector) -> tuple[Vector, Vector]:
    """The whole number k nearest to x <= 0, and 2^k, whose exponent is written as bits."""
    builder, kind = x.builder, x.value.type
    bits, mantissa, bias = (32, 23, 127) if kind.element == ir.FloatType() else (64, 52, 1023)
    integers = ir.VectorType(ir.IntType(bits), kind.count)
    k = builder.fptosi((x - constant(x, 0.5)).value, integers)
    exponent = builder.add(k, ir.Constant(integers, [bias] * kind.count))
    power = builder.bitcast(builder.shl(exponent, ir.Constant(integers, [mantissa] * kind.count)), kind)
    return Vector(builder, builder.sitofp(k, kind)), Vector(builder, power)
