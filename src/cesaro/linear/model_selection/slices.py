"""Parts of an epoch: a kernel cannot be interrupted."""

from cesaro.linear.problem.csr import Rows

WORK = 1 << 24  # multiplications of a part, about: some ten milliseconds
ALIGNED = 256  # its rows are a multiple of this, after which kernels flush their sums


def slices(rows: Rows, n: int, models: int) -> list[slice]:
    """Parts of n of the rows, which so many models visit."""
    size = max(1, WORK * rows.n // (max(1, len(rows.col)) * models * ALIGNED)) * ALIGNED
    return [slice(first, min(n, first + size)) for first in range(0, n, size)]
