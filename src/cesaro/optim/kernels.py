"""One pass over memory where torch's own operations would take several: loops over the tensors of several lists.

A kernel is given the addresses of the tensors, a row for each list, their sizes, and its numbers, a row for each with an
entry per tensor. It is the loop of a formula that stands in the module that calls it, and a test ties the two. It goes
from block to block and asks for the next one beforehand, for the CPU by itself stops at the end of each page of memory.
Each kernel takes its blocks itself: what is compiled without reference counts cannot return an array.
"""

from typing import Any

from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.addresses import array_at
from cesaro.compiled.flags import KERNEL, LOOP
from cesaro.compiled.prefetch import LINE, prefetch

BLOCK = 1 << 8  # elements; also those that are summed in their own type: sums of blocks are float64
# No sums are reordered: between equal numbers an average is that number, to the bit.
ELEMENTWISE: dict[str, Any] = KERNEL | {"fastmath": {"contract", "nsz"}}


@register_jitable
def _mix(a, b, k, one):
    """(1 - k) a + k b, as torch.lerp: exactly a at k = 0, exactly b at k = 1. A literal 1 would make it all float64."""
    return (a if k < 0.5 else b) + (k if k < 0.5 else k - one) * (b - a)


@register_jitable
def _ask_beyond(*blocks):
    """Ask for what follows these blocks in memory."""
    for block in blocks:
        for i in range(BLOCK, 2 * BLOCK, LINE // block.itemsize):
            prefetch(block, i)


@njit(**ELEMENTWISE)
def exchange_for_z(addresses, sizes, numbers):
    """p, z = z + dual (p - z) - decay p, z + to_x (p - z)."""
    one = numbers.dtype.type(1)
    for j in range(sizes.size):
        dual, to_x, decay = numbers[0, j], numbers[1, j], numbers[2, j]
        for low in range(0, sizes[j], BLOCK):
            n, at = min(BLOCK, sizes[j] - low), low * numbers.itemsize
            p, z = array_at(addresses[0, j] + at, n, numbers), array_at(addresses[1, j] + at, n, numbers)
            _ask_beyond(p, z)
            for i in range(p.size):
                y, before = p[i], z[i]
                p[i] = _mix(before, y, dual, one) - decay * y
                z[i] = _mix(before, y, to_x, one)


@njit(**ELEMENTWISE)
def exchange_for_y(addresses, sizes, numbers):
    """p, x = x + towards_z (p - x), p."""
    one = numbers.dtype.type(1)
    for j in range(sizes.size):
        towards_z = numbers[0, j]
        for low in range(0, sizes[j], BLOCK):
            n, at = min(BLOCK, sizes[j] - low), low * numbers.itemsize
            p, x = array_at(addresses[0, j] + at, n, numbers), array_at(addresses[1, j] + at, n, numbers)
            _ask_beyond(p, x)
            for i in range(p.size):
                z = p[i]
                p[i] = _mix(x[i], z, towards_z, one)
                x[i] = z


@njit(**LOOP)
def _dual_step(v, x, g, dual, rate, decay):
    square, one = v.dtype.type(0), v.dtype.type(1)
    for i in range(v.size):
        after = _mix(v[i], x[i], dual, one) - rate * g[i] - decay * x[i]
        v[i] = after
        square += after * after
    return square


@njit(**ELEMENTWISE)
def dual_step(addresses, sizes, numbers, totals):
    """v = v + dual (x - v) - rate g - decay x, and the totals |v|^2."""
    for j in range(sizes.size):
        dual, rate, decay = numbers[0, j], numbers[1, j], numbers[2, j]
        for low in range(0, sizes[j], BLOCK):
            n, at = min(BLOCK, sizes[j] - low), low * numbers.itemsize
            v, x = array_at(addresses[0, j] + at, n, numbers), array_at(addresses[1, j] + at, n, numbers)
            g = array_at(addresses[2, j] + at, n, numbers)
            _ask_beyond(v, x, g)
            totals[j] += _dual_step(v, x, g, dual, rate, decay)


@njit(**ELEMENTWISE)
def primal_step(addresses, sizes, numbers):
    """x = x + share (scale v - x)."""
    one = numbers.dtype.type(1)
    for j in range(sizes.size):
        scale, share = numbers[0, j], numbers[1, j]
        for low in range(0, sizes[j], BLOCK):
            n, at = min(BLOCK, sizes[j] - low), low * numbers.itemsize
            x, v = array_at(addresses[0, j] + at, n, numbers), array_at(addresses[1, j] + at, n, numbers)
            _ask_beyond(x, v)
            for i in range(x.size):
                x[i] = _mix(x[i], scale * v[i], share, one)


@njit(**ELEMENTWISE)
def move(addresses, sizes, numbers):
    """p = p + by d."""
    for j in range(sizes.size):
        by = numbers[0, j]
        for low in range(0, sizes[j], BLOCK):
            n, at = min(BLOCK, sizes[j] - low), low * numbers.itemsize
            p, d = array_at(addresses[0, j] + at, n, numbers), array_at(addresses[1, j] + at, n, numbers)
            _ask_beyond(p, d)
            for i in range(p.size):
                p[i] += by * d[i]


@njit(**ELEMENTWISE)
def step_from_y(addresses, sizes, numbers):
    """x = p + ahead d, then d = momentum d + rate g + decay x and p = x - share d."""
    for j in range(sizes.size):
        ahead, momentum, rate = numbers[0, j], numbers[1, j], numbers[2, j]
        decay, share = numbers[3, j], numbers[4, j]
        for low in range(0, sizes[j], BLOCK):
            n, at = min(BLOCK, sizes[j] - low), low * numbers.itemsize
            p, d = array_at(addresses[0, j] + at, n, numbers), array_at(addresses[1, j] + at, n, numbers)
            g = array_at(addresses[2, j] + at, n, numbers)
            _ask_beyond(p, d, g)
            for i in range(p.size):
                x = p[i] + ahead * d[i]
                d[i] = momentum * d[i] + rate * g[i] + decay * x
                p[i] = x - share * d[i]
