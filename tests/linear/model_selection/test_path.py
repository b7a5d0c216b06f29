"""The path's models are implicit dual averaging; their predictions, losses and lower bounds are right."""

import numpy as np
import printed_formulas as formulas
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from path_formulas import tie
from solving import by_averaging as solve

from cesaro import losses
from cesaro.linear.model_selection import path
from cesaro.linear.model_selection import path_kernels as implicit
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.mean_loss import objective_at as objective
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scalar_losses import dual_form

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("loss", formulas.LOSSES, ids=repr)
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


@pytest.mark.parametrize("loss", formulas.LOSSES, ids=repr)
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


def test_a_row_that_moved_no_model_rests_for_an_epoch_and_counts_with_no_slope():
    rng = np.random.default_rng(2)
    X, y = data(rng, n=60)
    rows, v, train = make_rows(X), rng.integers(1, 3, 60).astype(float), np.arange(60) % 3 != np.arange(3)[:, None]
    models = [path.PathModel(k, alpha, 0, 1.0) for k in range(3) for alpha in (1e-3, 1e-4)]
    form = dual_form(losses.Hinge()).in_single_precision()
    problem = path.PathProblem(rows, y[:, None], v, np.square(X.toarray()).sum(axis=1), form, 0.0, float)
    batch, pattern = path.make_batch(problem, train, models)
    anchor, order, rest = batch.sums[implicit.ANCHOR].copy(), np.arange(60, dtype=np.uint32), np.zeros(60, np.uint8)

    def epoch(t):
        return implicit.run_path_epoch(
            rows, problem.Y, v, problem.squares, pattern, order, 0, 60, form, False, batch, 7, rest, t
        )

    t = 0
    for _ in range(8):
        t, before = epoch(t), rest.copy()
    assert 0 < rest.sum() < 60
    assert not (rest & before).all()
    rest[:] = 1
    h, cut = batch.h.copy(), batch.sums[implicit.CUT].copy()
    epoch(t)
    assert not rest.any()
    np.testing.assert_array_equal(batch.h, h)
    np.testing.assert_array_equal(batch.sums[implicit.CUT], cut)
    total = 9 * (train @ v)[[model.fold for model in models]]
    np.testing.assert_allclose(batch.sums[implicit.A, :6], total, rtol=1e-12)
    np.testing.assert_allclose(batch.G[:6], (batch.mu * (anchor + batch.sums[implicit.A]))[:6], rtol=1e-12)


def test_models_that_do_not_fit_the_cache_together_go_by_alpha_and_easy_ones_have_fewer_epochs():
    models = [path.PathModel(k, alpha, 0, 1.0) for k in range(3) for alpha in (1.0, 0.1, 0.01)]
    assert path.batches(models, 9) == [list(range(9))]
    apart = path.batches(models, 3)
    assert [{models[k].alpha for k in part} for part in apart] == [{1.0}, {0.1}, {0.01}]
    X, _ = data(np.random.default_rng(0))
    problem = path.PathProblem(make_rows(X), np.ones((300, 1)), np.ones(300), np.ones(300), None, 0.0, float)
    epochs = [path.enough_epochs(problem, [models[k] for k in part]) for part in apart]
    assert epochs == [path.LEAST, path.LEAST, 17]
