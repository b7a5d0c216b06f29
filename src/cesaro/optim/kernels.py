"""One pass over memory where torch's own operations would take several: loops over the tensors of several lists.

A kernel is given the addresses of the tensors, a row for each list, their sizes, and its numbers, a row for each with an
entry per tensor. It is the loop of a formula that stands in the module that calls it, and a test ties the two.
"""

from typing import Any

from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.addresses import array_at
from cesaro.compiled.flags import KERNEL, LOOP

BLOCK = 1 << 11  # elements that are summed in their own type; sums of blocks are float64
# No sums are reordered: between equal numbers an average is that number, to the bit.
ELEMENTWISE: dict[str, Any] = KERNEL | {"fastmath": {"contract", "nsz"}}


@register_jitable
def _mix(a, b, k):
    """(1 - k) a + k b, as torch.lerp: exactly a at k = 0, exactly b at k = 1."""
    return a + k * (b - a) if k < 0.5 else b - (b - a) * (1 - k)


@njit(**ELEMENTWISE)
def exchange_for_z(addresses, sizes, numbers):
    """p, z = z + dual (p - z) - decay p, z + to_x (p - z)."""
    for j in range(sizes.size):
        p, z = array_at(addresses[0, j], sizes[j], numbers), array_at(addresses[1, j], sizes[j], numbers)
        dual, to_x, decay = numbers[0, j], numbers[1, j], numbers[2, j]
        for i in range(p.size):
            y, before = p[i], z[i]
            p[i] = _mix(before, y, dual) - decay * y
            z[i] = _mix(before, y, to_x)


@njit(**ELEMENTWISE)
def exchange_for_y(addresses, sizes, numbers):
    """p, x = x + towards_z (p - x), p."""
    for j in range(sizes.size):
        p, x = array_at(addresses[0, j], sizes[j], numbers), array_at(addresses[1, j], sizes[j], numbers)
        towards_z = numbers[0, j]
        for i in range(p.size):
            z = p[i]
            p[i] = _mix(x[i], z, towards_z)
            x[i] = z


@njit(**LOOP)
def _dual_step(v, x, g, dual, rate, decay):
    square = v[0] * 0
    for i in range(v.size):
        v[i] = _mix(v[i], x[i], dual) - rate * g[i] - decay * x[i]
        square += v[i] * v[i]
    return square


@njit(**ELEMENTWISE)
def dual_step(addresses, sizes, numbers, totals):
    """v = v + dual (x - v) - rate g - decay x, and the totals |v|^2."""
    for j in range(sizes.size):
        v, x = array_at(addresses[0, j], sizes[j], numbers), array_at(addresses[1, j], sizes[j], numbers)
        g = array_at(addresses[2, j], sizes[j], numbers)
        dual, rate, decay = numbers[0, j], numbers[1, j], numbers[2, j]
        for low in range(0, v.size, BLOCK):
            high = min(low + BLOCK, v.size)
            totals[j] += _dual_step(v[low:high], x[low:high], g[low:high], dual, rate, decay)


@njit(**ELEMENTWISE)
def primal_step(addresses, sizes, numbers):
    """x = x + share (scale v - x)."""
    for j in range(sizes.size):
        x, v = array_at(addresses[0, j], sizes[j], numbers), array_at(addresses[1, j], sizes[j], numbers)
        scale, share = numbers[0, j], numbers[1, j]
        for i in range(x.size):
            x[i] = _mix(x[i], scale * v[i], share)


@njit(**ELEMENTWISE)
def move(addresses, sizes, numbers):
    """p = p + by d."""
    for j in range(sizes.size):
        p, d = array_at(addresses[0, j], sizes[j], numbers), array_at(addresses[1, j], sizes[j], numbers)
        by = numbers[0, j]
        for i in range(p.size):
            p[i] += by * d[i]


@njit(**ELEMENTWISE)
def step_from_y(addresses, sizes, numbers):
    """x = p + ahead d, then d = momentum d + rate g + decay x and p = x - share d."""
    for j in range(sizes.size):
        p, d = array_at(addresses[0, j], sizes[j], numbers), array_at(addresses[1, j], sizes[j], numbers)
        g = array_at(addresses[2, j], sizes[j], numbers)
        ahead, momentum, rate = numbers[0, j], numbers[1, j], numbers[2, j]
        decay, share = numbers[3, j], numbers[4, j]
        for i in range(p.size):
            x = p[i] + ahead * d[i]
            d[i] = momentum * d[i] + rate * g[i] + decay * x
            p[i] = x - share * d[i]
