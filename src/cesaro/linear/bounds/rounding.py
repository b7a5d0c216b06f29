"""What rounding may do to a bound: the errors of sums, from above, in the worst case.

An addition or a product of floats is off by at most U times its result. So a sum of n terms, one after the other, is off by
at most n U times the sum of their sizes; in blocks (`problem.compensated_sum`) by `BLOCK` U times that, however many terms
there are. NumPy's sum of a vector is pairwise: less than `PAIRWISE` roundings.

A lower bound is computed from quantities made worse by what they may be off by, and is then below the optimum of the data as
they are stored. `docs/reliability.md` states what is promised, and what was counted.
"""

import math

import numpy as np

from cesaro.linear.problem.compensated_sum import BLOCK
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.problem.scales import largest_entry

U = float(np.finfo(float).eps) / 2.0  # half the distance from 1 to the next float
TERM = 64  # roundings in one term: a loss, a conjugate, a product of weights (whose sum may be off by `PAIRWISE`)
PAIRWISE = 64  # roundings in NumPy's sum of at most 2^40 entries, and a few more
LARGE = 1e280  # a sum of squares beyond it, or below its inverse, is taken in another unit


def norm(x: np.ndarray) -> float:
    """|x|, not below the true value and above it by no more than rounding, of whatever size its entries are."""
    with np.errstate(over="ignore", under="ignore"):
        square, unit = float(np.square(x).sum()), 1.0
        if not 1.0 / LARGE <= square <= LARGE:
            unit = float(np.abs(x).max(initial=0.0))
            square = float(np.square(x / unit).sum()) if 0.0 < unit < math.inf else 1.0
    return unit * math.sqrt(square) * (1.0 + PAIRWISE * U)


def sum_error(terms: float, size: float) -> float:
    """What a sum of so many terms, whose sizes sum to `size`, may be off by; with blocks however many there are."""
    return (min(float(terms), BLOCK) + TERM) * U * size


def products_of_a_row(problem: Problem) -> int:
    """Entries of the fullest row; without entries, which may be elsewhere, all columns."""
    ends = problem.rows.ptr
    return int(np.diff(ends).max(initial=0)) if ends[-1] else problem.rows.d


def objective_error(problem: Problem, w: np.ndarray, objective: float) -> float:
    """What the objective of a classifier at w may be off by: docs/proofs.md, section 12.

    Each loss is that of a prediction of so many products. Some solvers sum losses one row after the other, and BLAS the
    squares of w in an order of its own.
    """
    loss, terms, sums = dual_form(problem.loss), products_of_a_row(problem), problem.rows.n + problem.rows.d
    slope = loss.largest_slope
    if slope == math.inf:
        slope = (1.0 + math.sqrt(1.0 + 2.0 * loss.bend * objective)) / loss.bend
    predictions = largest_entry(problem) * float(np.abs(w).sum())
    rounded = (terms + BLOCK + TERM) * U * (objective + slope * (1.0 + predictions)) + sums * U * objective
    return rounded + 4.0 * _outside(problem, w)


def _outside(problem: Problem, w: np.ndarray) -> float:
    """By what part of the radius rounding may have left w outside the ball."""
    if problem.radius == math.inf:
        return 0.0
    return max(0.0, norm(w if problem.penalize_intercept else w[: problem.rows.d]) / problem.radius - 1.0)


def relative_error(problem: Problem, w: np.ndarray, objective: float) -> float:
    """That of the objective, in units of it; a number in any case."""
    return min(1e300, objective_error(problem, w, objective) / max(objective, 1e-300))
