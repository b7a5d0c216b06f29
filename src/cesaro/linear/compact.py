"""Columns without any entry: their weights are zero, so a problem with many of them is solved without them."""

import numpy as np

from cesaro.linear.rows import Fit, Problem


def compact(problems: list[Problem]) -> tuple[list[Problem], np.ndarray | None]:
    """The problems (on the same rows) without unused columns, and where the others were; None if nothing is gained."""
    rows = problems[0].rows
    if rows.d <= len(rows.data) + 1000:
        return problems, None
    columns, col = np.unique(rows.col, return_inverse=True)
    fewer = rows._replace(col=col.astype(rows.col.dtype), d=max(1, len(columns)))
    places = np.append(columns if len(columns) else [0], [rows.d] * (rows.bias != 0.0)).astype(np.intp)
    return [problem._replace(rows=fewer) for problem in problems], places


def spread(fit: Fit, places: np.ndarray | None, width: int) -> Fit:
    """The fit in all columns."""
    if places is None:
        return fit
    w = np.zeros(width)
    w[places] = fit.w
    return fit._replace(w=w)
