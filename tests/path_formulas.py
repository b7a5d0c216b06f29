"""Implicit dual averaging as it is defined, and a tie between it and the kernels of the path."""

from types import SimpleNamespace

import numpy as np
import printed_formulas as formulas

from cesaro import losses
from cesaro.linear.model_selection import path
from cesaro.linear.problem.scalar_losses import dual_form


def consistent(loss, y, p0, H):
    """The p with p = p0 - H phi'(p), by bisection; b = -phi'(p), and -phi*(-b)."""
    if H == 0.0:
        b = -float(loss.slope(p0, y))
        return b, float(loss.value(p0, y)) + b * p0
    reach = H * (abs(float(loss.slope(p0, y))) + 1.0) + 1.0
    low, high = p0 - reach, p0 + reach
    for _ in range(200):
        p = 0.5 * (low + high)
        if p - p0 + H * float(loss.slope(p, y)) > 0.0:
            high = p
        else:
            low = p
    b = (p - p0) / H
    return b, float(loss.value(p, y)) + b * p


def printed(X, d, y, v, learns, loss, mu, l1, anchor, orders, stride):
    """Implicit dual averaging with snapshots as it is defined, for one model."""
    h, A, cut, average, out, t = np.zeros(X.shape[1]), 0.0, 0.0, np.zeros(X.shape[1]), 0.0, 0
    penalty = np.where(np.arange(X.shape[1]) < d, l1, 0.0)
    for order in orders:
        for k, i in enumerate(order):
            if learns[i]:
                A += v[i]
                G = mu * (anchor + A)
                w = np.sign(h) * np.maximum(0.0, np.abs(h) - penalty * A) / G
                b, gain = consistent(loss, y[i], X[i] @ w, v[i] * X[i] @ X[i] / G)
                cut += v[i] * gain
                h = h + v[i] * b * X[i]
            t += 1
            if t % stride == 0 or k == len(order) - 1:
                o = (t / len(order)) ** 3
                out += o
                average += o * np.sign(h) * np.maximum(0.0, np.abs(h) - penalty * A) / (mu * (anchor + A))
    return SimpleNamespace(h=h, A=A, cut=cut, average=average / out)


def tie(implicit, loss, seed, folds, columns, l1_ratio, bias, stride):
    """A short run of many models, some of them compared with the definition."""
    rng = np.random.default_rng(seed)
    case = formulas.make_case(seed, loss, "gda", weights=True, bias=bias)
    X, rows, n = case.X, case.problem.rows, len(case.problem.y)
    v = rng.integers(1, 4, n) / 2.0
    classes = type(loss) in losses.CLASSIFICATION.values()
    Y = rng.choice([-1.0, 1.0], (n, columns)) if classes else rng.normal(size=(n, columns))
    train = rng.integers(0, folds, n) != np.arange(folds)[:, None]
    alphas = np.geomspace(1.0, 0.1, 23)  # the models of a fold are not whole vectors
    models = [path.PathModel(k, alpha, c, 0.7) for k in range(folds) for alpha in alphas for c in range(columns)]
    form = dual_form(loss).in_single_precision()
    problem = path.PathProblem(rows, Y, v, np.full(n, 2.0), form, l1_ratio, float)
    batch, pattern = path.make_batch(problem, train, models)
    orders = [rng.permutation(n).astype(np.uint32) for _ in range(2)]
    t, q, rest = 0, (X**2).sum(axis=1), np.zeros(0, dtype=np.uint8)
    for order in orders:
        t = implicit.run_path_epoch(
            rows, Y, v, q, pattern, order, 0, len(order), form, l1_ratio > 0, batch, stride, rest, t
        )
    assert (batch.idle[:, 1] > 0).any() != train.all()
    for k in rng.choice(len(models), 4, replace=False):
        model = models[k]
        mu, l1 = model.alpha * (1 - l1_ratio), model.alpha * l1_ratio
        aim = (X, rows.d, Y[:, model.column], v, train[model.fold], loss, mu, l1)
        want = printed(*aim, 2.0 / (0.7 * mu), orders, stride)
        got = batch.average[: rows.width, k] / batch.sums[implicit.OUT, k]
        np.testing.assert_allclose(batch.h[: rows.width, k], want.h, rtol=0, atol=1e-10 * (1 + np.abs(want.h).max()))
        np.testing.assert_allclose(got, want.average, rtol=0, atol=1e-10 * (1 + np.abs(want.average).max()))
        np.testing.assert_allclose(batch.sums[implicit.A, k], want.A, rtol=1e-12)
        np.testing.assert_allclose(batch.sums[implicit.CUT, k], want.cut, rtol=1e-9, atol=1e-9)
