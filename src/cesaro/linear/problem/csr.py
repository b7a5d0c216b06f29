"""Rows: CSR as the kernels want it, made once at validation.

Indices are unsigned views (signed ones make Numba handle negative indices, a factor 1.3 to 1.9) and nothing is copied
that need not be.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL, LOOP
from cesaro.compiled.prefetch import LINE, prefetch

PIECE = 1 << 16  # values compared at once
IN_CACHE = 1 << 19  # entries that a second-level cache, or what is left of them there, hardly has to wait for
LARGE = 1 << 14  # rows from which on it pays to know that they have one length
NEAR, FAR = 6, 12  # rows ahead at which to prefetch: entries, and what tells where they are
LONG = 32  # entries of a row, from which on its first, middle and last cache lines are not most of it
ONE, TWO = np.uint32(1), np.uint32(2)  # unsigned, like the indices that they are added to


class Rows(NamedTuple):
    """n rows of d features; row i has data[ptr[i]:ptr[i+1]] in the columns col[...] and `bias` in the column d."""

    data: np.ndarray  # float32 or float64
    col: np.ndarray  # uint32
    ptr: np.ndarray  # uint32, or uint64 beyond 2^32 entries
    d: int
    bias: float = 0.0  # intercept_scaling; 0 is no intercept
    length: np.uint64 | None = None  # of every row, where that is known: ptr need not be read

    @property
    def n(self) -> int:
        return len(self.ptr) - 1

    @property
    def width(self) -> int:
        """Length of a weight vector: the features, and the intercept's constant feature if there is one."""
        return self.d + (self.bias != 0.0)


def make_rows(X, bias: float = 0.0) -> Rows:
    """Rows of a canonical CSR matrix (no duplicates) or a dense array, copying indices only if they are too wide."""
    X = X if isinstance(X, sp.csr_array) else sp.csr_array(X)
    wide = X.nnz >= 2**32
    if X.shape[1] >= 2**32 - 1:
        raise ValueError(
            f"X has {X.shape[1]} columns; at most 2^32 - 2 are supported. Hash the features into fewer columns."
        )
    return Rows(
        X.data, _unsigned(X.indices, np.uint32), _unsigned(X.indptr, np.uint64 if wide else np.uint32), X.shape[1], bias
    )


def without_redundant_arrays(rows: Rows) -> Rows:
    """The rows with less to read: no values if all of them are 1, and no need of row ends if all have one length.

    For kernels that ask `entry` and `span`.
    """
    data, ptr, n = rows.data, rows.ptr, rows.n
    if len(data) > 0 and data[0] == 1.0 and all((data[k : k + PIECE] == 1.0).all() for k in range(0, len(data), PIECE)):
        rows = rows._replace(data=None)  # type: ignore[arg-type]
    if (
        n >= LARGE
        and int(ptr[1]) * n == ptr[-1]
        and all((np.diff(ptr[k : k + PIECE + 1]) == ptr[1]).all() for k in range(0, n, PIECE))
    ):
        rows = rows._replace(length=np.uint64(ptr[1]))
    return rows


def rows_at(rows: Rows, which: np.ndarray) -> Rows:
    """These rows, in this order, as a copy."""
    start, stop = rows.ptr[which].astype(np.int64), rows.ptr[which + 1].astype(np.int64)
    ptr = np.append(0, np.cumsum(stop - start))
    entries = np.repeat(start - ptr[:-1], stop - start) + np.arange(ptr[-1])
    data = None if rows.data is None else rows.data[entries]
    return rows._replace(data=data, col=rows.col[entries], ptr=ptr.astype(rows.ptr.dtype), length=None)


@register_jitable(**KERNEL, forceinline=True)
def span(rows, i):
    """Where row i begins, and where it ends."""
    return _span(rows.ptr, rows.length, i)


@register_jitable(**KERNEL, forceinline=True)
def _span(ptr, length, i):
    if length is None:  # a test that Numba decides, of an argument
        return np.uint64(ptr[i]), np.uint64(ptr[i + ONE])
    return length * np.uint64(i), length * np.uint64(i + ONE)


@register_jitable(**KERNEL)
def entry(data, j):
    """data[j], or 1 where there are no values."""
    if data is None:
        return 1.0
    return data[j]


@register_jitable(**KERNEL, forceinline=True)
def margin(rows, i, w):
    """<x_i, w>; `w` has d + 1 entries, the last the intercept's."""
    start, stop = span(rows, i)
    return two_sums(rows.data, rows.col, start, stop, w, rows.bias * w[rows.d], 0.0)


@register_jitable(**KERNEL, forceinline=True)
def two_sums(data, col, j, stop, w, even, odd):
    """The entries from j on times w, added to two sums, and these to each other: one addition need not wait for the other."""
    while j + ONE < stop:
        even += entry(data, j) * w[col[j]]
        odd += entry(data, j + ONE) * w[col[j + ONE]]
        j += TWO
    if j < stop:
        odd += entry(data, j) * w[col[j]]
    return even + odd


@register_jitable(**LOOP)
def square(rows, i):
    """|x_i|^2, of float32 too in float64."""
    data, total = rows.data, 0.0
    start, stop = span(rows, i)
    for j in range(start, stop):
        total += np.float64(entry(data, j)) * np.float64(entry(data, j))
    return total + rows.bias * rows.bias


def compacted(rows: Rows, entries: float = 0.5) -> tuple[Rows, np.ndarray | None]:
    """The rows over the columns that occur in them, and which these are; None if that is all or nearly all of them.

    With so many `entries` a column, all are taken to occur.
    """
    if len(rows.col) >= entries * rows.d:
        return rows, None
    occurs = np.zeros(rows.d, bool)
    occurs[rows.col] = True
    used = np.flatnonzero(occurs)
    if len(used) > 0.75 * rows.d:
        return rows, None
    place = np.empty(rows.d, np.uint32)
    place[used] = np.arange(len(used), dtype=np.uint32)
    return rows._replace(col=place[rows.col], d=len(used)), used


def _unsigned(index: np.ndarray, kind) -> np.ndarray:
    return index.view(kind) if index.itemsize == np.dtype(kind).itemsize else index.astype(kind)


@register_jitable(**KERNEL)
def prefetch_end(ptr, length, i):
    """Prefetch ptr[i], if it will be read."""
    if length is None:
        prefetch(ptr, i)


@register_jitable(**KERNEL)
def prefetch_values(data, first, last):
    """Prefetch data[first], data[last] and what is halfway, if there are values: a short row's three cache lines."""
    if data is not None:
        prefetch(data, first)
        prefetch(data, (first + last) >> 1)
        prefetch(data, last)


@register_jitable(**KERNEL, forceinline=True)
def prefetch_row(rows, i):
    """Prefetch what a short row i has; returns where its first entry and its last are."""
    start, stop = span(rows, i)
    first, last = np.intp(start), np.intp(stop) - 1
    prefetch(rows.col, first)
    prefetch(rows.col, last)
    prefetch_values(rows.data, first, last)
    return first, last


@register_jitable(**KERNEL)
def ahead(rows, targets, v, order, k):
    """Prefetch what the rows that come soon will need."""
    n = order.shape[0]
    if k + FAR < n:
        soon = np.intp(order[k + FAR])
        prefetch_end(rows.ptr, rows.length, soon)
        prefetch(targets, soon)
        if v is not None:  # noqa: SIM102  Numba sees the second test only where there is a v
            if v.shape[0] > 1:
                prefetch(v, soon)
    if k + NEAR < n:
        prefetch_row(rows, order[k + NEAR])


@register_jitable(**KERNEL)
def rows_ahead(rows):
    """How many rows ahead to prefetch whole rows: about a hundred cache lines; 0 where all rows stay in the cache."""
    entries = np.int64(rows.ptr[rows.ptr.shape[0] - 1] - rows.ptr[0])
    if entries < IN_CACHE:
        return 0
    return max(1, min(NEAR, 200 * (rows.ptr.shape[0] - 1) // entries))


@register_jitable(**KERNEL)
def long_rows_ahead(rows):
    """The same for `ahead_long` where rows are long on average; -1 where `ahead` reaches most of a row."""
    n = rows.ptr.shape[0] - 1
    return rows_ahead(rows) if np.int64(rows.ptr[n] - rows.ptr[0]) > LONG * n else -1


@register_jitable(**KERNEL, forceinline=True)
def ahead_long(rows, records, order, k, near):
    """`ahead` for rows of any length: all cache lines of the row that comes `near` rows later."""
    n = order.shape[0]
    if near == 0:
        return
    if k + 2 * near < n:
        soon = np.intp(order[k + 2 * near])
        prefetch_end(rows.ptr, rows.length, soon)
        prefetch(records, soon)
    if k + near < n:
        e, last = prefetch_row(rows, order[k + near])
        if last - e > 16:
            e += 16
            while e < last:
                prefetch(rows.col, e)
                prefetch_line_pair(rows.data, e)
                e += 16


@register_jitable(**KERNEL)
def prefetch_line_pair(data, e):
    """Prefetch data[e] and data[e + 8], if there are values."""
    if data is not None:
        prefetch(data, e)
        prefetch(data, e + 8)


@register_jitable(**KERNEL, forceinline=True)
def ahead_wide(table, order, k):
    """Prefetch the row of a table (n, P) that comes soon, all of it."""
    if k + NEAR < order.shape[0]:
        row, at = table[order[k + NEAR]], 0
        while at < row.shape[0]:
            prefetch(row, at)
            at += LINE // 8  # float64; smaller entries share lines, and asking twice costs nothing
