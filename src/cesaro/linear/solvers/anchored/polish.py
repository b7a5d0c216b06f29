"""The last digits of a small problem: from a good point to the optimum itself, by Newton steps on all rows at once.

With s_i = v_i / sum v, p = X w, b_i = -phi'(p_i) (a subgradient at a kink) the optimum has  mu w = sum_i s_i b_i x_i.
A smooth loss gives damped Newton steps for w. A piecewise linear one has a dual that is quadratic in a box,

    max  sum_i s_i y_i b_i - |sum_i s_i b_i x_i|^2 / (2 mu) ,   lo_i <= b_i <= hi_i ,

which box_qp.py solves; epsilon_insensitive has two such b per row, one for each kink. Epochs are many where few
rows are nearly separable; this needs a handful of dense solves.

A free intercept has no mu. The quadratic programme gives it a small one, about the value that it has; the intercept itself
is then found by an exact line search, and b is shrunk on one side of zero so that it sums to zero.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro.compiled.blas_threads import one_blas_thread
from cesaro.dual_form import DualForm
from cesaro.linear.bounds.rounding import TERM
from cesaro.linear.problem.problem import Fit, History, Problem, is_solved, value_at_zero
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers import driver
from cesaro.linear.solvers.anchored.box_qp import minimise
from cesaro.linear.solvers.anchored.intercept import is_free, penalties, with_best_intercept
from cesaro.linear.solvers.driver import Report
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import CheckpointSlot

PATIENCE = 400  # epochs, before a small problem is polished
DIGITS = 1e-8  # a tolerance from which on it is polished in any case, and sooner
EPS = np.finfo(np.float64).eps
ROUNDS = 5
NEARLY_FREE = 1e-4  # of mu: the penalty of a free intercept in the quadratic programme
LONG = np.longdouble  # proofs are summed with more digits where the machine has them
ENTRIES, WORK = 2 * 10**6, 10**8  # at most: of a dense matrix, multiplications for its Gram matrix


class DualBox(NamedTuple):
    """A piecewise linear loss's dual, for each row: b in [low, high], worth target * b."""

    target: np.ndarray
    low: np.ndarray
    high: np.ndarray


def boxes(loss: DualForm, y: np.ndarray) -> list[DualBox]:
    """The boxes of a piecewise linear loss: one, or one for each side of eps."""
    low, high = loss.bounds(y)
    if loss.eps == 0.0:
        return [DualBox(y, low, high)]
    zero = np.zeros_like(y)
    return [DualBox(y - loss.eps, zero, high + zero), DualBox(y + loss.eps, low + zero, zero)]


class Polished(NamedTuple):
    """A point, its objective and a proved lower bound of the optimum."""

    w: np.ndarray
    objective: float
    lower_bound: float


def suits(problem: Problem) -> bool:
    """Whether the problem is small enough, has any column, and neither L1 nor a ball."""
    n, width = _shape(problem)
    if not (len(problem.rows.col) or problem.rows.bias):
        return False
    small = n * width <= ENTRIES and n * width * min(n, width) <= WORK
    return small and problem.l1 == 0.0 and problem.radius == np.inf


def seconds(problem: Problem) -> float:
    """About how long it takes."""
    n, width = _shape(problem)
    return 0.02 + 2e-8 * n * width * min(n, width)


def _shape(problem: Problem) -> tuple[int, int]:
    return problem.rows.n, min(problem.rows.width, len(problem.rows.data) + 1)


def polish(problem: Problem, w: np.ndarray) -> Polished | None:
    """The optimum, from a point w near it; None where rounding is in the way."""
    there, width = problem.v > 0.0, len(w)
    X, columns = _matrix(problem)
    X, y, s, w = X[there], problem.y[there], problem.v[there] / problem.v.sum(), w[columns]
    loss = dual_form(problem.loss)
    try:
        with np.errstate(all="ignore"), one_blas_thread():
            if loss.linear:
                for _ in range(ROUNDS if is_free(problem) else 1):
                    points, b = _box(problem, X, s, w, boxes(loss, y))
                    if abs(s @ b) <= 16.0 * EPS * (s @ np.abs(b)):
                        break
                    w = points[0]  # the small penalty of the intercept is about a better value then
            else:
                points, b = _newton(problem, X, y, s, w)
            found = _proof(problem, X, y, s, points, b) if np.isfinite(b).all() else None
    except np.linalg.LinAlgError:
        return None
    if found is None:
        return None
    full = np.zeros(width)
    full[columns] = found.w
    return found._replace(w=full)


def _matrix(problem: Problem) -> tuple[sp.csr_array, np.ndarray]:
    """The rows as a sparse matrix of the columns that occur (and the intercept's), and which columns these are."""
    rows = problem.rows
    columns, col = np.unique(rows.col, return_inverse=True)
    parts = (rows.data.astype(np.float64), col.astype(np.int64), rows.ptr.astype(np.int64))
    X: sp.csr_array = sp.csr_array(parts, shape=(rows.n, len(columns)))
    if not rows.bias:
        return X, columns.astype(np.intp)
    constant = sp.csr_array(np.full((rows.n, 1), rows.bias))
    return sp.hstack([X, constant], format="csr"), np.append(columns, rows.d).astype(np.intp)


def _newton(problem: Problem, X, y, s, w) -> tuple[list, np.ndarray]:
    """w and b of a smooth loss, by damped Newton steps for w; the curvature is a difference of slopes."""
    loss, mu, X = problem.loss, penalties(problem, len(w)), X.toarray()
    p = X @ w
    value = (mu * w) @ w / 2.0 + s @ loss.value(p, y)
    for _ in range(60):
        gradient = mu * w + X.T @ (s * loss.slope(p, y))
        h = 1e-6 * np.maximum(1.0, np.abs(p))
        curvature = (loss.slope(p + h, y) - loss.slope(p - h, y)) / (2.0 * h)
        H = X.T @ (X * (s * curvature)[:, None]) + np.diag(mu)
        step, size = -np.linalg.solve(H, gradient), 1.0
        while size > 1e-9:
            new = w + size * step
            p = X @ new
            reached = (mu * new) @ new / 2.0 + s @ loss.value(p, y)
            if reached <= value * (1.0 + 8.0 * EPS):
                break
            size /= 2.0
        w, value = new, reached
        if np.abs(X @ step).max() <= 64.0 * EPS * (1.0 + np.abs(p).max()):
            break
    return [w], -loss.slope(p, y)


def _box(problem: Problem, X, s, w, sides: list[DualBox]) -> tuple[list, np.ndarray]:
    """Candidates for w, and b of a piecewise linear loss; in sqrt(s) b, so that equal rows get equal b."""
    X, mu, offset = X.toarray(), penalties(problem, len(w)), 0.0
    if is_free(problem):
        mu[-1], offset = NEARLY_FREE * problem.mu, w[-1] * X[:, -1]
        sides = [side._replace(target=side.target - offset) for side in sides]
    root = np.tile(np.sqrt(s), len(sides))
    target, low, high = (root * np.concatenate(part) for part in zip(*sides, strict=True))
    A = root[:, None] * np.tile(X, (len(sides), 1)) / np.sqrt(mu)
    x, products = minimise(A, target, low, high)
    parts = zip((x / root).reshape(len(sides), -1), sides, strict=True)
    points = [product / np.sqrt(mu) for product in products]
    if is_free(problem):
        points = [
            with_best_intercept(problem, X, s, point + np.append(np.zeros(len(w) - 1), w[-1])) for point in points
        ]
    return points, sum(np.clip(b, box.low, box.high) for b, box in parts)


def _proof(problem: Problem, X, y, s, points, b) -> Polished | None:
    """The best of the points and the one that b gives, and the dual value at b less what rounding may have added."""
    loss, mu, free = problem.loss, problem.mu, is_free(problem)
    v = problem.v[problem.v > 0.0].astype(LONG)
    X, s, b, part = X.astype(LONG), v / v.sum(), b.astype(LONG), 0.0
    if free:
        heavy = b * np.sign(s @ b) > 0.0
        b[heavy] *= -(s[~heavy] @ b[~heavy]) / (s[heavy] @ b[heavy]) if heavy.any() else 1.0
        part = (
            2.0 * len(y) * float(np.finfo(LONG).eps)
        )  # of one side's dual values, which makes sure of their sum's sign
    g = X.T @ (s * b)
    of_b = (g / mu).astype(np.float64)
    if free:
        g[-1] = 0.0
        of_b = with_best_intercept(problem, X, s, of_b) if dual_form(loss).linear else points[0]
    points = [*points, of_b]
    penalized = penalties(problem, len(g)).astype(LONG)
    values = [(penalized * w) @ w / 2 + s @ loss.value(X @ w, y) for w in points]
    if not np.isfinite(values).any():
        return None
    value, w = values[k := int(np.nanargmin(values))], points[k]
    conjugate = loss.conjugate(-b, y)
    reach = np.abs(g / mu)
    reach[-1] = max(abs(w[-1]), reach[-1])
    sizes = s @ np.abs(conjugate) + reach @ (abs(X).T @ (s * np.abs(b)))
    allowance = ((len(y) + len(w) + TERM) * np.finfo(LONG).eps + 2.0 * part) * sizes
    bound = -(s @ conjugate) - (g @ g) / (2 * mu) - allowance
    return Polished(w, float(value) * (1.0 + 2.0 * EPS), float(bound) * (1.0 - 2.0 * EPS))


def pays(problem: Problem, settings: Settings) -> bool:
    """Whether a run of that many epochs may come to be polished."""
    return settings.tol > 0.0 and settings.max_iter > patience(settings.tol) and suits(problem)


def patience(tol: float) -> int:
    """Epochs, before a small problem is polished."""
    return PATIENCE if tol > DIGITS else PATIENCE // 40


def between_epochs(
    run_epochs: Callable[..., Fit],
    problem: Problem,
    settings: Settings,
    start: Any,
    report: Report | None,
    slot: CheckpointSlot,
) -> Fit:
    """Epochs; a problem with which they are not done in a while, or whose last digits count, is polished."""
    began, tol, limit = time.perf_counter(), settings.tol, settings.time_limit
    fit = run_epochs(problem, settings._replace(max_iter=patience(tol)), start, report, slot)
    if fit.status in ("time_limit", "interrupted") or (fit.status == "converged" and tol > DIGITS):
        return fit
    if limit is None or began + limit > time.perf_counter() + seconds(problem):
        try:
            fit = _polished(problem, fit, tol)
        except KeyboardInterrupt:
            return fit if fit.status == "converged" else fit._replace(status="interrupted")
    if fit.status == "converged":
        return fit
    left = None if limit is None else max(0.0, began + limit - time.perf_counter())
    rest = settings._replace(max_iter=settings.max_iter - fit.n_iter, time_limit=left)
    return driver.joined(fit, run_epochs(problem, rest, fit.state, report, slot.subslot("rest")))


def _polished(problem: Problem, fit: Fit, tol: float) -> Fit:
    """The fit with the polished point and bound where they are better; it counts as one epoch."""
    began, better = time.perf_counter(), polish(problem, fit.w)
    w, objective, lower = fit.w, fit.objective, fit.lower_bound
    if better is not None:
        if better.objective <= objective:
            w, objective = better.w, better.objective
        if better.lower_bound <= objective * (1.0 + 1e-12):
            lower = max(lower, better.lower_bound)
    history = History(np.column_stack(list(fit.history.values())))
    history.add(fit.n_iter + 1, fit.history["time"][-1] + time.perf_counter() - began, objective, lower, problem.rows.n)
    solved = is_solved(objective, lower, problem.least_unit * value_at_zero(problem), tol)
    status = "converged" if solved else "max_iter"
    return Fit(w, objective, lower, fit.n_iter + 1, history.columns(), status, fit.state)
