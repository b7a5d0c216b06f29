"""Models of every fold and alpha, then the best alpha.

Many rows: all of them share a few epochs (one_pass.py), good enough to compare. Few rows: each is solved to `tol`,
since then a fit is cheap and a row more or less can decide.
"""

import time
from typing import Any, NamedTuple

import numpy as np

from cesaro.linear.model_selection.folds import Fold
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.problem import TWO_CLASSES, Fit, Problem, make_problem, value_at_zero
from cesaro.linear.problem.scales import EVEN, column_sizes, uneven_factor
from cesaro.linear.solvers.driver import Report
from cesaro.linear.solvers.hurried_fits import some_of
from cesaro.linear.solvers.parallel import solve_all
from cesaro.linear.solvers.progress import begin
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import Loss

FEW = 500  # rows
LARGE = 1e15  # an entry up to which single precision is good enough
ROWS, LEAST = 500_000, 2000  # rows for all models together, and at least for each, where there is little time
ENTRIES, FEWEST = 100_000, 200  # of rows that are scored then, and so many rows whatever their length
SHARE = 0.75  # of a time limit, for the search; the rest is for the final fit


class Task(NamedTuple):
    """What a fold learns from: target columns, and weights of the rows."""

    columns: list[np.ndarray]
    v: np.ndarray


class Search(NamedTuple):
    """What is searched over, and how."""

    settings: Settings
    loss: Loss
    alphas: np.ndarray
    l1_ratio: float
    radius: float
    penalize_intercept: bool
    units: np.ndarray | None = None  # of alpha, for each target column: `Loss.alpha_unit`; None: 1
    least_unit: float = TWO_CLASSES  # `Problem.least_unit`

    def problem(self, rows: Rows, y: np.ndarray, v: np.ndarray, alpha: float, column: int) -> Problem:
        """The problem of one alpha."""
        unit = 1.0 if self.units is None else float(self.units[column])
        made = make_problem(rows, y, v, self.loss, alpha, self.l1_ratio, self.radius, self.penalize_intercept, unit)
        return made._replace(least_unit=self.least_unit)

    @property
    def unit(self) -> float | None:
        """The one unit of alpha, where all columns have the same, and the L1 term need not differ from the L2 term."""
        units = np.ones(1) if self.units is None else np.unique(self.units)
        return float(units[0]) if len(units) == 1 and (self.l1_ratio == 0.0 or units[0] == 1.0) else None


class Found(NamedTuple):
    """Models (folds, alphas, columns, width); predictions of held-out rows (n, alphas, columns) if they came along."""

    W: np.ndarray
    held_out: np.ndarray | None
    settings: Settings  # of the final fit
    scored: np.ndarray | None = None  # which rows to score on, and `held_out` is of, if not all: where there is no time
    places: np.ndarray | None = None  # of the weights, where W has not all of them
    known: np.ndarray | None = None  # (folds, alphas, columns): the models that are not w = 0; None: all

    def among(self, places: np.ndarray | None) -> "Found":
        """The same where the weights of all columns searched have these places among more; None: they are all."""
        if places is None:
            return self
        return self._replace(places=places if self.places is None else places[self.places])

    def weights(self, fold: int, d: int) -> np.ndarray:
        """Of the models of a fold, (alphas, columns, width): all of them."""
        W = self.W[fold]
        if self.places is None:
            return W
        full = np.zeros((*W.shape[:2], d + int(self.places[-1] == d)), W.dtype)
        full[..., self.places] = W
        return full


def obstacle(search: Search, rows: Rows, columns: list[np.ndarray], v: np.ndarray, folds: list[Fold]) -> str:
    """Why the models cannot share epochs (`path`), or few epochs would not be good enough; empty if nothing is in the way."""
    how = search.settings
    plain = how.averaging == "auto" and how.anchor == "auto" and how.batch_size == 1 and search.radius == np.inf
    if not (plain and how.solver in ("anchored", "gda") and how.sampling == "reshuffle"):
        return "of the solver's settings, or the radius"
    if search.l1_ratio == 1.0:  # a pass needs strong convexity
        return "l1_ratio=1"
    if search.unit is None:
        return "the targets differ in the unit of alpha"
    if not all(((fold.v == 0.0) | (fold.v == v)).all() for fold in folds):
        return "a fold names a row twice"
    if rows.n <= FEW:
        return f"{rows.n} rows are few"
    if max(np.abs(y).max() for y in columns) >= LARGE:
        return "the targets are too large for single precision"
    return _unevenness(rows, v, float(search.alphas.min()) * (1.0 - search.l1_ratio))


def _unevenness(rows: Rows, v: np.ndarray, mu: float) -> str:
    """Whether columns that count are of very different scales, or of one that is not for float32."""
    top = column_sizes(rows)
    top = top[top > 0.0]
    if len(top) == 0:
        return "X is zero"
    if not uneven_factor(rows, v, mu) <= EVEN:  # few epochs would not be good enough
        return f"the largest entries of two columns differ by a factor of {top.max() / top.min():.3g}"
    return "" if top.min() > 1.0 / LARGE and top.max() < LARGE else "X is too large or small for single precision"


def one_at_a_time(search: Search, rows: Rows, tasks: list[Task]) -> Found:
    """Each model to `tol`."""
    settings, begun = search.settings, time.perf_counter()
    problems = [
        search.problem(rows, y, task.v, alpha, column)
        for task in tasks
        for alpha in search.alphas
        for column, y in enumerate(task.columns)
    ]
    limit = settings.time_limit if settings.time_limit is None else max(0.0, settings.ends - begun)
    mine = settings._replace(time_limit=None if limit is None else SHARE * limit)
    at_zero = _values_at_zero(problems)
    progress = begin(len(problems), mine.max_iter, mine.tol, search.least_unit * max(at_zero))
    solve = along_alphas if search.l1_ratio > 0.0 and mine.solver == "anchored" else solve_all
    try:
        fits = solve(problems, at_zero, mine, [None] * len(problems), progress, measure=False)
    finally:
        progress.close()
    W, known = _models(fits, (len(tasks), len(search.alphas), len(fits) // len(tasks) // len(search.alphas)))
    left = None if limit is None else max(0.0, limit - time.perf_counter() + begun)
    settings, scored = settings._replace(time_limit=left, searched=True), None
    if any(fit.status == "interrupted" for fit in fits):
        settings = settings._replace(max_iter=1, interrupted=True)
    if settings.interrupted or any(fit.status == "time_limit" for fit in fits):
        scored = np.zeros(rows.n, dtype=bool)
        size = min(max(LEAST, ROWS // len(problems)), max(FEWEST, ENTRIES * rows.n // max(1, len(rows.col))))
        scored[some_of(rows.n, size, settings.seed)] = True
    return Found(W, None, settings, scored, known=known)


def _values_at_zero(problems: list[Problem]) -> list[float]:
    """The objectives at w = 0: without a penalty there, they are those of all alphas."""
    known: dict[tuple[int, int], float] = {}
    for p in problems:
        if (id(p.y), id(p.v)) not in known:
            known[id(p.y), id(p.v)] = value_at_zero(p)
    return [known[id(p.y), id(p.v)] for p in problems]


def _models(fits: list[Fit], shape: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray | None]:
    """Their weights, and which have any if not all: the memory of the others is not touched."""
    W = np.zeros((len(fits), len(fits[0].w)))
    known = np.array([fit.n_iter > 0 or fit.status not in ("interrupted", "time_limit") for fit in fits])
    for k in np.flatnonzero(known):
        W[k] = fits[k].w
    return W.reshape(*shape, -1), None if known.all() else known.reshape(shape)


def along_alphas(
    problems: list[Problem],
    at_zero: list[float],
    settings: Settings,
    starts: list[Any],
    report: Report,
    measure: bool = True,
) -> list[Fit]:
    """`solve_all` from the largest penalty to the smallest, each from the solution with the one before.

    With L1 the larger penalty has fewer weights, and its solution is a good start for the next.
    """
    levels, fits, begun = sorted({p.l1 for p in problems}, reverse=True), dict[int, Fit](), time.perf_counter()
    of_series: dict[int, Any] = {}  # the last state of each series of problems that differ in their penalty only
    for done, l1 in enumerate(levels):
        here = [k for k, p in enumerate(problems) if p.l1 == l1]
        mine = settings
        if settings.time_limit is not None:
            left = max(0.0, settings.time_limit - (time.perf_counter() - begun))
            mine = settings._replace(time_limit=left / (len(levels) - done))
        begin_from = [of_series.get(place, starts[k]) for place, k in enumerate(here)]

        def report_of(model: int, *found: Any, here: list[int] = here) -> None:
            report(here[model], *found)

        values = [at_zero[k] for k in here]
        found = solve_all([problems[k] for k in here], values, mine, begin_from, report_of, measure=measure)
        fits |= dict(zip(here, found, strict=True))
        of_series = {place: fit.state for place, fit in enumerate(found)}
        if any(fit.status == "interrupted" for fit in found):
            settings = settings._replace(max_iter=1)
    return [fits[k] for k in range(len(problems))]
