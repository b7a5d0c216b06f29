"""What is solved, what a solver gives back, and the three notions that all of them share.

Problem, Fit, History; the objective, the relative duality gap, the stopping rule.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from cesaro.linear.problem.block_order import pieces
from cesaro.linear.problem.csr import Rows
from cesaro.losses import Loss

SMALL = 1e-280  # below it, and above its inverse, a sum of squares has lost digits
TWO_CLASSES, ONE_VS_REST = 1e-3, 0.1  # the least unit of a relative gap, as a part of the objective at w = 0


class Problem(NamedTuple):
    """mu/2 |w|^2 + l1 |w|_1 + sum_i v_i loss(<x_i, w>, y_i) / sum_i v_i  over |w| <= radius.

    The intercept, the last entry of w where rows.bias is not 0, bears no L1; with `penalize_intercept=False` it bears
    no L2 either, and the ball does not bind it.
    """

    rows: Rows
    y: np.ndarray  # float64 (n,): -1/+1, or targets
    v: np.ndarray  # float64 (n,): sample weights, not negative; a row with weight 0 does not exist
    loss: Loss
    mu: float
    l1: float = 0.0
    radius: float = np.inf
    layout: Any = None  # of rows that lie in a file: block_order.Layout
    least_unit: float = TWO_CLASSES  # of a relative gap, as a part of the objective at w = 0
    penalize_intercept: bool = True
    largest: float | None = None  # entry of the rows, where that is known: `scales`


class History:
    """What a run has found, evaluation by evaluation."""

    COLUMNS = ("epoch", "time", "objective", "lower_bound", "active")

    def __init__(self, rows: Any = ()):
        self.rows = [tuple(map(float, row)) for row in rows]

    def add(self, epoch: int, seconds: float, objective: float, lower_bound: float, active: int) -> None:
        """One more evaluation: the best objective and the best bound so far, and the rows that are active."""
        self.rows.append((float(epoch), seconds, float(objective), float(lower_bound), float(active)))

    def array(self) -> np.ndarray:
        """(evaluations, 5)."""
        return np.array(self.rows, dtype=float).reshape(-1, len(self.COLUMNS))

    def columns(self) -> dict[str, np.ndarray]:
        """By name."""
        return dict(zip(self.COLUMNS, self.array().T, strict=True))

    def __len__(self) -> int:
        return len(self.rows)


class InterceptBound(NamedTuple):
    """Where a free intercept's optimum is: <x, w> + c differs from the optimum's by at most r |x - center| + reach.

    r bounds |w - w*|; c is in units of predictions.
    """

    center: np.ndarray  # (d,)
    reach: float

    def at(self, columns: np.ndarray, d: int) -> "InterceptBound":
        """The same among d columns, of which it has these."""
        center = np.zeros(d)
        center[columns] = self.center
        return self._replace(center=center)


class Fit(NamedTuple):
    """A solver's answer. objective - lower_bound is a proof; lower_bound is -inf where there is none."""

    w: np.ndarray  # float64 (width,)
    objective: float
    lower_bound: float
    n_iter: int  # epochs
    history: dict[str, np.ndarray]  # of History
    status: str  # "converged", "max_iter", "time_limit", "interrupted"
    state: Any = None  # what a warm start or the next partial_fit needs
    intercept: InterceptBound | None = None  # where a solver knows it


def objective(mean_loss: Any, w: np.ndarray, mu: Any, l1: Any = 0.0, d: int | None = None) -> Any:
    """mu/2 |w|^2 + l1 |w|_1 + mean loss, of points (..., width); the first d entries bear the L1 term."""
    with np.errstate(over="ignore", under="ignore"):
        squares = w @ w if w.ndim == 1 else np.einsum("ij,ij->i", w, w)
        penalty = mu / 2.0 * squares
        if not np.all((squares >= SMALL) & (squares <= 1.0 / SMALL)):  # with mu it may be a number
            part = np.sqrt(mu / 2.0) * w
            penalty = part @ part if w.ndim == 1 else np.einsum("ij,ij->i", part, part)
    found = mean_loss + penalty
    if isinstance(l1, float) and l1 == 0.0:
        return found
    return found + l1 * np.abs(w[..., :d]).sum(axis=-1)


def gap_unit(objective: Any, least: Any) -> Any:
    """What a relative gap is relative to: the objective, but at least a part of that at w = 0 (`Problem.least_unit`)."""
    return max(objective, least) if isinstance(objective, float) else np.maximum(objective, least)


def least_unit(classes: int) -> float:
    """Of the problems of a classifier, as a part of their objectives at w = 0.

    A rare class against the rest has a small objective at almost any w. What decides a label is how its score compares
    with others', and for these a gap means the same, whatever the classes' objectives are.
    """
    return TWO_CLASSES if classes == 2 else ONE_VS_REST


def relative_gap(objective: Any, lower_bound: Any, least: Any) -> Any:
    """The duality gap in units of `gap_unit`; 0 where there is no gap."""
    if isinstance(objective, float):
        gap = objective - lower_bound
        return gap / gap_unit(objective, least) if gap > 0.0 else 0.0
    gap = np.maximum(np.subtract(objective, lower_bound), 0.0)
    return np.divide(gap, gap_unit(objective, least), out=np.zeros(np.shape(gap)), where=gap > 0.0)[()]


def is_solved(objective: Any, lower_bound: Any, least: Any, tol: float) -> Any:
    """The stopping rule: the proved relative gap is at most `tol`; never, if that is 0."""
    return (tol > 0.0) & (relative_gap(objective, lower_bound, least) <= tol)


def make_problem(
    rows: Rows,
    y: np.ndarray,
    v: np.ndarray,
    loss: Loss,
    alpha: float,
    l1_ratio: float,
    radius: float,
    penalize_intercept: bool = True,
    unit: float = 1.0,
) -> Problem:
    """The problem in scikit-learn's terms: mu = alpha (1 - l1_ratio) / unit, l1 = alpha l1_ratio; see `Loss.alpha_unit`.

    The intercept's penalty is L2 alone: without mu it has none.
    """
    mu, l1 = float(alpha * (1.0 - l1_ratio)) / float(unit), float(alpha * l1_ratio)
    return Problem(rows, y, v, loss, mu, l1, radius, penalize_intercept=penalize_intercept and mu > 0.0)


def value_at_zero(problem: Problem) -> float:
    """The objective at w = 0; infinite where it overflows."""
    with np.errstate(over="ignore"):
        parts = [(problem.y[piece], problem.v[piece]) for piece in pieces(len(problem.y))]
        means = [np.average(problem.loss.value(0.0, y), weights=v) for y, v in parts if v.any()]
        return float(np.average(means, weights=[v.sum() for _, v in parts if v.any()]))


def differ_in_targets_only(problems: list[Problem]) -> bool:
    """Whether they share rows, weights, loss and penalty, and have neither a ball nor L1."""
    first = problems[0]
    same = all(p.rows is first.rows and p.loss == first.loss and p.mu == first.mu for p in problems)
    return same and all(p.radius == math.inf and p.l1 == 0.0 and np.array_equal(p.v, first.v) for p in problems)
