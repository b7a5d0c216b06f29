"""What can be wrong with a svmlight file, as errors that say where and what to do."""

import os
from typing import Any


class SvmlightError(ValueError):
    """A file that cannot be read.

    Parameters
    ----------
    path : path-like
        The file.
    line, column : int or None
        Where, from 1, the column in bytes; None where they mean nothing.
    reason : str
        What was found, what was expected, what to do.
    """

    def __init__(self, path: str | os.PathLike[str], line: int | None, column: int | None, reason: str) -> None:
        where = "".join(f", {what} {number}" for what, number in (("line", line), ("column", column)) if number)
        super().__init__(f"{path}{where}: {reason}")
        self.path, self.line, self.column, self.reason = path, line, column, reason

    def __reduce__(self) -> tuple[type["SvmlightError"], tuple[Any, ...]]:
        return type(self), (self.path, self.line, self.column, self.reason)


def shown(token: bytes) -> str:
    """A token as an error shows it: short, and printable."""
    return ascii(token[:40].decode("latin-1")) + ("..." if len(token) > 40 else "")


def not_a_number_reason(token: bytes, label: bool) -> str:
    """Why a token is neither a label nor a value."""
    if label and b":" in token:
        return f"expected a label, got {shown(token)}. A row starts with its label: '+1 3:0.5'."
    if label and b"," in token:
        return f"expected one label, got {shown(token)}. Several labels a row are not supported: keep one."
    what = "a label" if label else "a value after the colon"
    return f"expected {what}, a number as 1, -0.5 or 2e-3, got {shown(token)}. Correct the line."


def syntax_error_reason(code: int, token: bytes, n_features: int | None) -> str:
    """What an error code of the lexer says about a token."""
    from cesaro.data.svmlight import lexer as codes

    got = shown(token)
    return {
        codes.NO_INDEX: f"expected index:value with a whole number as index, got {got}. Correct the line.",
        codes.NO_COLON: f"expected index:value, got {got} without a colon. Correct the line.",
        codes.ZERO: f"index 0 in {got}: indices start at 1. If the whole file counts from 0, add 1 to every index.",
        codes.NEGATIVE: f"negative index in {got}: indices start at 1. Correct the line.",
        codes.NOT_ASCENDING: f"the index of {got} is not larger than the one before it. Sort the row and merge duplicates.",
        codes.TOO_LARGE: f"the index of {got} is beyond 2^31 - 1. Hash the features into fewer columns.",
        codes.TOO_WIDE: f"the index of {got} is beyond n_features = {n_features}. Raise n_features, or leave it out.",
        codes.QUERY: f"query id {got}: ranking data are not supported. Remove the qid entries, as in: sed 's/ qid:[0-9]*//'.",
    }[code]
