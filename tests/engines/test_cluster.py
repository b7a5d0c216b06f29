"""On two real worker processes: the bits of one process, a killed worker, lazy answers, errors that help."""

import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")
sys.path.insert(0, str(Path(__file__).parent))

import dask.array as da
import distributed
from killing import Deadly
from sources import classes, cut, fit_on

from cesaro.engines import exact_mode, executors, local_mode
from cesaro.engines.dask import DaskDualAveragingClassifier, DaskDualAveragingRegressor
from cesaro.engines.executors import DaskCluster, ThisProcess
from cesaro.linear import DualAveragingClassifier

SETTINGS = {"alpha": 1e-2, "random_state": 0}


def same(one, other):
    for name in ("coef_", "intercept_", "objective_", "lower_bound_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("mode", ["exact", "local"])
def test_the_cluster_gives_the_bits_of_one_process(client, mode):
    X, y = classes(1, kinds=3)
    estimator = DaskDualAveragingClassifier(mode=mode, tol=0, max_iter=5, client=client, **SETTINGS)
    dX, dy = cut(X, y, 90, sparse=True)
    same(estimator.fit(dX, dy), fit_on(ThisProcess(), estimator, dX, dy))


def test_lazy_answers_are_the_ordinary_estimators(client):
    X, y = classes(2)
    dX, dy = cut(X, y, 130)
    model = DaskDualAveragingClassifier(**SETTINGS).fit(dX, dy)
    local = model.to_local()
    assert type(local) is DualAveragingClassifier
    assert local.relative_gap_ == model.relative_gap_ <= 1e-3
    labels, scores = model.predict(dX), model.decision_function(dX)
    assert isinstance(labels, da.Array)
    assert labels.chunks == scores.chunks == dy.chunks
    np.testing.assert_array_equal(labels.compute(), local.predict(X))
    np.testing.assert_allclose(scores.compute(), local.decision_function(X), rtol=1e-12)


def test_data_frames_are_taken_by_their_columns(client):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, y = classes(3)
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    dX, dy = dd.from_pandas(frame, npartitions=3), dd.from_pandas(pd.Series(y), npartitions=3)
    model = DaskDualAveragingClassifier(**SETTINGS).fit(dX, dy)
    assert list(model.feature_names_in_) == list("abcdefgh")
    np.testing.assert_array_equal(model.predict(dX).compute(), model.to_local().predict(frame))
    assert model.score(dX, dy) == model.to_local().score(frame, y)
    for other in (dX[list("hgfedcba")], dX.rename(columns={"a": "z"})):
        with pytest.raises(ValueError, match="those of fit were"):
            model.predict(other)
    with pytest.raises(TypeError, match=r"X must be a dask array.*to_local"):
        model.predict(X)


def test_an_error_in_many_chunks_is_told_once_and_not_in_the_logs_of_the_workers(client, tmp_path):
    for k in range(5):
        (tmp_path / f"{k}.svm").write_text("1 1:1\n-1 0:2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="indices start at 1") as caught:
        DaskDualAveragingClassifier(client=client).fit_files(str(tmp_path / "*.svm"))
    assert caught.value.__notes__ == ["5 of 5 chunks are refused; this is the first of them."]
    logged = [line for lines in client.get_worker_logs().values() for _, line in lines]
    assert not [line for line in logged if "0.svm" in line or "4.svm" in line]


def test_files_are_read_by_the_workers(client, tmp_path):
    from sklearn.datasets import dump_svmlight_file

    X, _ = classes(4)
    X[:100, -1] = 0.0  # the first file is narrower
    y = X @ np.arange(1.0, 9.0)
    for k in range(4):
        these = slice(100 * k, 100 * k + 100)
        dump_svmlight_file(X[these], y[these], str(tmp_path / f"{k}.svm"), zero_based=False)
    paths = [tmp_path / f"{k}.svm" for k in range(4)]
    model = DaskDualAveragingRegressor(tol=1e-4, **SETTINGS).fit_files(paths)
    assert model.n_features_in_ == 8
    assert model.relative_gap_ <= 1e-4
    assert model.to_local().score(X, y) > 0.95
    again = DaskDualAveragingRegressor(tol=1e-4, **SETTINGS).fit_files(str(tmp_path / "*.svm"))
    np.testing.assert_array_equal(again.coef_, model.coef_)
    with pytest.raises(ValueError, match=r"no file matches '.*none\*'"):
        DaskDualAveragingRegressor().fit_files(tmp_path / "none*")


@pytest.mark.parametrize(("mode", "function"), [("exact", exact_mode.slopes), ("local", local_mode.take_request)])
def test_a_killed_worker_costs_time_but_no_proof_and_no_bit_of_exactness(client, mode, function):
    X, y = classes(5)
    dX, dy = cut(X, y, 100)
    estimator = DaskDualAveragingClassifier(mode=mode, tol=0, max_iter=8, **SETTINGS)
    known = DualAveragingClassifier(tol=1e-7, **SETTINGS).fit(X, y)
    engine = Deadly(client, function, 4)
    model = fit_on(engine, estimator, dX, dy)
    assert engine.killed
    assert engine.longest < 60
    if mode == "exact":
        same(model, fit_on(ThisProcess(), estimator, dX, dy))
    assert model.lower_bound_ <= known.objective_ * (1 + 1e-9)
    assert known.lower_bound_ <= model.objective_ * (1 + 1e-9)
    client.wait_for_workers(2, timeout=120)


def test_chunks_without_rows_have_no_answers(client):
    X, y = classes(2)
    dX, dy = cut(X, y, 130)
    model = DaskDualAveragingClassifier(**SETTINGS).fit(dX, dy)
    none = da.from_array(np.empty((0, 8)), chunks=(1, 8))
    gaps = da.concatenate([dX[:130], none, dX[130:]])
    masked = dX[dX[:, 0] < X[120, 0]]  # of which the last chunks are empty, and nobody knows
    for rows, expected in ((gaps, X), (masked, X[X[:, 0] < X[120, 0]]), (none, X[:0])):
        labels = model.predict(rows).compute()
        scores = model.decision_function(rows).compute()
        assert labels.dtype == model.classes_.dtype
        assert len(labels) == len(scores) == len(expected)
        if len(expected):
            np.testing.assert_array_equal(labels, model.to_local().predict(expected))


class Deserted(DaskCluster):
    """A cluster whose workers all go when a round begins, and do not come back."""

    def each_at_home(self, function, handles, order):
        self.client.cluster.scale(0)
        deadline = time.monotonic() + 30.0
        while self.client.nthreads() and time.monotonic() < deadline:
            time.sleep(0.01)
        return super().each_at_home(function, handles, order)

    def each(self, function, handles, order):
        if function is exact_mode.slopes:
            return self.each_at_home(function, handles, order)
        return super().each(function, handles, order)


@pytest.mark.parametrize("mode", ["exact", "local"])
def test_all_workers_gone_is_an_error_after_a_while_and_no_hang(mode, monkeypatch):
    monkeypatch.setattr(executors, "DESERTED", 2.0)
    X, y = classes(5)
    settings = {"n_workers": 1, "processes": False, "dashboard_address": ":0", "memory_limit": None}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as lonely:
        estimator = DaskDualAveragingClassifier(mode=mode, **SETTINGS)
        began = time.monotonic()
        with pytest.raises(RuntimeError, match="all workers of the Dask cluster have been gone for 2 seconds"):
            fit_on(Deserted(lonely), estimator, *cut(X, y, 100))
        assert time.monotonic() - began < 60.0


def test_a_closed_client_is_said_to_be_closed():
    settings = {"n_workers": 1, "processes": False, "dashboard_address": ":0", "memory_limit": None}
    with distributed.LocalCluster(**settings) as cluster:
        closed = distributed.Client(cluster)
        closed.close()
        with pytest.raises(RuntimeError, match="the Dask client is closed: make a new one"):
            DaskDualAveragingClassifier(client=closed).fit(*cut(*classes(5), 100))
