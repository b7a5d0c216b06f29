"""The optimum of a small problem by SciPy's SLSQP, from the definition of the loss alone.

w = a - b with a, b >= 0, and a piecewise linear loss is a slack variable above its pieces.
"""

import numpy as np
from scipy.optimize import minimize

from cesaro import losses


def _pieces(loss, y):
    """phi(p) = max of slope p + offset, as pairs of arrays; None for a smooth loss."""
    one = np.ones_like(y)
    match loss:
        case losses.Hinge():
            return [(-y, one)]
        case losses.EpsilonInsensitive(epsilon=e):
            return [(one, -y - e), (-one, y - e)]
        case losses.Quantile(quantile=q):
            return [(-q * one, q * y), ((1 - q) * one, (q - 1) * y)]
    return None


def dense(problem):
    """X with the intercept's column."""
    rows = problem.rows
    X = np.zeros((rows.n, rows.width))
    for i in range(rows.n):
        lo, hi = int(rows.ptr[i]), int(rows.ptr[i + 1])
        X[i, rows.col[lo:hi]] = rows.data[lo:hi]
    if rows.bias:
        X[:, -1] = rows.bias
    return X


def objective(problem, w):
    """The problem's objective at w, as it is defined."""
    rows, y, v, loss, mu, l1, *_ = problem
    mean = v @ loss.value(dense(problem) @ w, y) / v.sum()
    penalized = w if problem.penalize_intercept else w[: rows.d]
    return float(mu / 2 * penalized @ penalized + l1 * np.abs(w[: rows.d]).sum() + mean)


def optimum(problem):
    """(w, f(w)), f(w) within about 1e-7 of the optimum."""
    rows, y, v, loss, mu, l1, radius, *_ = problem
    X, m, q = dense(problem), rows.width, v / v.sum()
    feature = np.arange(rows.width) < rows.d
    cut, pieces = np.where(feature, l1, 0.0), _pieces(problem.loss, y)
    bound = feature | problem.penalize_intercept  # what the L2 penalty and the ball are about
    mu = np.where(bound, mu, 0.0)
    n = 0 if pieces is None else len(y)

    def split(z):
        return z[:m] - z[m : 2 * m], z[2 * m :]

    def f(z):
        w, slack = split(z)
        mean = q @ slack if n else q @ loss.value(X @ w, y)
        slope = np.zeros(m) if n else X.T @ (q * loss.slope(X @ w, y))
        grad = np.concatenate([mu * w + slope + cut, -mu * w - slope + cut, q if n else np.empty(0)])
        return (mu * w) @ w / 2 + cut @ (z[:m] + z[m : 2 * m]) + mean, grad

    limits = []
    for a, c in pieces or []:
        J = np.hstack([-a[:, None] * X, a[:, None] * X, np.eye(n)])
        limits.append({"type": "ineq", "fun": lambda z, J=J, c=c: J @ z - c, "jac": lambda z, J=J: J})
    if radius < np.inf:
        limits.append({"type": "ineq", "fun": lambda z: radius**2 - split(z)[0][bound] @ split(z)[0][bound]})
    z = np.zeros(2 * m + n)
    if n:
        z[2 * m :] = loss.value(np.zeros(n), y)
    bounds = [(0, None)] * (2 * m) + [(0, None)] * n
    z = minimize(
        f, z, jac=True, method="SLSQP", bounds=bounds, constraints=limits, options={"maxiter": 500, "ftol": 1e-14}
    ).x
    w = split(z)[0]
    w[bound] *= min(1.0, radius / max(np.linalg.norm(w[bound]), 1e-300))
    return w, objective(problem, w)
