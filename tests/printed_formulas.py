"""The printed formulas for linear models, O(d) per step, and a harness that runs the kernels beside them."""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro import losses
from cesaro.linear.problem.csr import make_rows, without_redundant_arrays
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.averaging.variants import VARIANTS

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
    X, p, variant = case.X, case.problem, VARIANTS[case.solver]
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
            x = (
                (out * x + o * w) / (out + o) if variant.primal else w
            )  # x_t is w_{t-1}, or the average that ends with it
            average, out = average + o * x, out + o
            predictions = X[batch] @ x
            u = p.loss.slope(predictions, p.y[batch])
            loss = (rows * u) @ X[batch] / a
            slopes = slopes + a * loss
            constants += rows @ (p.loss.value(predictions, p.y[batch]) - u * predictions)
            if variant.keep:
                eta = a / (p.mu * before) if before > 0 else np.inf
                w = project((w - eta * loss) / (1 + p.mu * eta) if before > 0 else -loss / p.mu, p.radius)
            else:
                total = total + a * x - (a / p.mu) * (loss + p.mu * x)
                dual = total * p.mu
                dual = np.sign(dual) * np.maximum(0.0, np.abs(dual) - penalty * A)
                w = project(dual / (p.mu * (case.anchor + A)), p.radius)
    answer = w if variant.last else (x if variant.primal else average / out)
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
    """The same run through run_epoch, its mini-batch or its elastic net form, of the given modules."""
    p, variant = case.problem, VARIANTS[case.solver]
    rows, recursion = p.rows, kernels.recursion
    total = float(len(case.orders[0]))
    config = recursion.KernelConfig(
        dual_form(p.loss), p.mu, p.l1, p.radius, variant.primal, variant.keep, case.cubic, total
    )
    zr = (
        np.zeros((2, rows.d + 1)).T
        if not variant.primal and case.batch == 1 and p.l1 == 0
        else np.zeros((rows.d + 1, 2))
    )
    scalars = np.array(recursion.RunScalars(anchor=case.anchor))
    start = np.zeros(rows.d + 1)
    if w0 is not None:
        start[: len(w0)] = -p.mu * case.anchor * w0
        zr[:, 0], scalars[recursion.SQUARE] = start, start @ start
    slope_sums = np.zeros((rows.n if variant.keep else 0, 2))
    slopes, sums = np.zeros(case.batch), np.zeros((rows.n + 1, 3))
    lag = np.zeros(rows.d + 1, dtype=np.uint64)
    v = p.v if (p.v != 1.0).any() else np.ones(1)
    targets, less = np.stack([p.y, np.zeros(rows.n)], axis=1), without_redundant_arrays(rows)
    for order, gamma in zip(case.orders, case.gammas, strict=True):
        what = (v, order, gamma, config, zr, scalars, slope_sums)
        if p.l1 > 0:
            kernels.elastic.run_epoch_elastic_net(rows, p.y, *what, slopes, sums, lag)
        elif case.batch > 1:
            kernels.batches.run_epoch_minibatch(rows, p.y, *what, slopes)
        else:
            recalled = slope_sums if variant.keep else None
            weights = v if len(v) > 1 else None
            state = (zr, scalars, recalled, np.zeros_like(order))
            recursion.run_epoch(less, targets, weights, order, gamma, config, *recursion.specialised(config), *state)
            recursion.flush(less, targets, zr)
    kept = scalars[recursion.SCALE]
    running = scalars[recursion.SQUARE] * kept**2
    scalars[recursion.SQUARE] = recursion.fold(zr, scalars[recursion.ALPHA], kept)
    scalars[recursion.ALPHA], scalars[recursion.SCALE] = 0.0, 1.0
    width, A = rows.width, scalars[recursion.DONE]
    Gamma = case.anchor + A
    penalty = np.where(np.arange(width) < rows.d, p.l1, 0.0)
    z = zr[:width, 0]
    w = -np.sign(z) * np.maximum(0.0, np.abs(z) - penalty * A) / (p.mu * Gamma)
    if p.l1 == 0:
        s, _ = recursion.step(config, config.radius, p.mu, Gamma, 1.0, scalars[recursion.SQUARE])
        w = s * z
    answer = w if variant.last else zr[:width, 1] / scalars[recursion.OUT]
    if variant.primal:
        answer = zr[:width, 1] / scalars[recursion.OUT]
    return SimpleNamespace(
        w=w,
        answer=answer,
        s=(z - start[:width]) / A,
        c=scalars[recursion.CUT] / A,
        A=A,
        running=running,
        square=scalars[recursion.SQUARE] if p.l1 == 0 else running,
        slope_sums=slope_sums,
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
    if got.slope_sums is not None and len(got.slope_sums):  # z has been shrunk: the slopes are remembered row by row
        p = case.problem
        s = got.slope_sums[:, 0] @ case.X / got.A
        np.testing.assert_allclose(s, want.s, rtol=0, atol=atol * (1 + np.abs(want.s).max()))
        np.testing.assert_allclose(got.slope_sums[:, 1], p.v * sum(case.gammas), rtol=1e-12)
    elif not VARIANTS[case.solver].keep:
        np.testing.assert_allclose(got.s, want.s, rtol=0, atol=atol * (1 + np.abs(want.s).max()))
