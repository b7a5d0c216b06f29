"""The exact mode, in this process: the same bits for every cut, the numbers of the kernels, proofs."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")
sys.path.insert(0, str(Path(__file__).parent))

from sources import classes, cut, fit_here

from cesaro.engines import exact_mode, reproducible_sum
from cesaro.engines.dask import DaskDualAveragingClassifier, DaskDualAveragingRegressor
from cesaro.linear import DualAveragingClassifier

SAME = ("coef_", "intercept_", "objective_", "lower_bound_")


def bits(model):
    return [np.asarray(getattr(model, name)).tobytes() for name in SAME] + [model.history_["objective"].tobytes()]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("batch_size", [None, 37])
def test_the_bits_do_not_depend_on_the_partitions(sparse, batch_size):
    X, y = classes(1, n=397, kinds=3)
    v = np.random.default_rng(2).random(397)
    estimator = DaskDualAveragingClassifier(
        mode="exact", alpha=1e-2, tol=0, max_iter=6, batch_size=batch_size, random_state=0, class_weight="balanced"
    )
    seen = set()
    for chunks in (397, 199, 150, 64, 31, (1, 2, 3, 391), (300, 97)):
        dX, dy = cut(X, y, chunks, sparse)
        seen.add(tuple(bits(fit_here(estimator, dX, dy, cut(X, v, chunks)[1]))))
    assert len(seen) == 1


def test_the_bits_do_not_depend_on_the_partitions_of_targets():
    X, _ = classes(3, n=301)
    y = X @ np.arange(8.0) + 5.0
    estimator = DaskDualAveragingRegressor(mode="exact", solver="gda", alpha=1e-2, tol=0, max_iter=5, random_state=0)
    assert len({tuple(bits(fit_here(estimator, *cut(X, y, chunks)))) for chunks in (301, 100, 7)}) == 1


@pytest.mark.parametrize("solver", ["gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda"])
@pytest.mark.parametrize("more", [{}, {"radius": 0.3}, {"l1_ratio": 0.2}], ids=["plain", "ball", "l1"])
def test_the_numbers_are_those_of_the_kernels_in_the_same_batches(solver, more, monkeypatch):
    if more.get("l1_ratio") and solver not in ("gda", "sc-rda"):
        pytest.skip("the kernels bear no L1 here")
    X, y = classes(4, n=128)
    settings = {
        "alpha": 0.1,
        "tol": 0,
        "max_iter": 3,
        "batch_size": 16,
        "random_state": 5,
        "anchor": 20.0,
        "solver": solver,
    }
    model = fit_here(DaskDualAveragingClassifier(mode="exact", **settings | more), *cut(X, y, 50))
    epochs = iter(range(1, 4))

    def places(self, rng, layout=None):
        """The kernel's rows in the exact mode's order: place q * 64 + j is the position q of block j."""
        number = next(epochs)
        table = np.array([2 * j + exact_mode.block_permutation(5, number, j, 2) for j in range(64)], dtype=np.uint32)
        self.order[:] = table.T.ravel()
        return self.order

    monkeypatch.setattr("cesaro.linear.problem.row_order.RowOrders.draw", places)
    known = DualAveragingClassifier(**settings | more).fit(X, y)
    np.testing.assert_allclose(model.coef_, known.coef_, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(model.intercept_, known.intercept_, rtol=1e-10, atol=1e-13)
    assert model.objective_ == pytest.approx(known.objective_, rel=1e-12)
    assert model.lower_bound_ == pytest.approx(known.lower_bound_, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 200])
@pytest.mark.parametrize("batch_size", [1, 7, 64])
def test_every_row_is_in_one_batch_of_an_epoch(n, batch_size):
    blocks = min(64, n)
    cut = reproducible_sum.edges(n, blocks)
    part = exact_mode.PartitionProblems([], 0, cut)
    last = int(((np.diff(cut) - 1) * blocks + np.arange(blocks)).max())
    batches = [exact_mode.Batch(1, 2, blocks, t * batch_size, batch_size) for t in range(last // batch_size + 1)]
    rows = [np.concatenate([exact_mode.chosen(part, j, batch) for j in range(blocks)]) for batch in batches]
    assert sorted(np.concatenate(rows)) == list(range(n))
    assert max(map(len, rows)) <= batch_size
    assert n % blocks or all(len(some) == batch_size for some in rows[:-1])


@pytest.mark.parametrize("blocks", [1, 2, 3, 5, 8, 13, 64])
def test_a_sum_over_the_tree_has_the_same_bits_for_every_cut(blocks):
    rng = np.random.default_rng(blocks)
    values = rng.normal(size=(blocks, 3)) * 10.0 ** rng.integers(-8, 8, (blocks, 1))
    found = set()
    for holders in range(1, 9):
        parts = [
            reproducible_sum.grow({}, [(int(j), values[j]) for j in some])
            for some in np.array_split(np.arange(blocks), holders)
        ]
        found |= {reproducible_sum.root(order, blocks).tobytes() for order in (parts, parts[::-1])}
        assert all(len(part) <= 2 * 7 for part in parts)
    assert len(found) == 1
    np.testing.assert_allclose(np.frombuffer(found.pop()), values.sum(axis=0), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "log_loss"])
def test_full_gradients_are_proved_to_be_near_the_optimum(loss):
    X, y = classes(6)
    known = DualAveragingClassifier(loss, alpha=0.1, tol=1e-7, random_state=0).fit(X, y)
    model = fit_here(DaskDualAveragingClassifier(loss, mode="exact", alpha=0.1, tol=1e-2), *cut(X, y, 100))
    assert model.relative_gap_ <= 1e-2
    assert model.lower_bound_ <= known.objective_
    assert known.lower_bound_ <= model.objective_ <= known.objective_ * (1 + 1e-2)
