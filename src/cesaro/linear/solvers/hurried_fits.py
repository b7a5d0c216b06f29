"""Models in a hurry: those that had not begun when Ctrl-C came, or when the time was over.

Some rows have to do, over the columns that these have. Models that share rows and weights share the sample. Nothing is
proved of them; their objectives are those of all rows. What there is no time for, or what turns out worse, is the best
constant: a class of which nothing is known must not win over others because its score is 0.
"""

import math
import time
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from cesaro.linear.problem.csr import Rows, compacted, rows_at
from cesaro.linear.problem.empty_columns import spread
from cesaro.linear.problem.problem import Fit, History, Problem, objective
from cesaro.linear.solvers.best_constant import best_constant
from cesaro.linear.solvers.settings import Settings

ENTRIES = 10**6  # of the rows that all models in a hurry see together
FEWEST = 500  # rows of one
EPOCHS = 3  # over them
PATIENCE, SEARCHING = 0.1, 0.05  # seconds for all of them at most, and in a search, which a final fit follows
LEAST = 0.03  # seconds at least, where the time is over
Solve = Callable[[list[Problem], Settings], list[Fit]]


def hurried(
    groups: list[list[Problem]], at_zero: list[list[float]], how: Settings, solve: Solve, status: str, measure: bool
) -> list[list[Fit]]:
    """Fits of groups of problems, each solved by one call; all have the same rows, and those of a group the same weights.

    `measure` tells whether their objectives matter.
    """
    now, models = time.perf_counter(), sum(map(len, groups))
    patience = PATIENCE if measure else SEARCHING
    until = now + patience if status == "interrupted" else now + min(patience, max(LEAST, how.deadline - now))
    settings = how._replace(max_iter=EPOCHS, time_limit=None, deadline=math.inf, stop=None)
    fits, samples, longest = list[list[Fit]](), dict[int, Sample](), 0.0
    rows = groups[0][0].rows if groups else None
    X = all_rows(rows) if measure and rows else None
    nothing = np.zeros(rows.width if rows else 0)
    for problems, zero in zip(groups, at_zero, strict=True):
        begun, v = time.perf_counter(), problems[0].v
        if fits and begun + longest > until:
            fits.append(
                [without_features(*each, nothing, status, measure) for each in zip(problems, zero, strict=True)]
            )
            continue
        if id(v) not in samples:
            samples[id(v)] = Sample(problems[0].rows, v, models, how.seed)
        places, width = samples[id(v)].places, problems[0].rows.width
        found = [spread(fit, places, width) for fit in solve(samples[id(v)].of(problems), settings)]
        fits.append([published(*each, nothing, status, X) for each in zip(problems, zero, found, strict=True)])
        longest = max(longest, time.perf_counter() - begun)
    return fits


class Sample:
    """Some of the rows."""

    def __init__(self, rows: Rows, v: np.ndarray, models: int, seed: int):
        size = max(FEWEST, ENTRIES * rows.n // (max(1, len(rows.col)) * models))
        exist = np.flatnonzero(v)
        self.which = exist[some_of(len(exist), size, seed)]
        self.v, self.places = v[self.which], None
        self.rows, used = compacted(rows_at(rows, self.which.astype(np.uint32)))
        if used is not None:
            self.places = np.append(used, [rows.d] * (rows.width - rows.d)).astype(np.intp)

    def of(self, problems: list[Problem]) -> list[Problem]:
        """The problems on these rows."""
        return [p._replace(rows=self.rows, y=p.y[self.which], v=self.v, layout=None) for p in problems]


def some_of(n: int, size: int, seed: int) -> np.ndarray:
    """Numbers of at most `size` of n rows, ascending."""
    return np.arange(n) if n <= size else np.sort(np.random.default_rng(seed).choice(n, size, replace=False))


def published(
    problem: Problem, at_zero: float, fit: Fit, nothing: np.ndarray, status: str, X: sp.csr_array | None
) -> Fit:
    """A fit to a sample as one of the whole problem: its objective over all rows X, if they are given."""
    least = without_features(problem, at_zero, nothing, status, X is not None)
    value = at_zero if X is None else objective_by_scipy(problem, X, fit.w)
    if not (value <= least.objective and np.isfinite(fit.w).all()):
        return least
    return _unproved(fit.w, at_zero, value, fit.n_iter, problem.rows.n, status)


def without_features(problem: Problem, at_zero: float, nothing: np.ndarray, status: str, measure: bool) -> Fit:
    """The best constant, or w = 0 where objectives do not matter: that is `nothing`, which all of them share."""
    w, value = (best_constant(problem) if measure else None) or (nothing, at_zero)
    return _unproved(w, at_zero, value, 0, problem.rows.n, status)


def _unproved(w: np.ndarray, at_zero: float, value: float, epochs: int, n: int, status: str) -> Fit:
    history = History()
    history.add(0, 0.0, at_zero, 0.0, n)
    if epochs:
        history.add(epochs, 0.0, min(value, at_zero), 0.0, n)
    return Fit(w, value, 0.0, epochs, history.columns(), status)


def all_rows(rows: Rows) -> sp.csr_array:
    """The rows as SciPy has them, without a copy of their entries."""
    index = np.int32 if len(rows.col) < 2**31 else np.int64
    parts = (rows.data, rows.col.view(np.int32).astype(index, copy=False), rows.ptr.astype(index))
    return sp.csr_array(parts, shape=(rows.n, rows.d))


def objective_by_scipy(problem: Problem, X: sp.csr_array, w: np.ndarray) -> float:
    """The objective, without a kernel: to compile one now would take longer than everything else."""
    rows, d = problem.rows, problem.rows.d
    p = X @ w[:d] + (rows.bias * w[d] if rows.bias else 0.0)
    mean = float(problem.v @ problem.loss.value(p, problem.y) / problem.v.sum())
    penalized = w if problem.penalize_intercept else w[:d]
    return float(objective(mean, penalized, problem.mu, problem.l1, d))
