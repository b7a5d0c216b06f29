"""The path's models are implicit dual averaging; what they predict, lose and prove is what it should be."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from solving import by_averaging as solve

from cesaro import losses
from cesaro.linear.model_selection import path
from cesaro.linear.model_selection import path_kernels as implicit
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.mean_loss import objective_at as objective
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import dual_form

plain = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("plain.py"))))
seeds = st.integers(0, 2**32 - 1)


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
    case = plain.make_case(seed, loss, "gda", weights=True, bias=bias)
    X, rows, n = case.X, case.problem.rows, len(case.problem.y)
    v = rng.integers(1, 4, n) / 2.0
    classes = type(loss) in losses.CLASSIFICATION.values()
    Y = rng.choice([-1.0, 1.0], (n, columns)) if classes else rng.normal(size=(n, columns))
    train = rng.integers(0, folds, n) != np.arange(folds)[:, None]
    alphas = np.geomspace(1.0, 0.1, 23)  # the models of a fold are not whole vectors
    models = [path.PathModel(k, alpha, c, 0.7) for k in range(folds) for alpha in alphas for c in range(columns)]
    form = path.bounded(dual_form(loss))
    problem = path.PathProblem(rows, Y, v, np.full(n, 2.0), form, l1_ratio, float)
    batch, pattern = path.make_batch(problem, train, models)
    orders = [rng.permutation(n).astype(np.uint32) for _ in range(2)]
    t, q = 0, (X**2).sum(axis=1)
    for order in orders:
        t = implicit.run_path_epoch(rows, Y, v, q, pattern, order, form, l1_ratio > 0, batch, stride, t)
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


@pytest.mark.parametrize("loss", plain.LOSSES, ids=repr)
@settings(max_examples=15, deadline=None)
@given(
    seed=seeds,
    folds=st.sampled_from([2, 3]),
    columns=st.sampled_from([1, 2]),
    l1_ratio=st.sampled_from([0.0, 0.0, 0.3]),
    bias=st.sampled_from([0.0, 1.5]),
    stride=st.sampled_from([1, 3]),
)
def test_every_model_is_implicit_dual_averaging_of_its_own(loss, seed, folds, columns, l1_ratio, bias, stride):
    tie(implicit, loss, seed, folds, columns, l1_ratio, bias, stride)


def data(rng, n=300, d=12, classes=True):
    X = sp.random_array((n, d), density=0.5, rng=rng, format="csr")
    p = X @ rng.normal(size=d)
    y = np.where(p + 0.3 * rng.normal(size=n) > np.median(p), 1.0, -1.0) if classes else p + 0.1 * rng.normal(size=n)
    return X, y


@pytest.mark.parametrize("loss", plain.LOSSES, ids=repr)
@pytest.mark.parametrize("l1_ratio", [0.0, 0.3])
def test_the_path_finds_proves_and_predicts(loss, l1_ratio):
    rng = np.random.default_rng(3)
    X, y = data(rng, classes=type(loss) in losses.CLASSIFICATION.values())
    rows, folds, alphas = make_rows(X, 1.0), rng.integers(0, 3, len(y)), [1e-1, 1e-2, 1e-3]
    v = rng.integers(1, 3, len(y)).astype(float)
    found = path.cross_validate(rows, y, v, loss, alphas, folds, l1_ratio=l1_ratio, epochs=20)
    for k in range(3):
        for a, alpha in enumerate(alphas):
            learn = np.where(folds == k, 0.0, v)
            problem = Problem(rows, y, learn, loss, alpha * (1 - l1_ratio), alpha * l1_ratio)
            w = found.W[k, a, 0]
            assert found.objective[k, a, 0] == pytest.approx(objective(problem, w), rel=1e-4)
            exact = solve(problem, tol=1e-4, max_iter=200)
            zero = objective(problem, np.zeros(rows.width))
            assert found.lower_bound[k, a, 0] <= exact.objective
            assert found.objective[k, a, 0] <= exact.objective + 0.02 * zero
            held = X[folds == k] @ w[:-1] + w[-1]
            np.testing.assert_allclose(found.held_out[folds == k, a, 0], held, rtol=1e-4, atol=1e-4)


def test_batches_of_models_give_what_one_batch_gives(monkeypatch):
    rng = np.random.default_rng(5)
    X, y = data(rng)
    rows, folds = make_rows(X), rng.integers(0, 5, len(y))
    Y = np.stack([y, -y, y], axis=1)
    together = path.cross_validate(rows, Y, np.ones(len(y)), losses.Hinge(), np.geomspace(1, 1e-3, 7), folds, epochs=30)
    monkeypatch.setattr(path, "CACHE", 0)
    apart = path.cross_validate(rows, Y, np.ones(len(y)), losses.Hinge(), np.geomspace(1, 1e-3, 7), folds, epochs=30)
    np.testing.assert_allclose(apart.objective, together.objective, rtol=0.02)
    np.testing.assert_allclose(together.W[:, :, 0], -together.W[:, :, 1], atol=1e-5)


def test_folds_may_overlap():
    rng = np.random.default_rng(6)
    X, y = data(rng)
    train = rng.random((4, len(y))) < 0.7
    found = path.cross_validate(make_rows(X), y, np.ones(len(y)), losses.SquaredHinge(), [0.1, 0.01], train)
    for k in range(4):
        problem = Problem(make_rows(X), y, train[k].astype(float), losses.SquaredHinge(), 0.01)
        assert found.objective[k, 1, 0] == pytest.approx(objective(problem, found.W[k, 1, 0]), rel=1e-4)
    assert np.isnan(found.held_out[train.all(axis=0)]).all()
    assert not np.isnan(found.held_out[~train.all(axis=0)]).any()


@given(seed=seeds, folds=st.integers(1, 6), n=st.integers(1, 40))
@settings(max_examples=50, deadline=None)
def test_patterns_are_the_different_columns(seed, folds, n):
    train = np.random.default_rng(seed).random((folds, n)) < 0.6
    patterns, pattern = path.patterns_of(train)
    np.testing.assert_array_equal(patterns[pattern].T, train)
    assert len(np.unique(patterns, axis=0)) == len(patterns)
