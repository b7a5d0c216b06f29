"""svmlight files, plain or compressed, to CSR rows in bounded memory.

    label index:value index:value ...  # comment

Equal, bit for bit, to scikit-learn's load_svmlight_file(..., zero_based=False) on every file that both take. Stricter in three
points: numbers that are not finite need allow_nonfinite=True, query ids are refused, an underscore stands between digits only.
"""

import math
import operator
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np
import scipy.sparse as sp

from cesaro.data.streams import BROKEN, opened, whole_lines

BLOCK = 1 << 20  # bytes of text
TOKEN = re.compile(rb"[^\s#]*")
Progress = Callable[[int, int], None]


class SvmlightError(ValueError):
    """A file that cannot be read, and why: `path`, `line` and `column` (from 1, in bytes; None where they mean nothing)."""

    def __init__(self, path, line: int | None, column: int | None, reason: str):
        where = "".join(f", {what} {number}" for what, number in (("line", line), ("column", column)) if number)
        super().__init__(f"{path}{where}: {reason}")
        self.path, self.line, self.column, self.reason = path, line, column, reason

    def __reduce__(self):
        return type(self), (self.path, self.line, self.column, self.reason)


class Parsed(NamedTuple):
    """The rows of one block."""

    y: np.ndarray  # float64
    ptr: np.ndarray  # int64, from 0
    col: np.ndarray  # int32, from 0
    val: np.ndarray  # float64
    width: int  # largest index so far
    lines: int


def read_svmlight(
    path: str | os.PathLike,
    *,
    n_features: int | None = None,
    allow_nonfinite: bool = False,
    progress: Progress | None = None,
) -> tuple[sp.csr_matrix, np.ndarray]:
    """X (CSR, float64) and y (float64) of a svmlight file; indices in the file start at 1.

    path : plain, gzip, bzip2 or xz; found out from the content
    n_features : columns of X; by default the largest index of the file
    allow_nonfinite : take nan, inf and what overflows to inf
    progress : called with (bytes read, bytes of the file)

    While it reads, memory holds the result, up to an eighth more, and one block of text. What is wrong in a file is a
    SvmlightError, which says where.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "two_rows"
    >>> _ = file.write_text("+1 1:0.5 3:2  # a comment\\n-1 2:1e-3\\n")
    >>> X, y = read_svmlight(file)
    >>> X.toarray(), y
    (array([[5.e-01, 0.e+00, 2.e+00],
           [0.e+00, 1.e-03, 0.e+00]]), array([ 1., -1.]))
    """
    return read(Path(path), n_features, allow_nonfinite, progress)


def read(
    path: Path,
    n_features: int | None = None,
    allow_nonfinite: bool = False,
    progress: Progress | None = None,
    watch: Callable[[bytes], None] | None = None,
) -> tuple[sp.csr_matrix, np.ndarray]:
    """The same; `watch` sees the text pass."""
    y, ptr, col, val = Growing(np.float64), Growing(np.int64), Growing(np.int32), Growing(np.float64)
    ptr.append(np.zeros(1, np.int64))
    width = 0
    for block in _parsed(path, BLOCK, n_features, allow_nonfinite, progress, watch):
        ptr.append(block.ptr[1:] + val.length)
        y.append(block.y)
        col.append(block.col)
        val.append(block.val)
        width = block.width
    return _matrix(val.take(), col.take(), ptr.take(), n_features or max(width, 1)), y.take()


def blocks(
    path: str | os.PathLike,
    *,
    size: int = BLOCK,
    n_features: int | None = None,
    allow_nonfinite: bool = False,
    progress: Progress | None = None,
) -> Iterator[tuple[sp.csr_matrix, np.ndarray]]:
    """The same rows, a block at a time: (X, y) of about `size` bytes of text each, so that a file may exceed memory.

    Without n_features a block has as many columns as the largest index so far. The other arguments and the errors are those
    of read_svmlight; lines count from the start of the file.
    """
    for block in _parsed(Path(path), size, n_features, allow_nonfinite, progress):
        yield _matrix(block.val, block.col, block.ptr, n_features or max(block.width, 1)), block.y


def _parsed(path: Path, size: int, n_features, allow_nonfinite: bool, progress, watch=None) -> Iterator[Parsed]:
    """Every block of the file that has rows."""
    if n_features is not None and not 1 <= operator.index(n_features) <= 2**31 - 1:
        raise ValueError(
            f"n_features must be between 1 and 2^31 - 1, or None to take it from the file: got {n_features}."
        )
    if operator.index(size) < 1:
        raise ValueError(f"size must be a positive number of bytes: got {size}.")
    total, lines, width = os.path.getsize(path), 0, 0
    with opened(path) as (content, file):

        def reading(amount: int) -> bytes:
            chunk = content.read(amount)
            if watch is not None:
                watch(chunk)
            return chunk

        pieces = whole_lines(reading, size)
        while True:
            try:
                piece = next(pieces, None)
            except BROKEN as error:
                reason = f"the file is cut off or damaged somewhere after line {lines} ({error}). Get it again."
                raise SvmlightError(path, None, None, reason) from error
            if piece is None:
                return
            block = parse(piece, path, lines, n_features, allow_nonfinite, width)
            lines, width = lines + block.lines, block.width
            if progress is not None:
                progress(file.tell(), total)
            if len(block.y):
                yield block


def parse(piece: bytes, path, lines: int, n_features: int | None, allow_nonfinite: bool, width: int) -> Parsed:
    """The rows of whole lines; `lines` stand before them in the file."""
    from cesaro.data.svmlight.lexer import FINE, LARGEST, scan

    text = np.frombuffer(piece, np.uint8)
    newlines, colons = int(np.count_nonzero(text == 10)), int(np.count_nonzero(text == 58))
    y, ptr = np.empty(newlines), np.empty(newlines + 1, np.int64)
    col, val = np.empty(colons, np.int32), np.empty(colons)
    unsettled = np.empty((newlines + colons, 2), np.int64)
    rows, entries, doubts, wrong, where = scan(text, n_features or LARGEST, y, ptr, col, val, unsettled)

    def fail(start: int, reason: str) -> NoReturn:
        line_start = piece.rfind(b"\n", 0, start) + 1
        raise SvmlightError(path, lines + piece.count(b"\n", 0, start) + 1, start - line_start + 1, reason)

    for start, slot in unsettled[:doubts].tolist():
        token = TOKEN.match(piece, start).group()  # type: ignore[union-attr]
        try:
            value = float(token)
        except ValueError:
            fail(start, _no_number(token, slot < 0))
        if not (math.isfinite(value) or allow_nonfinite):
            fail(
                start,
                f"{_shown(token)} is not finite. Clean the data; cesaro.data.read_svmlight takes it with allow_nonfinite=True.",
            )
        if slot < 0:
            y[-1 - slot] = value
        else:
            val[slot] = value
    if wrong != FINE:
        token = TOKEN.match(piece, where).group()  # type: ignore[union-attr]
        fail(where, _refusal(wrong, token, n_features))
    widest = int(col[:entries].max(initial=-1)) + 1
    return Parsed(y[:rows], ptr[: rows + 1], col[:entries], val[:entries], max(width, widest), newlines)


def _shown(token: bytes) -> str:
    """A token as an error shows it: short, and printable."""
    return ascii(token[:40].decode("latin-1")) + ("..." if len(token) > 40 else "")


def _no_number(token: bytes, label: bool) -> str:
    if label and b":" in token:
        return f"expected a label, got {_shown(token)}. A row starts with its label: '+1 3:0.5'."
    if label and b"," in token:
        return f"expected one label, got {_shown(token)}. Several labels a row are not supported: keep one."
    what = "a label" if label else "a value after the colon"
    return f"expected {what}, a number as 1, -0.5 or 2e-3, got {_shown(token)}. Correct the line."


def _refusal(wrong: int, token: bytes, n_features: int | None) -> str:
    from cesaro.data.svmlight import lexer as codes

    got = _shown(token)
    return {
        codes.NO_INDEX: f"expected index:value with a whole number as index, got {got}. Correct the line.",
        codes.NO_COLON: f"expected index:value, got {got} without a colon. Correct the line.",
        codes.ZERO: f"index 0 in {got}: indices start at 1. If the whole file counts from 0, add 1 to every index.",
        codes.NEGATIVE: f"negative index in {got}: indices start at 1. Correct the line.",
        codes.NOT_ASCENDING: f"the index of {got} is not larger than the one before it. Sort the row and merge duplicates.",
        codes.TOO_LARGE: f"the index of {got} is beyond 2^31 - 1. Hash the features into fewer columns.",
        codes.TOO_WIDE: f"the index of {got} is beyond n_features = {n_features}. Raise n_features, or leave it out.",
        codes.QUERY: f"query id {got}: ranking data are not supported. Remove the qid entries, as in: sed 's/ qid:[0-9]*//'.",
    }[wrong]


def _matrix(val: np.ndarray, col: np.ndarray, ptr: np.ndarray, width: int) -> sp.csr_matrix:
    """CSR of rows that are canonical already; 32-bit indices where they fit."""
    if len(val) < 2**31:
        ptr = ptr.astype(np.int32)
    X = sp.csr_matrix((val, col, ptr), shape=(len(ptr) - 1, width), copy=False)
    X.has_canonical_format = True
    return X


class Growing:
    """An array that is appended to; it reserves an eighth more than it holds."""

    def __init__(self, dtype):
        self.array, self.length = np.empty(0, dtype), 0

    def append(self, values: np.ndarray) -> None:
        length = self.length + len(values)
        if length > len(self.array):
            self.array.resize(length + length // 8, refcheck=False)
        self.array[self.length : length] = values
        self.length = length

    def take(self) -> np.ndarray:
        """What was appended; the rest of the memory is given back."""
        self.array.resize(self.length, refcheck=False)
        return self.array
