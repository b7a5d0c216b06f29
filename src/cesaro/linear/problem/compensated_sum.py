"""Sums whose rounding does not grow with the number of terms: blocks are summed plainly, their totals with compensation."""

from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL

BLOCK = 256  # terms


@register_jitable(**KERNEL)
def add_compensated(total, lost, x):
    """total + x, and `lost` with what that addition has rounded away."""
    new = total + x
    part = new - total
    return new, lost + ((total - (new - part)) + (x - part))
