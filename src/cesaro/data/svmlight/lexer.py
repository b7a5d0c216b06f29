"""svmlight lines to rows, in one pass over the bytes; the grammar is scikit-learn's.

    line   = [label {blank index ":" value}] ["#" anything] newline          index = 1, 2, ... ascending
    blank  = space, tab, carriage return, vertical tab or form feed

Numbers that `decimals` cannot convert with certainty are deferred: where they start and where they belong is noted, and the
parser converts them with Python's float.
"""

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL
from cesaro.data.svmlight.decimals import read_decimal

OK, NO_INDEX, NO_COLON, ZERO, NEGATIVE, NOT_ASCENDING, TOO_LARGE, TOO_WIDE, QUERY = range(9)
LARGEST = 2**31 - 1


@register_jitable(**KERNEL)
def is_blank(c: int) -> bool:
    """Whether c is a space, tab, carriage return, vertical tab or form feed."""
    return c == 32 or c == 9 or c == 13 or c == 11 or c == 12


@register_jitable(**KERNEL)
def is_token_end(c: int) -> bool:
    """Whether c ends a token: a blank, a newline or the start of a comment."""
    return c <= 35 and (c == 10 or c == 35 or is_blank(c))


@register_jitable(**KERNEL)
def read_index(text: np.ndarray, i: int) -> tuple[int, int, int]:
    """The index at text[i], where it ends and its error code. As Python's int: a sign, and _ between digits."""
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
    number, first = 0, i
    while 48 <= text[i] <= 57 or (text[i] == 95 and i > first and text[i - 1] != 95 and 48 <= text[i + 1] <= 57):
        if text[i] != 95:
            number = min(10 * number + (int(text[i]) - 48), LARGEST + 1)
        i += 1
    if i == first:
        return number, i, NO_INDEX
    if text[i] != 58:
        return number, i, NO_COLON if is_token_end(text[i]) else NO_INDEX
    if number == 0 or negative:
        return number, i, ZERO if number == 0 else NEGATIVE
    return number, i, TOO_LARGE if number > LARGEST else OK


@njit(**KERNEL)
def scan(
    text: np.ndarray,
    width: int,
    y: np.ndarray,
    ptr: np.ndarray,
    col: np.ndarray,
    val: np.ndarray,
    deferred: np.ndarray,
) -> tuple[int, int, int, int, int]:
    """Fills y, ptr (row starts), col (from 0), val and deferred (start, slot; label r has slot -1 - r).

    text ends in a newline; y, col, val have room for a row a newline and an entry a colon. Returns the numbers of rows,
    entries and deferred numbers, the error code and its position.
    """
    i, row, entry, n_deferred = 0, 0, 0, 0
    ptr[0] = 0
    while i < len(text):
        while is_blank(text[i]):
            i += 1
        if text[i] != 10 and text[i] != 35:
            start = i
            y[row], i, certain = read_decimal(text, i)
            if not (certain and is_token_end(text[i])):
                deferred[n_deferred, 0], deferred[n_deferred, 1] = start, -1 - row
                n_deferred += 1
                while not is_token_end(text[i]):
                    i += 1
            last = 0
            while True:
                while is_blank(text[i]):
                    i += 1
                if text[i] == 10 or text[i] == 35:
                    break
                start = i
                if text[i] == 113 and text[i + 1] == 105 and text[i + 2] == 100:  # qid
                    return row, entry, n_deferred, QUERY, start
                number, i, error = read_index(text, i)
                if error == OK and number <= last:
                    error = NOT_ASCENDING
                if error == OK and number > width:
                    error = TOO_WIDE
                if error != OK:
                    return row, entry, n_deferred, error, start
                last = number
                col[entry] = number - 1
                i += 1
                start = i
                val[entry], i, certain = read_decimal(text, i)
                if not (certain and is_token_end(text[i])):
                    deferred[n_deferred, 0], deferred[n_deferred, 1] = start, entry
                    n_deferred += 1
                    while not is_token_end(text[i]):
                        i += 1
                entry += 1
            row += 1
            ptr[row] = entry
        while text[i] != 10:
            i += 1
        i += 1
    return row, entry, n_deferred, OK, i
