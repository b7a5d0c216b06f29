"""A block of svmlight lines to arrays: the lexer's work, and what it defers to Python's float.

Numba is imported on first use: importing `cesaro.data` stays cheap.
"""

import math
import re
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from cesaro.data.svmlight.errors import SvmlightError, not_a_number_reason, shown, syntax_error_reason

TOKEN = re.compile(rb"[^\s#]*")


class ParsedBlock(NamedTuple):
    """The rows of one block."""

    y: np.ndarray  # float64
    ptr: np.ndarray  # int64, from 0
    col: np.ndarray  # int32, from 0
    val: np.ndarray  # float64
    width: int  # largest index so far
    lines: int


def parse(
    piece: bytes, path: Path, lines: int, n_features: int | None, allow_nonfinite: bool, width: int
) -> ParsedBlock:
    """The rows of whole lines; `lines` lines and indices up to `width` came before them in the file."""
    from cesaro.data.svmlight.lexer import LARGEST, OK, scan

    text = np.frombuffer(piece, np.uint8)
    newlines, colons = int(np.count_nonzero(text == 10)), int(np.count_nonzero(text == 58))
    y, ptr = np.empty(newlines), np.empty(newlines + 1, np.int64)
    col, val = np.empty(colons, np.int32), np.empty(colons)
    deferred = np.empty((newlines + colons, 2), np.int64)
    rows, entries, n_deferred, error, where = scan(text, n_features or LARGEST, y, ptr, col, val, deferred)

    def fail(start: int, reason: str) -> NoReturn:
        line_start = piece.rfind(b"\n", 0, start) + 1
        raise SvmlightError(path, lines + piece.count(b"\n", 0, start) + 1, start - line_start + 1, reason)

    for start, slot in deferred[:n_deferred].tolist():
        token = TOKEN.match(piece, start).group()  # type: ignore[union-attr]
        try:
            value = float(token)
        except ValueError:
            fail(start, not_a_number_reason(token, slot < 0))
        if not (math.isfinite(value) or allow_nonfinite):
            fail(
                start,
                f"{shown(token)} is not finite. Clean the data; cesaro.data.read_svmlight takes it with allow_nonfinite=True.",
            )
        if slot < 0:
            y[-1 - slot] = value
        else:
            val[slot] = value
    if error != OK:
        token = TOKEN.match(piece, where).group()  # type: ignore[union-attr]
        fail(where, syntax_error_reason(error, token, n_features))
    widest = int(col[:entries].max(initial=-1)) + 1
    return ParsedBlock(y[:rows], ptr[: rows + 1], col[:entries], val[:entries], max(width, widest), newlines)
