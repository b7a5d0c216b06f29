"""Small problems: from a good point to the optimum itself, by Newton steps on all rows at once.

With s_i = v_i / sum v, p = X w, b_i = -phi'(p_i) (a subgradient at a kink) the optimum has  mu w = sum_i s_i b_i x_i.
`newton` finds it for smooth losses, `dual_qp` for piecewise linear ones, in a handful of dense solves. Epochs are many where
few rows are nearly separable, or where columns are of different scales: so a small problem gets as many epochs as a
polish costs, and is polished then.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro.compiled.blas_threads import one_blas_thread
from cesaro.dual_form import LOGISTIC
from cesaro.linear.bounds.rounding import TERM
from cesaro.linear.problem.problem import Fit, History, Problem, gap_unit, is_solved, value_at_zero
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.anchored.dual_qp import NEAREST, dual_box, dual_points, with_quantile_intercept
from cesaro.linear.solvers.anchored.intercept import is_free, penalties
from cesaro.linear.solvers.anchored.newton import newton_point
from cesaro.linear.solvers.driver import Report
from cesaro.linear.solvers.joined_fits import continued
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import CheckpointSlot

FEWEST, MOST = 10, 400  # epochs before a small problem is polished
DIGITS = 1e-8  # a tolerance from which on it is polished in any case, to the last digit
LOOSEST = 0.01  # a tolerance: for larger ones a first attempt is no shorter, as steps double the digits
EPS = np.finfo(np.float64).eps
LONG = np.longdouble  # proofs are summed with more digits where the machine has them
ENTRIES, WORK = 2 * 10**6, 10**8  # at most: of a dense matrix, multiplications for its Gram matrix


class Polished(NamedTuple):
    """A point, its objective and a proved lower bound of the optimum."""

    w: np.ndarray
    objective: float
    lower_bound: float


def suits(problem: Problem) -> bool:
    """Whether the problem is small enough, has any column, and neither L1 nor a ball."""
    n, width, least = _shape(problem)
    if not len(problem.rows.col):
        return False
    small = n * width <= ENTRIES and n * width * least <= WORK
    return small and problem.l1 == 0.0 and problem.radius == np.inf


def seconds(problem: Problem) -> float:
    """About how long it takes; where the guess is far off, benchmarks/linear/small_tables.py has a looser tol slower."""
    n, width, least = _shape(problem)
    rows, steps = (min(n, max(NEAREST * width, n // 10)), 60) if dual_form(problem.loss).linear else (n, 10)
    return 1e-3 + 1e-9 * (steps * rows * (60 + 0.15 * width * least) + 60 * n * width)


def patience(problem: Problem) -> int:
    """How many epochs cost about as much, whatever the tolerance: so a looser one is not slower than a tighter one."""
    n, width, _ = _shape(problem)
    epoch = 4e-5 + 1e-9 * n * ((90 if dual_form(problem.loss).kind == LOGISTIC else 15) + 1.2 * width)
    return int(np.clip(seconds(problem) / epoch, FEWEST, MOST))


def _shape(problem: Problem) -> tuple[int, int, int]:
    """Rows, columns, and the size of the equations that are solved."""
    n, width = problem.rows.n, min(problem.rows.width, len(problem.rows.data) + 1)
    return n, width, min(n, width) if dual_form(problem.loss).linear else width


def polish(problem: Problem, w: np.ndarray, enough: float = 0.0, rough: float = 0.0) -> Polished | None:
    """The optimum to `enough`, from a point w near it; None where rounding is in the way."""
    there, width = problem.v > 0.0, len(w)
    X, columns = _matrix(problem)
    y, s = problem.y[there], problem.v[there] / problem.v.sum()
    X = X if len(y) == len(there) else X[there]
    try:
        with np.errstate(all="ignore"), one_blas_thread():
            points, b = _optimum(problem, X, y, s, w[columns], enough, rough)
            found = _proof(problem, X, y, s, points, b, LONG if enough == 0.0 else float)
    except np.linalg.LinAlgError:
        return None
    if found is None:
        return None
    full = np.zeros(width)
    full[columns] = found.w
    return found._replace(w=full)


def _optimum(problem: Problem, X, y, s, w, enough, rough) -> tuple[list, np.ndarray]:
    """Candidates for the optimum, and b. A free intercept takes over the means of the columns meanwhile."""
    X, means = X.toarray(), np.zeros(len(w) - 1)
    if is_free(problem):
        means = s @ X[:, :-1]
        X[:, :-1] -= means
        w = np.append(w[:-1], w[-1] + means @ w[:-1] / problem.rows.bias)
    if dual_form(problem.loss).linear:
        points, b = dual_points(problem, X, y, s, w, enough, rough)
    else:
        point, b = newton_point(problem, X, y, s, w, 1e-3 * enough)
        points = [point]
    if is_free(problem):
        points = [np.append(w[:-1], w[-1] - means @ w[:-1] / problem.rows.bias) for w in points]
    return points, b


def _matrix(problem: Problem) -> tuple[sp.csr_array, np.ndarray]:
    """The rows as a sparse matrix of the columns that occur (and the intercept's), and which columns these are."""
    rows = problem.rows
    occurs = np.zeros(rows.d, bool)
    occurs[rows.col] = True
    columns, col, data = np.flatnonzero(occurs), rows.col.astype(np.int64), rows.data.astype(np.float64)
    if len(columns) < rows.d:
        col = (np.cumsum(occurs) - 1)[col]
    ends, width = rows.ptr.astype(np.int64), len(columns)
    if rows.bias:
        ends += np.arange(len(ends))
        others = np.ones(ends[-1], bool)
        others[ends[1:] - 1] = False
        given, data, col = (data, col), np.full(ends[-1], rows.bias), np.full(ends[-1], width)
        data[others], col[others] = given
        columns, width = np.append(columns, rows.d), width + 1
    X: sp.csr_array = sp.csr_array((data, col, ends), shape=(rows.n, width))
    return X, columns.astype(np.intp)


def _proof(problem: Problem, X, y, s, points, b, real: Any) -> Polished | None:
    """The best of the points and the one that b gives, and the dual value at b less what rounding may have added.

    Sums are of numbers of the type `real`.
    """
    if not np.isfinite(b).all():
        return None
    loss, mu, free = problem.loss, problem.mu, is_free(problem)
    v: Any = problem.v[problem.v > 0.0].astype(real)
    eps = float(np.finfo(real).eps)
    X, s, b, part = X.astype(real, copy=False), v / v.sum(), b.astype(real), 0.0
    if free:  # what one side of zero has too much is taken off; what rounding leaves is at most this part of b
        heavy = b * np.sign(s @ b) > 0.0
        if heavy.any():
            b[heavy] *= min(real(1.0), -(s[~heavy] @ b[~heavy]) / (s[heavy] @ b[heavy]))
        part = 2.0 * len(y) * eps
    g = X.T @ (s * b)
    if free:
        g[-1] = 0.0
        of_b = np.append((g[:-1] / mu).astype(np.float64), points[0][-1])
        points = _with_best_intercepts(problem, X, y, s, [np.zeros_like(of_b), *points, of_b])
    else:
        points = [*points, (g / mu).astype(np.float64)]
    penalized: Any = penalties(problem, len(g)).astype(real)
    values = np.array([(penalized * w) @ w / 2 + s @ loss.value(X @ w, y) for w in points])
    if not np.isfinite(values).any():
        return None
    k = int(np.argmax(values <= np.nanmin(values) * (1.0 + 4.0 * EPS)))  # of equals the first, a constant model
    value, w = values[k], points[k]
    conjugate = loss.conjugate(-b, y)
    reach = np.abs(g / mu)
    reach[-1] = max(abs(w[-1]), reach[-1])
    sizes = s @ (np.abs(conjugate) + 2.0 * np.abs(b * y)) + reach @ (abs(X).T @ (s * np.abs(b)))
    allowance = ((len(y) + len(w) + TERM) * eps + 2.0 * part) * sizes
    bound = -(s @ conjugate) - (g @ g) / (2 * mu) - allowance
    return Polished(w, float(value) * (1.0 + 2.0 * EPS), float(bound) * (1.0 - 2.0 * EPS))


def _with_best_intercepts(problem: Problem, X, y, s, points: list) -> list:
    """The points, each with the intercept that is best for it if the loss is piecewise linear."""
    loss = dual_form(problem.loss)
    if not loss.linear:
        return points
    box, features = dual_box(loss, y), X[:, :-1]
    return [with_quantile_intercept(box, s, features, w[:-1], problem.rows.bias) for w in points]


def pays(problem: Problem, settings: Settings) -> bool:
    """Whether a run of that many epochs may come to be polished."""
    return settings.tol > 0.0 and suits(problem) and settings.max_iter > patience(problem)


def between_epochs(
    run_epochs: Callable[..., Fit],
    problem: Problem,
    settings: Settings,
    start: Any,
    report: Report | None,
    slot: CheckpointSlot,
) -> Fit:
    """Epochs; a problem with which they are not done in a while, or whose last digits count, is polished."""
    tol, ends = settings.tol, settings.ends
    fit = run_epochs(problem, settings._replace(max_iter=patience(problem)), start, report, slot)
    if fit.status in ("time_limit", "interrupted") or (fit.status == "converged" and tol > DIGITS):
        return fit
    if time.perf_counter() + seconds(problem) < ends:
        try:
            fit = _polished(problem, fit, tol)
            if report is not None:
                report(0, fit.n_iter, fit.objective, fit.lower_bound)
        except KeyboardInterrupt:
            return fit if fit.status == "converged" else fit._replace(status="interrupted")
    if fit.status == "converged":
        return fit
    rest = settings._replace(max_iter=settings.max_iter - fit.n_iter, time_limit=None, deadline=ends)
    return continued(fit, lambda: run_epochs(problem, rest, fit.state, report, slot.subslot("rest")))


def _polished(problem: Problem, fit: Fit, tol: float) -> Fit:
    """The fit with the polished point and bound where they are better; it counts as one epoch."""
    began, least = time.perf_counter(), problem.least_unit * value_at_zero(problem)
    unit = gap_unit(fit.objective, least)
    history = History(np.column_stack(list(fit.history.values())))
    w, objective, lower, solved = fit.w, fit.objective, fit.lower_bound, False
    for enough in [0.1 * min(tol, LOOSEST) * unit, 0.0] if tol > DIGITS else [0.0]:
        better = polish(problem, w, enough, 1e-4 * unit)
        if better is not None:
            if better.objective <= objective * (1.0 + 8.0 * EPS):  # of equals the polished one
                w, objective = better.w, min(objective, better.objective)
            if better.lower_bound <= objective * (1.0 + 1e-12):
                lower = max(lower, better.lower_bound)
        solved = bool(is_solved(objective, lower, least, tol))
        if solved:
            break
    history.add(fit.n_iter + 1, fit.history["time"][-1] + time.perf_counter() - began, objective, lower, problem.rows.n)
    return Fit(w, objective, lower, fit.n_iter + 1, history.columns(), "converged" if solved else "max_iter", fit.state)
