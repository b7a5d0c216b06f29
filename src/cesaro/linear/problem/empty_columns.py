"""Columns without any entry: their weights are zero, so a problem with many of them is solved without them."""

from typing import NamedTuple

import numpy as np

from cesaro.linear.problem.csr import Rows, compacted
from cesaro.linear.problem.problem import Fit, Problem

ENTRIES = 16  # a column, up to which a look for columns without any is worth its time


class UsedColumns(NamedTuple):
    """Those of d columns that have entries."""

    used: np.ndarray
    d: int

    def spread(self, values: np.ndarray) -> np.ndarray:
        """What each row of values, of the used columns, is in all of them."""
        found = np.zeros((len(values), self.d))
        found[:, self.used] = values
        return found


def compact(problems: list[Problem]) -> tuple[list[Problem], np.ndarray | None]:
    """The problems (on the same rows) without unused columns, and where the others were; None if nothing is gained."""
    fewer, places = over_used_columns(problems[0].rows)
    return problems if places is None else [problem._replace(rows=fewer) for problem in problems], places


def over_used_columns(rows: Rows) -> tuple[Rows, np.ndarray | None]:
    """The same for rows; the places are of weights, the intercept's among them."""
    fewer, used = compacted(rows, ENTRIES)
    if used is None:
        return rows, None
    return fewer, np.append(used, [rows.d] * (rows.width - rows.d)).astype(np.intp)


def spread(fit: Fit, places: np.ndarray | None, width: int) -> Fit:
    """The fit in all columns."""
    if places is None:
        return fit
    w, known = np.zeros(width), fit.intercept
    w[places] = fit.w
    return fit._replace(w=w, intercept=None if known is None else known.at(places[:-1], width - 1))
