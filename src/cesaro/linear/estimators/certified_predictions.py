"""Labels that the exact optimum provably shares.

f is mu-strongly convex, so a model w with a proved gap lies within r = sqrt(2 gap / mu) of the optimum w*, and
|<x, w> - <x, w*>| <= |x| r: a label whose margin is larger than that is the optimum's own. With an intercept without a
penalty x is measured from a center, and a reach is added (`bounds.intercept_interval`).
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from cesaro.linear.problem.problem import InterceptBound

EPS = np.finfo(np.float64).eps
LEAST = 1e-300  # of a length; and more than underflow takes from a score
NEAREST = 1e-140  # of a distance: shorter ones are differences of squares that may have vanished


def row_norms(X: Any, bias: float) -> np.ndarray:
    """|x_i| with the intercept's constant feature, not below the true value, nor below `LEAST`."""
    sparse: bool = sp.issparse(X)
    if sparse and not X.has_canonical_format:
        X = X.copy()  # the caller's stays as it is
        X.sum_duplicates()
    unit = np.asarray(abs(X).max(axis=1).todense() if sparse else np.abs(X).max(axis=1), dtype=np.float64).ravel()
    unit = np.maximum(unit, LEAST)  # each row in its own: no square overflows, none that counts vanishes
    X = sp.dia_array((1.0 / unit[None], [0]), shape=(len(unit),) * 2) @ X if sparse else X / unit[:, None]
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse else np.einsum("ij,ij->i", X, X)
    return np.hypot(unit * np.sqrt(np.maximum(squares, 1.0)), bias) * (1.0 + (X.shape[1] + 8) * EPS)


def reaches_and_centers(
    bounds: list[InterceptBound] | None, otherwise: float, models: int
) -> tuple[np.ndarray, np.ndarray | None]:
    """Of all models, or a reach `otherwise`; the centers (models, d) are None where all are zero."""
    if bounds is None:
        return np.full(models, otherwise), None
    some = any(bound.center.any() for bound in bounds)
    return np.array([bound.reach for bound in bounds]), np.array([bound.center for bound in bounds]) if some else None


def distances(X: Any, norms: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """|x_i - center| (n, models), not below the true values; `norms` are |x_i|."""
    lengths = row_norms(centers, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        farthest = norms[:, None] + lengths
        squares = norms[:, None] ** 2 - 2.0 * np.asarray(X @ centers.T) + lengths**2
        found = np.sqrt(np.maximum(squares, 0.0) + (X.shape[1] + 16) * EPS * farthest**2)
    found = np.fmin(found, farthest * (1.0 + 4.0 * EPS))  # the triangle's other side where squares overflow
    return np.maximum(found, NEAREST)


def certified_labels(scores, norms, gap, mu: float, w_norms, terms: int, intercept_reach=0.0):
    """Index of the winning class of each row, and whether the optimum provably has the same one.

    `scores` (n, K) or (n,) for two classes; `norms` (n,) or (n, K); `gap`, `w_norms` and `intercept_reach` one number per
    model; `terms` that a score sums. Without strong convexity, mu = 0, no label is proved.
    """
    if mu == 0.0:
        best = (scores > 0.0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return best, np.zeros(len(scores), dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):
        distance = np.sqrt(2.0 * np.asarray(gap, dtype=float) / mu) + terms * EPS * np.asarray(w_norms)
        reach = np.multiply.outer(norms, distance) if norms.ndim == 1 else norms * distance
        reach = (reach + np.asarray(intercept_reach) + LEAST) * (1.0 + 4.0 * EPS)
    finite = np.isfinite(scores)  # a score that has overflowed says nothing
    if scores.ndim == 1:
        return (scores > 0.0).astype(np.intp), finite & (np.abs(scores) > reach.reshape(len(scores)))
    best = scores.argmax(axis=1)
    rows = np.arange(len(scores))
    rivals = scores + reach
    rivals[rows, best] = -np.inf
    return best, finite.all(axis=1) & (scores[rows, best] - reach[rows, best] > rivals.max(axis=1))
