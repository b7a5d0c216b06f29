"""Rounds that were stopped go on to the same bits, from any checkpoint of both modes, in this process and on workers."""

import shutil
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")
sys.path.insert(0, str(Path(__file__).parent))

import dask.array as da
from checkpointed_fits import Crash, assert_same, crash_at
from forgeries import write_forged
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sources import classes, cut, fit_here, fit_on

from cesaro.engines import local_mode
from cesaro.engines.dask import DaskDualAveragingClassifier, DaskDualAveragingRegressor
from cesaro.engines.executors import DaskCluster, ThisProcess
from cesaro.storage import checkpoint
from cesaro.storage.checkpoint import read
from cesaro.storage.states import CheckpointError

SETTINGS = {"alpha": 1e-3, "random_state": 5, "tol": 1e-4, "max_iter": 9}


def labels(mode, **more):
    return DaskDualAveragingClassifier(mode=mode, **SETTINGS | more), cut(*classes(1, n=301, kinds=3), 80)


def targets(mode, **more):
    X, _ = classes(2, n=301)
    return DaskDualAveragingRegressor(mode=mode, **SETTINGS | more), cut(X, X @ np.arange(8.0) + 5.0, 80, sparse=True)


def quietly(estimator, dX, dy, engine=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit_on(engine or ThisProcess(), estimator, dX, dy)


def kept_in(estimator, directory):
    return clone(estimator).set_params(checkpoint=str(directory))


@pytest.fixture
def always(monkeypatch):
    """Saves at the end of every round."""
    monkeypatch.setattr(checkpoint, "RARELY", 0.0)


@pytest.mark.parametrize("kind", [labels, targets])
@pytest.mark.parametrize(
    ("mode", "more"),
    [
        ("local", {}),
        ("local", {"l1_ratio": 0.3}),
        ("exact", {}),
        ("exact", {"batch_size": 37}),
        ("exact", {"solver": "pegasos", "radius": 0.5, "tol": 0}),
    ],
    ids=str,
)
def test_a_run_goes_on_from_every_round_to_the_same_bits(kind, mode, more, tmp_path, monkeypatch, always):
    estimator, data = kind(mode, **more)
    plain, copies, write = quietly(estimator, *data), [], checkpoint.write

    def write_and_copy(path, state, about):
        write(path, state, about)
        copies.append(shutil.copytree(tmp_path / "run", tmp_path / f"moment-{len(copies)}"))

    with monkeypatch.context() as patched:
        patched.setattr(checkpoint, "write", write_and_copy)
        assert_same(plain, quietly(kept_in(estimator, tmp_path / "run"), *data))
    assert len(copies) >= 9
    for copy in copies[::3] + copies[-3:]:
        assert_same(plain, quietly(kept_in(estimator, copy), *data))


@pytest.mark.parametrize("mode", ["local", "exact"])
def test_a_crash_in_the_middle_costs_no_bit(mode, tmp_path, always):
    estimator, data = labels(mode)
    for epoch in (2, 4):
        with crash_at(epoch), pytest.raises(Crash):
            quietly(kept_in(estimator, tmp_path), *data)
    assert not local_mode._HELD
    assert_same(quietly(estimator, *data), quietly(kept_in(estimator, tmp_path), *data))


@pytest.mark.parametrize("mode", ["local", "exact"])
def test_a_forged_checkpoint_is_refused_as_such_or_gone_on_from(mode, tmp_path, always):
    estimator, data = labels(mode)
    with crash_at(4), pytest.raises(Crash):
        quietly(kept_in(estimator, tmp_path / "run"), *data)
    rng, refused = np.random.default_rng(0), 0
    for k in range(30):
        place = shutil.copytree(tmp_path / "run", tmp_path / str(k))
        name = write_forged(place, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                assert np.isfinite(quietly(kept_in(estimator, place), *data).coef_).all(), name
            except CheckpointError as error:
                refused += "another directory" in str(error)
    assert refused > 15


@pytest.mark.parametrize("mode", ["local", "exact"])
def test_time_that_runs_out_again_and_again_costs_no_bit(mode, tmp_path):
    estimator, data = labels(mode)
    for _ in range(5):
        stopped = quietly(kept_in(estimator, tmp_path).set_params(time_limit=0.0), *data)
    assert 0 < stopped.n_iter_ < 9
    assert_same(quietly(estimator, *data), quietly(kept_in(estimator, tmp_path), *data))


def test_the_round_in_which_time_runs_out_is_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "RARELY", 1e9)
    estimator, data = labels("local", time_limit=0.2)

    class Slow(ThisProcess):
        """Takes its time for every round."""

        def each_at_home(self, function, handles, order):
            time.sleep(0.05)
            return super().each_at_home(function, handles, order)

    stopped = quietly(kept_in(estimator, tmp_path), *data, engine=Slow())
    assert read(max(tmp_path.iterdir()))[0]["solver/epoch"] == stopped.n_iter_


@pytest.mark.parametrize("mode", ["local", "exact"])
def test_a_seed_that_was_drawn_is_kept(mode, tmp_path, always):
    estimator, data = labels(mode, random_state=None)
    with crash_at(4), pytest.raises(Crash):
        quietly(kept_in(estimator, tmp_path), *data)
    seed = int(read(next(iter(tmp_path.iterdir())))[0]["seed"])
    known = quietly(clone(estimator).set_params(random_state=seed), *data)
    assert_same(known, quietly(kept_in(estimator, tmp_path), *data))


@pytest.mark.parametrize("mode", ["local", "exact"])
def test_a_finished_run_is_returned_without_a_round(mode, tmp_path):
    estimator, data = targets(mode)
    first = quietly(kept_in(estimator, tmp_path), *data)
    with crash_at(0):
        assert_same(first, quietly(kept_in(estimator, tmp_path), *data))


@pytest.mark.parametrize("mode", ["local", "exact"])
def test_a_damaged_newest_falls_back_to_the_one_before(mode, tmp_path, always):
    estimator, data = labels(mode)
    with crash_at(4), pytest.raises(Crash):
        quietly(kept_in(estimator, tmp_path), *data)
    newest = max(tmp_path.iterdir())
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    with pytest.warns(RuntimeWarning, match=r"damaged.*one before"):
        resumed = quietly(kept_in(estimator, tmp_path), *data)
    assert_same(quietly(estimator, *data), resumed)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"alpha": 1e-2}, "alpha is 0.01 here and 0.001 there"),
        ({"mode": "exact"}, "mode is 'exact' here and 'local' there"),
        ({"passes": 2}, "passes is 2.0 here and 3.0 there"),
    ],
)
def test_another_runs_checkpoint_is_refused(changed, said, tmp_path):
    estimator, data = labels("local")
    quietly(kept_in(estimator, tmp_path), *data)
    with pytest.raises(ValueError, match=said):
        fit_here(kept_in(estimator, tmp_path).set_params(**changed), *data)


def test_the_checkpoint_of_other_rows_is_refused(tmp_path):
    estimator, (dX, dy) = labels("local")
    quietly(kept_in(estimator, tmp_path), dX, dy)
    last = da.arange(301, chunks=80) == 300
    with pytest.raises(ValueError, match=r"X is .* here and"):
        fit_here(kept_in(estimator, tmp_path), dX * (1.0 + 1e-15 * last[:, None]), dy)
    with pytest.raises(ValueError, match=r"y is .* here and"):
        fit_here(kept_in(estimator, tmp_path), dX, da.where(last, "eel", dy))
    with pytest.raises(ValueError, match=r"sample_weight is .* here and"):
        fit_here(kept_in(estimator, tmp_path), dX, dy, 1.0 + last)
    with pytest.raises(ValueError, match="chunks is 2 here and 4 there"):
        fit_here(kept_in(estimator, tmp_path), dX.rechunk((200, 8)), dy)


def test_where_a_worker_has_lost_its_state_nothing_is_saved(tmp_path, always):
    estimator, data = labels("local", max_iter=3, tol=0)

    class Forgetful(ThisProcess):
        """Loses the states of a partition at the end of the second round."""

        def each_at_home(self, function, handles, order):
            if function is local_mode.shard_states and order[1] == 1:
                local_mode._HELD.pop((order[0], 0))
            return super().each_at_home(function, handles, order)

    with crash_at(2), pytest.raises(Crash):
        quietly(kept_in(estimator, tmp_path), *data, engine=Forgetful())
    assert [read(path)[0]["solver/epoch"] for path in tmp_path.iterdir()] == [1]
    assert_same(quietly(estimator, *data), quietly(kept_in(estimator, tmp_path), *data))


@pytest.mark.parametrize("mode", ["local", "exact"])
def test_what_a_cluster_began_goes_on_here_and_the_other_way_round(client, mode, tmp_path, always):
    estimator, data = labels(mode, max_iter=5)
    plain = quietly(estimator, *data)
    for first, second in ((DaskCluster(client), ThisProcess()), (ThisProcess(), DaskCluster(client))):
        directory = tmp_path / type(first).__name__
        with crash_at(3), pytest.raises(Crash):
            quietly(kept_in(estimator, directory), *data, engine=first)
        assert_same(plain, quietly(kept_in(estimator, directory), *data, engine=second))


def test_the_local_estimator_has_no_checkpoint(client, tmp_path):
    dX, dy = cut(*classes(3), 100)
    model = DaskDualAveragingClassifier(client=client, checkpoint=str(tmp_path), tol=0, max_iter=2).fit(dX, dy)
    assert list(tmp_path.glob("rounds.*.checkpoint"))
    assert model.to_local().checkpoint is None
