"""svmlight files, plain or compressed, to CSR rows in bounded memory.

    label index:value index:value ...  # comment

Equal, bit for bit, to scikit-learn's load_svmlight_file(..., zero_based=False) on every file that both take. Stricter in three
points: numbers that are not finite need allow_nonfinite=True, query ids are refused, an underscore stands between digits only.
"""

import operator
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from cesaro.data.streams import READ_ERRORS, LongLineError, opened, whole_lines
from cesaro.data.svmlight.errors import SvmlightError
from cesaro.data.svmlight.parser import ParsedBlock, parse

BLOCK = 1 << 20  # bytes of text
ProgressCallback = Callable[[int, int], None]


def read_svmlight(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    allow_nonfinite: bool = False,
    progress: ProgressCallback | None = None,
) -> tuple[sp.csr_matrix, np.ndarray]:
    """X (CSR, float64) and y (float64) of a svmlight file; indices in the file start at 1.

    While it reads, memory holds the result, up to an eighth more, and one block of text.

    Parameters
    ----------
    path : path-like
        The file: plain, gzip, bzip2 or xz, told from its content.
    n_features : int, optional
        Columns of X; by default the largest index of the file.
    allow_nonfinite : bool, default=False
        Accept nan, inf and what overflows to inf.
    progress : callable, optional
        Called with (bytes read, bytes of the file) after every block.

    Returns
    -------
    X : scipy.sparse.csr_matrix of shape (n_rows, n_features)
        The rows.
    y : ndarray of shape (n_rows,)
        Their labels or targets.

    Raises
    ------
    SvmlightError
        If the file is damaged or not in the format; it says where.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "two_rows"
    >>> _ = file.write_text("+1 1:0.5 3:2  # a comment\\n-1 2:1e-3\\n")
    >>> X, y = read_svmlight(file)
    >>> X.toarray(), y
    (array([[5.e-01, 0.e+00, 2.e+00],
           [0.e+00, 1.e-03, 0.e+00]]), array([ 1., -1.]))
    """
    return read_rows(Path(path), n_features, allow_nonfinite, progress)


def read_rows(
    path: Path,
    n_features: int | None = None,
    allow_nonfinite: bool = False,
    progress: ProgressCallback | None = None,
    on_text: Callable[[bytes], Any] | None = None,
) -> tuple[sp.csr_matrix, np.ndarray]:
    """The same; `on_text` is called with every piece of the decompressed text."""
    y, ptr, col, val = (
        GrowableArray(np.float64),
        GrowableArray(np.int64),
        GrowableArray(np.int32),
        GrowableArray(np.float64),
    )
    ptr.append(np.zeros(1, np.int64))
    width = 0
    for block in _parsed_blocks(path, BLOCK, n_features, allow_nonfinite, progress, on_text):
        ptr.append(block.ptr[1:] + val.length)
        y.append(block.y)
        col.append(block.col)
        val.append(block.val)
        width = block.width
    return _matrix(val.take(), col.take(), ptr.take(), n_features or max(width, 1)), y.take()


def blocks(
    path: str | os.PathLike[str],
    *,
    size: int = BLOCK,
    n_features: int | None = None,
    allow_nonfinite: bool = False,
    progress: ProgressCallback | None = None,
) -> Iterator[tuple[sp.csr_matrix, np.ndarray]]:
    """The rows of a svmlight file a block at a time, so that a file may exceed memory.

    Parameters
    ----------
    path : path-like
        The file, as in `read_svmlight`.
    size : int, default=2**20
        Bytes of text in a block, about.
    n_features : int, optional
        Columns of every X; by default a block has as many as the largest index so far.
    allow_nonfinite, progress : as in `read_svmlight`
        What numbers are accepted, and what is called after every block.

    Yields
    ------
    X : scipy.sparse.csr_matrix
        The rows of the block.
    y : ndarray
        Their labels or targets.

    Raises
    ------
    SvmlightError
        As `read_svmlight`; lines count from the start of the file.

    Examples
    --------
    >>> from cesaro.data import locate
    >>> sum(len(y) for X, y in blocks(locate("a9a"), n_features=123))
    32561
    """
    for block in _parsed_blocks(Path(path), size, n_features, allow_nonfinite, progress):
        yield _matrix(block.val, block.col, block.ptr, n_features or max(block.width, 1)), block.y


def _parsed_blocks(
    path: Path,
    size: int,
    n_features: int | None,
    allow_nonfinite: bool,
    progress: ProgressCallback | None,
    on_text: Callable[[bytes], Any] | None = None,
) -> Iterator[ParsedBlock]:
    """Every block of the file that has rows."""
    if n_features is not None and not 1 <= operator.index(n_features) <= 2**31 - 1:
        raise ValueError(
            f"n_features must be between 1 and 2^31 - 1, or None to take it from the file: got {n_features}."
        )
    if operator.index(size) < 1:
        raise ValueError(f"size must be a positive number of bytes: got {size}.")
    total, lines, width = os.path.getsize(path), 0, 0
    with opened(path) as (content, file):

        def read_text(amount: int) -> bytes:
            chunk = content.read(amount)
            if on_text is not None:
                on_text(chunk)
            return chunk

        pieces = whole_lines(read_text, size)
        while True:
            try:
                piece = next(pieces, None)
            except READ_ERRORS as error:
                reason = f"the file is cut off or damaged somewhere after line {lines} ({error}). Get it again."
                raise SvmlightError(path, None, None, reason) from error
            except LongLineError as error:
                reason = f"{error}. A line is one row: the file is of another kind, or its line ends are missing."
                raise SvmlightError(path, lines + 1, None, reason) from error
            if piece is None:
                return
            block = parse(piece, path, lines, n_features, allow_nonfinite, width)
            lines, width = lines + block.lines, block.width
            if progress is not None:
                progress(file.tell(), total)
            if len(block.y):
                yield block


def _matrix(val: np.ndarray, col: np.ndarray, ptr: np.ndarray, width: int) -> sp.csr_matrix:
    """CSR of rows that are canonical already; 32-bit indices where they fit."""
    if len(val) < 2**31:
        ptr = ptr.astype(np.int32)
    X = sp.csr_matrix((val, col, ptr), shape=(len(ptr) - 1, width), copy=False)
    X.has_canonical_format = True
    return X


class GrowableArray:
    """An array that is appended to; it reserves an eighth more than it holds."""

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self.array, self.length = np.empty(0, dtype), 0

    def append(self, values: np.ndarray) -> None:
        """Copy these values to the end."""
        length = self.length + len(values)
        if length > len(self.array):
            self.array.resize(length + length // 8, refcheck=False)
        self.array[self.length : length] = values
        self.length = length

    def take(self) -> np.ndarray:
        """What was appended; the reserve is freed."""
        self.array.resize(self.length, refcheck=False)
        return self.array
