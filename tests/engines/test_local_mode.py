"""The local mode, in this process: what is reached and proved, whatever the cut of the rows."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")
sys.path.insert(0, str(Path(__file__).parent))

from sources import classes, cut, fit_here

from cesaro.engines import local_mode
from cesaro.engines.dask import DaskDualAveragingClassifier, DaskDualAveragingRegressor
from cesaro.linear import DualAveragingClassifier, DualAveragingRegressor
from cesaro.linear.bounds.rounding import relative_error
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.losses import Hinge


@pytest.mark.parametrize("chunks", [400, 130, 50, 13])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_proof_holds_for_any_number_of_partitions(chunks, sparse):
    X, y = classes(1)
    settings = {"alpha": 1e-2, "random_state": 0}
    known = DualAveragingClassifier(tol=1e-7, **settings).fit(X, y)
    model = fit_here(DaskDualAveragingClassifier(tol=1e-3, **settings), *cut(X, y, chunks, sparse))
    assert model.relative_gap_ <= 1e-3
    assert model.lower_bound_ <= known.objective_
    assert known.lower_bound_ <= model.objective_ <= known.objective_ * (1 + 1e-3)


@pytest.mark.parametrize(
    "more",
    [
        {"l1_ratio": 0.3},
        {"l1_ratio": 1.0},
        {"l1_ratio": 1.0, "loss": "log_loss", "penalize_intercept": False},
        {"radius": 0.5},
        {"loss": "log_loss"},
        {"class_weight": "balanced"},
    ],
    ids=str,
)
def test_every_kind_of_objective_is_proved(more):
    X, y = classes(2)
    settings = {"alpha": 3e-2, "random_state": 0} | more
    known = DualAveragingClassifier(tol=1e-6, **settings).fit(X, y)
    model = fit_here(DaskDualAveragingClassifier(tol=2e-3, **settings), *cut(X, y, 100))
    assert model.relative_gap_ <= 2e-3
    assert model.lower_bound_ <= known.objective_
    assert known.lower_bound_ <= model.objective_ <= known.objective_ * (1 + 2e-3)


def test_one_model_against_the_rest_for_each_class():
    X, y = classes(3, kinds=3)
    settings = {"alpha": 1e-2, "random_state": 0}
    known = DualAveragingClassifier(tol=1e-6, **settings).fit(X, y)
    model = fit_here(DaskDualAveragingClassifier(tol=1e-3, **settings), *cut(X, y, 100))
    assert model.coef_.shape == (3, 8)
    assert (model.relative_gap_ <= 1e-3).all()
    assert (np.abs(model.objective_ / known.objective_ - 1) <= 1e-3).all()
    assert (model.predict(X) == known.predict(X)).mean() > 0.97


def test_weights_count_like_repeated_rows():
    X, y = classes(4)
    v = np.random.default_rng(5).integers(0, 3, len(y)).astype(float)
    settings = {"alpha": 1e-2, "random_state": 0}
    known = DualAveragingClassifier(tol=1e-6, **settings).fit(X.repeat(v.astype(int), axis=0), y.repeat(v.astype(int)))
    dX, dy = cut(X, y, 150)
    model = fit_here(DaskDualAveragingClassifier(tol=1e-3, **settings), dX, dy, cut(X, v, 150)[1])
    assert model.lower_bound_ <= known.objective_
    assert known.lower_bound_ <= model.objective_ <= known.objective_ * (1 + 1e-3)


@pytest.mark.parametrize("targets", [1, 2])
def test_targets_are_centred_over_all_partitions(targets):
    X, _ = classes(6)
    rng = np.random.default_rng(7)
    y = X @ rng.normal(size=(8, targets)) + 3.0 + 0.1 * rng.normal(size=(400, targets))
    y = y if targets > 1 else y[:, 0]
    known = DualAveragingRegressor(alpha=1e-2, tol=1e-6, random_state=0).fit(X, y)
    dX, dy = cut(X, y, 100) if targets == 1 else (cut(X, y, 100)[0], cut(y, y[:, 0], 100)[0])
    model = fit_here(DaskDualAveragingRegressor(alpha=1e-2, tol=1e-4, random_state=0), dX, dy)
    assert model.coef_.shape == known.coef_.shape
    assert np.shape(model.intercept_) == np.shape(known.intercept_)
    np.testing.assert_allclose(model.predict(X), known.predict(X), atol=0.1)
    assert np.all(model.lower_bound_ <= known.objective_)
    assert np.all(model.objective_ <= known.objective_ * (1 + 1e-3))


@pytest.mark.parametrize("mode", ["local", "exact"])
def test_a_partition_whose_class_weighs_nothing_is_as_if_it_were_not_there(mode):
    X, y = classes(3, n=300, kinds=3)
    X, y = X[np.argsort(y, kind="stable")], np.sort(y)
    none = {"ant": 0.0, "bee": 1.0, "cat": 2.0}
    tol = 1e-3 if mode == "local" else 5e-2
    settings = {"alpha": 1e-1, "random_state": 0, "class_weight": none, "tol": tol}
    same = {"tol": 1e-6, "penalize_intercept": mode == "exact"}  # as the paper's methods do
    known = DualAveragingClassifier(**settings | same).fit(X, y)
    model = fit_here(DaskDualAveragingClassifier(mode=mode, shuffle=False, **settings), *cut(X, y, 20))
    assert (model.lower_bound_ <= known.objective_ * (1 + 1e-9)).all()
    assert (known.lower_bound_ <= model.objective_ * (1 + 1e-9)).all()
    assert (model.relative_gap_ <= tol).all()


def test_models_that_are_asked_in_groups_are_those_that_are_asked_together(monkeypatch):
    X, y = classes(3, kinds=4)
    dX, dy = cut(X, y, 100)
    settings = {"alpha": 1e-2, "random_state": 0, "tol": 1e-3}
    together = fit_here(DaskDualAveragingClassifier(**settings), dX, dy)
    asked, take = [], local_mode.take_request
    monkeypatch.setattr(local_mode, "IN_FLIGHT", 300)
    monkeypatch.setattr(
        local_mode,
        "take_request",
        lambda part, order, place: (asked.append(len(order.requests)), take(part, order, place))[1],
    )
    groups = fit_here(DaskDualAveragingClassifier(**settings), dX, dy)
    assert max(asked) == 2
    assert np.array_equal(groups.coef_, together.coef_)
    assert np.array_equal(groups.lower_bound_, together.lower_bound_)
    assert not local_mode._HELD


def test_the_rounding_of_the_objective_is_that_of_all_rows_not_of_a_sample():
    X, y = np.random.default_rng(0).normal(size=(4500, 2)), np.repeat(["ant", "bee", "ant"], 1500)
    X[700, 1] = 1e6
    for seed in range(4):
        model = fit_here(
            DaskDualAveragingClassifier(alpha=1.0, max_iter=60, tol=0, random_state=seed), *cut(X, y, 1500)
        )
        w = np.append(model.coef_[0], model.intercept_)
        problem = Problem(make_rows(X, 1.0), np.where(y == "bee", 1.0, -1.0), np.ones(4500), Hinge(), 1.0)
        assert model._rounding >= relative_error(problem, w, model.objective_)
