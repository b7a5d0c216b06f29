"""The printed formulas for linear models, O(d) per step, and a harness that runs the kernels beside them."""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro import losses
from cesaro.linear.problem.csr import bare, make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import code_of
from cesaro.linear.solvers.averaging.solver import SOLVERS

LOSSES = [kind() for kind in losses.ALL.values()]


class Case(NamedTuple):
    """A short run: what is minimised, by which method, in which order."""

    X: np.ndarray  # dense, the intercept's column included
    problem: Problem
    solver: str
    orders: list
    gammas: list
    anchor: float
    batch: int
    cubic: bool


def make_case(
    seed,
    loss,
    solver,
    *,
    ball=False,
    l1=False,
    weights=False,
    batch=1,
    anchor=1.0,
    bias=0.0,
    cubic=False,
    epochs=3,
    ones=False,
):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 12)), int(rng.integers(1, 6))
    dense = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    dense = np.where(dense, 1.0, 0.0) if ones else dense
    classes = type(loss) in losses.CLASSIFICATION.values()
    y = rng.choice([-1.0, 1.0], n) if classes else rng.normal(size=n)
    v = rng.integers(0, 4, n) / 2.0 if weights else np.ones(n)
    v[rng.integers(n)] = 1.5 if weights else 1.0
    radius, l1 = (0.3 if ball else np.inf), (0.1 if l1 else 0.0)
    problem = Problem(make_rows(sp.csr_array(dense), bias), y, v, loss, 0.5, l1, radius)
    orders = [rng.permutation(np.flatnonzero(v)).astype(np.uint32) for _ in range(epochs)]
    gammas = [1.0, 2.5, 3.0][:epochs]
    X = np.hstack([dense, np.full((n, int(bias != 0)), bias)])
    return Case(X, problem, solver, orders, gammas, anchor, batch, cubic)


def printed(case: Case, w0=None, unit=None):
    """The family of reading.md section 1 written out: every sum kept as a sum."""
    X, p, face = case.X, case.problem, SOLVERS[case.solver]
    width = X.shape[1]
    w0 = np.zeros(width) if w0 is None else w0
    penalty = np.where(np.arange(width) < p.rows.d, p.l1, 0.0)
    w, x, A, out = w0, w0, 0.0, 0.0
    total, slopes, constants, average = case.anchor * w0, np.zeros(width), 0.0, np.zeros(width)
    for order, gamma in zip(case.orders, case.gammas, strict=True):
        for k in range(0, len(order), case.batch):
            batch = order[k : k + case.batch]
            rows = gamma * p.v[batch]
            a = rows.sum()
            before, A = case.anchor + A, A + a
            o = a * (A / (unit or len(order))) ** 3 if case.cubic else a
            x = (out * x + o * w) / (out + o) if face.primal else w  # x_t is w_{t-1}, or the average that ends with it
            average, out = average + o * x, out + o
            predictions = X[batch] @ x
            u = p.loss.slope(predictions, p.y[batch])
            loss = (rows * u) @ X[batch] / a
            slopes = slopes + a * loss
            constants += rows @ (p.loss.value(predictions, p.y[batch]) - u * predictions)
            if face.keep:
                eta = a / (p.mu * before) if before > 0 else np.inf
                w = project((w - eta * loss) / (1 + p.mu * eta) if before > 0 else -loss / p.mu, p.radius)
            else:
                total = total + a * x - (a / p.mu) * (loss + p.mu * x)
                dual = total * p.mu
                dual = np.sign(dual) * np.maximum(0.0, np.abs(dual) - penalty * A)
                w = project(dual / (p.mu * (case.anchor + A)), p.radius)
    answer = w if face.last else (x if face.primal else average / out)
    return SimpleNamespace(w=w, answer=answer, s=slopes / A, c=constants / A, A=A)


def steady(case: Case, w0=None, unit=None):
    """Whether the run is one that two correct programs can agree on: rows changed by 1e-13 change it by little.

    Not so at a kink that is met exactly, and where steps far too large for a smooth loss amplify every rounding error.
    """
    noise, one = 1e-13 * np.random.default_rng(0).uniform(-1, 1, case.X.shape), printed(case, w0, unit)
    for sign in (-1.0, 1.0):
        two = printed(case._replace(X=case.X * (1.0 + sign * noise)), w0, unit)
        if max(np.abs(one.answer - two.answer).max(), np.abs(one.w - two.w).max(), abs(one.c - two.c)) > 1e-10:
            return False
    return True


def project(w, radius):
    return w * min(1.0, radius / max(np.linalg.norm(w), 1e-300))


def run_kernel(kernels, case: Case, w0=None):
    """The same run through visit, visit_batches or visit_elastic of the given modules."""
    p, face = case.problem, SOLVERS[case.solver]
    rows, recursion = p.rows, kernels.recursion
    code, param = code_of(p.loss)
    total = float(len(case.orders[0]))
    how = recursion.How(code, param, p.mu, p.l1, p.radius, face.primal, face.keep, case.cubic, total)
    zr = np.zeros((2, rows.d + 1)).T if not face.primal and case.batch == 1 and p.l1 == 0 else np.zeros((rows.d + 1, 2))
    now = np.array(recursion.Now(anchor=case.anchor))
    start = np.zeros(rows.d + 1)
    if w0 is not None:
        start[: len(w0)] = -p.mu * case.anchor * w0
        zr[:, 0], now[recursion.SQUARE] = start, start @ start
    seen = np.zeros((rows.n if face.keep else 0, 2))
    slopes, sums = np.zeros(case.batch), np.zeros((rows.n + 1, 3))
    lag = np.zeros(rows.d + 1, dtype=np.uint64)
    v = p.v if (p.v != 1.0).any() else np.ones(1)
    targets, less = np.stack([p.y, np.zeros(rows.n)], axis=1), bare(rows)
    for order, gamma in zip(case.orders, case.gammas, strict=True):
        what = (v, order, gamma, how, zr, now, seen)
        if p.l1 > 0:
            kernels.elastic.visit_elastic(rows, p.y, *what, slopes, sums, lag)
        elif case.batch > 1:
            kernels.batches.visit_batches(rows, p.y, *what, slopes)
        else:
            visit, radius = (
                recursion.visit_average if face.primal else recursion.visit,
                p.radius if p.radius < np.inf else None,
            )
            visit(
                less,
                targets,
                v if len(v) > 1 else None,
                order,
                gamma,
                how,
                recursion.loss_of(how),
                radius,
                zr,
                now,
                seen if face.keep else None,
                np.zeros_like(order),
            )
            recursion.settle(less, targets, zr)
    kept = now[recursion.SCALE]
    running = now[recursion.SQUARE] * kept**2
    now[recursion.SQUARE] = recursion.fold(zr, now[recursion.ALPHA], kept)
    now[recursion.ALPHA], now[recursion.SCALE] = 0.0, 1.0
    width, A = rows.width, now[recursion.DONE]
    Gamma = case.anchor + A
    penalty = np.where(np.arange(width) < rows.d, p.l1, 0.0)
    z = zr[:width, 0]
    w = -np.sign(z) * np.maximum(0.0, np.abs(z) - penalty * A) / (p.mu * Gamma)
    if p.l1 == 0:
        s, _ = recursion.step(how, how.radius, p.mu, Gamma, 1.0, now[recursion.SQUARE])
        w = s * z
    answer = w if face.last else zr[:width, 1] / now[recursion.OUT]
    if face.primal:
        answer = zr[:width, 1] / now[recursion.OUT]
    return SimpleNamespace(
        w=w,
        answer=answer,
        s=(z - start[:width]) / A,
        c=now[recursion.CUT] / A,
        A=A,
        running=running,
        square=now[recursion.SQUARE] if p.l1 == 0 else running,
        seen=seen,
    )


def compare(case: Case, got, want, *, atol=1e-10):
    """Answer, last point, cut, and the hidden state."""
    size = 1.0 + np.abs(want.w).max()
    np.testing.assert_allclose(got.answer, want.answer, rtol=0, atol=atol * size)
    np.testing.assert_allclose(got.w, want.w, rtol=0, atol=atol * size)
    np.testing.assert_allclose(got.A, want.A, rtol=1e-14)
    np.testing.assert_allclose(got.c, want.c, rtol=atol, atol=atol)
    if case.problem.radius < np.inf:
        np.testing.assert_allclose(got.running, got.square, rtol=1e-9, atol=1e-9)
    if got.seen is not None and len(got.seen):  # z has been shrunk: the slopes are remembered row by row
        p = case.problem
        s = got.seen[:, 0] @ case.X / got.A
        np.testing.assert_allclose(s, want.s, rtol=0, atol=atol * (1 + np.abs(want.s).max()))
        np.testing.assert_allclose(got.seen[:, 1], p.v * sum(case.gammas), rtol=1e-12)
    elif not SOLVERS[case.solver].keep:
        np.testing.assert_allclose(got.s, want.s, rtol=0, atol=atol * (1 + np.abs(want.s).max()))


def run_lanes(lanes, cases: list[Case]):
    """Several cases on the same rows as lanes of one pass: they may differ in mu, targets and row weights."""
    p, face, L = cases[0].problem, SOLVERS[cases[0].solver], len(cases)
    code, param = code_of(p.loss)
    how = lanes.How(
        code, param, 0.0, 0.0, p.radius, face.primal, face.keep, cases[0].cubic, float(len(cases[0].orders[0]))
    )
    W, S, work = np.zeros((p.rows.d + 1, 2 * L)), np.zeros((8, L)), np.zeros((2, 2 * L))
    S[lanes.ANCHOR], S[lanes.SCALE] = [case.anchor for case in cases], 1.0
    number = np.arange(L, dtype=np.uint32)
    which = lanes.Lanes(np.array([case.problem.mu for case in cases]), number, number)
    Y, V = (np.stack([getattr(case.problem, name) for case in cases], axis=1) for name in "yv")
    t = 0
    for order, gamma in zip(cases[0].orders, cases[0].gammas, strict=True):
        t = lanes.visit_lanes(p.rows, Y, V, order, gamma, how, which, W, S, work, t)
    running = S[lanes.SQUARE] * S[lanes.SCALE] ** 2
    lanes.fold_lanes(W, S)
    found = []
    for k, case in enumerate(cases):
        z, r = W[: p.rows.width, k], W[: p.rows.width, L + k]
        A, square, mu = S[lanes.DONE, k], S[lanes.SQUARE, k], case.problem.mu
        s, _ = lanes.step(how, how.radius, mu, case.anchor + A, 1.0, square)
        answer = s * z if face.last else r / S[lanes.OUT, k]
        cut = S[lanes.CUT, k] / A
        found.append(
            SimpleNamespace(w=s * z, answer=answer, s=z / A, c=cut, A=A, running=running[k], square=square, seen=None)
        )
    return found
