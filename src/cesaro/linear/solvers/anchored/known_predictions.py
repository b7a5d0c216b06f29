"""Predictions that an evaluation of many classes has made: what bounds on their intercepts need, and need not make again."""

import numpy as np

from cesaro.compiled.vector_ops import zeros
from cesaro.linear.bounds.intercept_interval import reach_of
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.problem import Fit, InterceptBound, Problem
from cesaro.linear.solvers.anchored import records
from cesaro.linear.solvers.anchored.records import Q


class KnownPredictions:
    """Of classes at the points that were evaluated last, and the lengths of the rows."""

    def __init__(self, rows: Rows, record: np.ndarray, order: np.ndarray, classes: int, asked: bool):
        """No squared norm of the records is known yet; all will be, if anything is `asked`."""
        self.P = zeros((rows.n if asked else 0, classes))
        self.are_of_best, self.lengths = np.zeros(classes, bool), np.zeros(0)
        if asked:
            records.mean_square(rows._replace(bias=0.0), record, order)
            self.lengths = np.sqrt(np.maximum(record[:, Q], 0.0))
            record[order, Q] += rows.bias * rows.bias

    def of(self, running: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Which classes' are to be written, and where to."""
        kept = np.zeros(len(self.are_of_best), bool)
        kept[running] = True
        return kept, self.P

    def with_bound(self, problem: Problem, fit: Fit, c: int) -> Fit:
        """The fit of class c with the bound on its intercept, if its predictions are known."""
        if not (len(self.P) and self.are_of_best[c]) or fit.status == "interrupted":
            return fit
        reach = reach_of(problem, fit, self.P[:, c].copy(), self.lengths)
        nowhere = np.broadcast_to(0.0, problem.rows.d)  # no memory, the pages of which would be mapped one by one
        return fit._replace(intercept=InterceptBound(nowhere, reach))
