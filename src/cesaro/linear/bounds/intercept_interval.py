"""How far the optimum's predictions can be from a model's, where the intercept bears no penalty.

A duality gap bounds |w - w*| by r = sqrt(2 gap / mu), but says nothing about the intercept directly. With dual values
that sum to -k n, k > 0, the mean loss is at least D - <g, w> + k c; so with d = w* - w, t = c* - c and e = g - mu w

    k t <= N + <e, d>,    N = f(w, c) - (mu/2 |w|^2 + D - <g, w> + k c)    and    <x, d> + t <= |x + e/k| r + N/k .

Near the optimum dual values as good as any sum to zero, and few rows need to change for a k with N/k << r: then -e/k is
the mean of those rows, from which x is measured. A sum of k n gives the other side.

Where no dual values are known: some w' within r of w has f(w', c*) <= f(w, c). At c + t every such w' has at least

    mu/2 (|w| - r)_+^2 + mean_i v_i phi(p_i + t + y_i |x_i| r, y_i)

if phi falls with y p, as the losses of labels do. This is convex in t, so where it exceeds f(w, c) the optimum is nearer.
"""

import math
from collections.abc import Callable

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL
from cesaro.compiled.vector_ops import dot_rows, padded, zeros
from cesaro.dual_form import LOGISTIC
from cesaro.linear.bounds.free_intercept import Plane
from cesaro.linear.bounds.rounding import PAIRWISE, TERM, U, norm, objective_error, products_of_a_row
from cesaro.linear.problem.csr import margin, span, square, without_redundant_arrays
from cesaro.linear.problem.problem import Fit, InterceptBound, Problem
from cesaro.linear.problem.scalar_losses import dual_form, value

DOUBLINGS, HALVINGS = 130, 3  # tries at larger and larger distances, and at some between the last two
SOME = 512  # columns


def upper_bound(problem: Problem, w: np.ndarray, objective: float) -> float:
    """Of the optimum: the objective at w, and what it may be off by."""
    return (objective + objective_error(problem, w, objective)) * (1.0 + 2.0 * U)


def bound_from_planes(
    planes: dict[float, Plane], w: np.ndarray, bias: float, mu: float, r: float, upper: float
) -> InterceptBound | None:
    """The bound from a plane that falls (side -1) and one that rises (side 1) with the intercept; None if one does not.

    `upper` is at least the objective at w, whose last entry is the intercept's, with the constant feature `bias`.
    """
    centers, reaches, size = {}, [], norm(w)
    penalty = mu / 2.0 * norm(w[:-1]) ** 2
    for side, (D, g, lost) in planes.items():
        k, off = -side * float(g[-1]) / bias, (lost + 4.0 * U * abs(float(g[-1]))) / bias
        if not k > 2.0 * off:
            return None
        e, length = g[:-1] - mu * w[:-1], norm(g)
        lost += 4.0 * U * (length + mu * size)
        above = upper - penalty - D + float((g * w).sum()) + lost * size
        above += 4.0 * PAIRWISE * U * (upper + penalty + abs(D) + length * size)
        centers[side] = e * (-side / k)
        far = norm(centers[side])
        reaches.append((max(0.0, above) + lost * r) / (k - off) + r * far * (off / (k - off) + 4.0 * U))
    center, apart = (centers[-1.0] + centers[1.0]) / 2.0, norm(centers[1.0] - centers[-1.0]) / 2.0
    apart += 4.0 * U * (norm(center) + apart)
    return InterceptBound(center, (max(reaches) + r * apart) * (1.0 + PAIRWISE * U))


def intercept_reach(problem: Problem, fit: Fit) -> float:
    """A bound on |c - c*|, in units of predictions, without dual values; infinite where there is none."""
    return intercept_reaches([problem], [fit])[0]


def intercept_reaches(problems: list[Problem], fits: list[Fit]) -> list[float]:
    """Of several problems on the same rows, which are read once for all of them."""
    one, models = problems[0], len(problems)
    rows, empty = one.rows, np.empty if one.layout is None else one.layout.empty
    P, lengths = empty((models, rows.n)), empty(rows.n)
    if models == 1:
        predictions(rows, rows._replace(bias=0.0), fits[0].w, P[0], lengths)
    else:
        W, room = zeros((rows.d + 1, padded(models, np.float64))), np.empty(padded(models, np.float64))
        write_columns([fit.w for fit in fits], W)
        rows = without_redundant_arrays(rows)
        predictions_of_models(rows, rows._replace(bias=0.0), W, room, P, lengths)
    return [reach_of(problem, fit, p, lengths) for problem, fit, p in zip(problems, fits, P, strict=True)]


def reach_of(problem: Problem, fit: Fit, p: np.ndarray, lengths: np.ndarray) -> float:
    """Of a fit, from its predictions, and the lengths of the rows without the constant feature."""
    upper = upper_bound(problem, fit.w, fit.objective)
    gap = max(0.0, upper - fit.lower_bound)
    if not (problem.mu > 0.0 and math.isfinite(gap)):
        return math.inf
    r = math.sqrt(2.0 * gap / problem.mu) * (1.0 + 8.0 * U)
    first, least = r * float(lengths[:: max(1, len(lengths) // 1000)].mean()) + 1e-3, least_objective(problem, fit.w, r)
    return max(_nearest(lambda t: least(p, lengths, t) > upper, side, first) for side in (-1.0, 1.0))


def least_objective(problem: Problem, w: np.ndarray, r: float) -> Callable[[np.ndarray, np.ndarray, float], float]:
    """A lower bound of the objective within r of w, with the intercept changed by t, of predictions, lengths and t.

    Each prediction is taken to be further off, on the side where the loss is less, than what rounding may have done to it.
    """
    length, off = norm(w[:-1]), 2.0 * (products_of_a_row(problem) + 8) * U
    penalty = problem.mu / 2.0 * max(0.0, length * (1.0 - 4.0 * PAIRWISE * U) - r) ** 2
    stretched, c = r + off * (length + r), abs(problem.rows.bias * float(w[-1]))
    summed, loss = 1.0 - 2.0 * (problem.rows.n + TERM) * U, dual_form(problem.loss)

    def least(p: np.ndarray, lengths: np.ndarray, t: float) -> float:
        mean = least_mean_loss(problem.y, problem.v, loss, p, lengths, stretched, t, off * (c + abs(t)))
        return float((penalty + mean) * summed)

    return least


def reach_seconds(problem: Problem) -> float:
    """About how long `intercept_reach` takes."""
    row = 100.0 if dual_form(problem.loss).kind == LOGISTIC else 10.0
    return 1e-9 * (1.2 * len(problem.rows.col) + row * problem.rows.n)


def _nearest(excluded: Callable[[float], bool], side: float, first: float) -> float:
    """A distance on this side from which on all is excluded, not much larger than the least such; infinite without one."""
    low, high = 0.0, first
    for _ in range(DOUBLINGS):
        if excluded(side * high):
            break
        low, high = high, 2.0 * high
    else:
        return math.inf
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (low, middle) if excluded(side * middle) else (middle, high)
    return high


@njit(**KERNEL)
def predictions(rows, features, w, p, lengths):
    """The rows' predictions, and the lengths of `features`, the rows without the constant one."""
    for i in range(p.shape[0]):
        p[i] = margin(rows, np.uint32(i), w)
        lengths[i] = math.sqrt(square(features, np.uint32(i)))


@njit(**KERNEL)
def predictions_of_models(rows, features, W, m, P, lengths):
    """The same for models side by side, W (d + 1, L): P (models, n); m (L,) is room."""
    for i in range(P.shape[1]):
        row = np.uint32(i)
        start, stop = span(rows, row)
        for c in range(W.shape[1]):
            m[c] = rows.bias * W[rows.d, c]
        dot_rows(m, rows.data, rows.col, start, stop, W, (0, 0))
        for c in range(P.shape[0]):
            P[c, i] = m[c]
        lengths[i] = math.sqrt(square(features, row))


def write_columns(points: list[np.ndarray], W: np.ndarray) -> None:
    """W[:, c] = points[c], some columns after the other: whole cache lines."""
    for first in range(0, len(W), SOME):
        here = slice(first, first + SOME)
        for c, w in enumerate(points):
            W[here, c] = w[here]


@njit(**KERNEL)
def least_mean_loss(y, v, loss, p, lengths, r, t, off):
    """A lower bound of the mean loss within r of w, with the intercept changed by t; predictions may be `off`."""
    total, weight = 0.0, 0.0
    for i in range(p.shape[0]):
        total += v[i] * value(loss, p[i] + t + y[i] * (r * lengths[i] + off), y[i])
        weight += v[i]
    return total / weight
