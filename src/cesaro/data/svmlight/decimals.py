"""Decimal text to the nearest float64, ties to even: what Python's float gives, in a kernel.

A number is w 10^q with an integer w. Three ways, each exact where it answers:
- w <= 2^53 and |q| <= 22: both are floats, so one rounded product or quotient (Clinger 1990);
- w < 2^64: the leading bits of w 5^q from a 128-bit power of five (Lemire, "Number parsing at a gigabyte per second", 2021);
- the rest (more than 19 digits, near ties, subnormals, overflow, anything that is no plain decimal) is deferred to the caller.
"""

import math
from typing import Any

import numpy as np
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL

LOWEST, HIGHEST = -342, 308  # powers of ten between which w < 2^64 can give a finite float that is not zero


def _power_of_five(q: int) -> int:
    """The first 128 bits of 5^q: rounded down, or up if q < 0 (then they never are exact)."""
    if q < 0:
        divisor: int = 5**-q
        return (1 << (127 + divisor.bit_length())) // divisor + 1
    power: int = 5**q
    bits = power.bit_length()
    return power << (128 - bits) if bits <= 128 else power >> (bits - 128)


_FIVES = [_power_of_five(q) for q in range(LOWEST, HIGHEST + 1)]
HIGH = np.array([five >> 64 for five in _FIVES], np.uint64)
LOW = np.array([five & (2**64 - 1) for five in _FIVES], np.uint64)
TENS = np.array([float(10**k) for k in range(23)])

# Numba makes a signed integer of an unsigned and a literal one, so every constant has its type
U0, U1, U3, U10, U32, U63, BYTE0 = (np.uint64(k) for k in (0, 1, 3, 10, 32, 63, 48))
HALF, FULL = np.uint64(2**32 - 1), np.uint64(2**64 - 1)
NINE_BITS, EXACT = np.uint64(511), np.uint64(2**53)


@register_jitable(**KERNEL)
def wide_product(a: Any, b: Any) -> tuple[Any, Any]:
    """The high and the low 64 bits of a b."""
    a1, a0, b1, b0 = a >> U32, a & HALF, b >> U32, b & HALF
    low, cross, other = a0 * b0, a0 * b1, a1 * b0
    middle = (low >> U32) + (cross & HALF) + (other & HALF)
    return a1 * b1 + (cross >> U32) + (other >> U32) + (middle >> U32), (middle << U32) | (low & HALF)


@register_jitable(**KERNEL)
def leading_zeros(w: Any) -> Any:
    """How many zero bits stand before the first one of w > 0."""
    count = U0
    for shift in (32, 16, 8, 4, 2, 1):
        s = np.uint64(shift)
        if w >> (np.uint64(64) - s) == U0:
            w = w << s
            count += s
    return count


@register_jitable(**KERNEL)
def compose(w: Any, q: int) -> tuple[float, bool]:
    """The float nearest to w 10^q, w > 0, and whether that is certain."""
    if w <= EXACT and -22 <= q <= 22:
        return (float(w) * TENS[q] if q >= 0 else float(w) / TENS[-q]), True
    if q < LOWEST or q > HIGHEST:
        return 0.0, False
    zeros = leading_zeros(w)
    w = w << zeros
    high, low = wide_product(w, HIGH[q - LOWEST])
    if high & NINE_BITS == NINE_BITS:  # the bits below the rounding position are all ones: more of them are needed
        more, _ = wide_product(w, LOW[q - LOWEST])
        if low > FULL - more:  # carry
            low, high = low - (FULL - more) - U1, high + U1
        else:
            low += more
        if low == FULL and not -27 <= q <= 55:
            return 0.0, False
    top = high >> U63
    shift = top + np.uint64(9)
    m = high >> shift  # 53 bits and one for rounding
    exponent = ((217706 * q) >> 16) + 63 + np.int64(top) - np.int64(zeros)  # floor(q log2(10)) in integers
    if exponent < -1022:  # subnormal
        return 0.0, False
    if low <= U1 and -4 <= q <= 23 and m & U3 == U1 and m << shift == high:
        m -= U1  # exactly half way, to the even neighbour
    m = (m + (m & U1)) >> U1
    if exponent > 1023 or (exponent == 1023 and m == EXACT):  # overflow
        return 0.0, False
    return math.ldexp(float(m), int(exponent - 52)), True


@register_jitable(**KERNEL)
def append_digits(text: np.ndarray, i: int, w: Any, digits: int) -> tuple[Any, int, int]:
    """w with the digits from text[i] on, how many it has then, and where they end; at 19 it stops, not to overflow."""
    while 48 <= text[i] <= 57 and digits < 19:
        w = w * U10 + (np.uint64(text[i]) - BYTE0)
        digits += w != U0
        i += 1
    return w, digits, i


@register_jitable(**KERNEL)
def read_decimal(text: np.ndarray, i: int) -> tuple[float, int, bool]:
    """The plain decimal that starts at text[i]: its value, where it ends, and whether it was one and is certain."""
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
    first, q = i, 0
    w, digits, i = append_digits(text, first, U0, 0)
    seen = i - first
    if text[i] == 46:
        first = i + 1
        w, digits, i = append_digits(text, first, w, digits)
        q = first - i
        seen -= q
    if seen == 0 or 48 <= text[i] <= 57:  # no digit, or more than it can hold
        return 0.0, i, False
    if text[i] == 101 or text[i] == 69:  # e, E
        i += 1
        down = text[i] == 45
        if down or text[i] == 43:
            i += 1
        if not 48 <= text[i] <= 57:
            return 0.0, i, False
        power = 0
        while 48 <= text[i] <= 57:
            power = min(10 * power + (int(text[i]) - 48), 100000)
            i += 1
        q += -power if down else power
    if w == U0:
        return (-0.0 if negative else 0.0), i, True
    value, certain = compose(w, q)
    return (-value if negative else value), i, certain
