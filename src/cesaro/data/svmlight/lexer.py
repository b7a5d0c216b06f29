"""svmlight lines to rows, in one pass over the bytes; the grammar is scikit-learn's.

    line   = [label {blank index ":" value}] ["#" anything] newline          index = 1, 2, ... ascending
    blank  = space, tab, carriage return, vertical tab or form feed

Numbers that `decimals` does not settle are only noted, by where they start and where they belong: Python's float judges them.
"""

from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL
from cesaro.data.svmlight.decimals import decimal

FINE, NO_INDEX, NO_COLON, ZERO, NEGATIVE, NOT_ASCENDING, TOO_LARGE, TOO_WIDE, QUERY = range(9)
LARGEST = 2**31 - 1


@register_jitable(**KERNEL)
def blank(c):
    return c == 32 or c == 9 or c == 13 or c == 11 or c == 12


@register_jitable(**KERNEL)
def ends(c):
    """Whether c stands after a token: a blank, a newline or the start of a comment."""
    return c <= 35 and (c == 10 or c == 35 or blank(c))


@register_jitable(**KERNEL)
def index(text, i):
    """The index at text[i], where it ends and what is wrong with it. As Python's int: a sign, and _ between digits."""
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
        return number, i, NO_COLON if ends(text[i]) else NO_INDEX
    if number == 0 or negative:
        return number, i, ZERO if number == 0 else NEGATIVE
    return number, i, TOO_LARGE if number > LARGEST else FINE


@njit(**KERNEL)
def scan(text, width, y, ptr, col, val, unsettled):
    """Fills y, ptr (row starts), col (from 0), val and unsettled (start, slot; label r has slot -1 - r).

    text ends in a newline; y, col, val have room for a row a newline and an entry a colon. What comes back: rows, entries,
    unsettled numbers, what is wrong and where.
    """
    i, row, entry, doubts = 0, 0, 0, 0
    ptr[0] = 0
    while i < len(text):
        while blank(text[i]):
            i += 1
        if text[i] != 10 and text[i] != 35:
            start = i
            y[row], i, certain = decimal(text, i)
            if not (certain and ends(text[i])):
                unsettled[doubts, 0], unsettled[doubts, 1] = start, -1 - row
                doubts += 1
                while not ends(text[i]):
                    i += 1
            last = 0
            while True:
                while blank(text[i]):
                    i += 1
                if text[i] == 10 or text[i] == 35:
                    break
                start = i
                if text[i] == 113 and text[i + 1] == 105 and text[i + 2] == 100:  # qid
                    return row, entry, doubts, QUERY, start
                number, i, wrong = index(text, i)
                if wrong == FINE and number <= last:
                    wrong = NOT_ASCENDING
                if wrong == FINE and number > width:
                    wrong = TOO_WIDE
                if wrong != FINE:
                    return row, entry, doubts, wrong, start
                last = number
                col[entry] = number - 1
                i += 1
                start = i
                val[entry], i, certain = decimal(text, i)
                if not (certain and ends(text[i])):
                    unsettled[doubts, 0], unsettled[doubts, 1] = start, entry
                    doubts += 1
                    while not ends(text[i]):
                        i += 1
                entry += 1
            row += 1
            ptr[row] = entry
        while text[i] != 10:
            i += 1
        i += 1
    return row, entry, doubts, FINE, i
