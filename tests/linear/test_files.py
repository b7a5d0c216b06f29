"""Rows from files: the same models as from memory, within a budget, from a cache that is never believed blindly."""

import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from cesaro.data.svmlight.reader import read_svmlight
from cesaro.linear import DualAveragingClassifier, DualAveragingRegressor
from cesaro.linear.out_of_core import csr_store, readers
from cesaro.linear.problem import block_order


def data(n=700, d=15, classes=2, seed=0, exact=False):
    """Rows sorted by label: the worst order for blocks."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    X = np.round(8.0 * X) / 8.0 if exact else X
    y = (X @ rng.normal(size=(d, classes)) + 0.5 * rng.normal(size=(n, classes))).argmax(axis=1)
    by_label = np.argsort(y, kind="stable")
    return X[by_label], y[by_label].astype(float)


@pytest.fixture
def place(tmp_path):
    """Writes rows to a file, and says what a reader finds in it and where the cache is."""

    def write(X, y, name="rows.svm"):
        path = tmp_path / name
        dump_svmlight_file(X, y, str(path), zero_based=False)
        return path, tmp_path / "cache", *read_svmlight(path, n_features=X.shape[1])

    return write


def classifier(**more):
    return DualAveragingClassifier(**{"alpha": 1e-3, "random_state": 3, "tol": 1e-4} | more)


def regressor(**more):
    return DualAveragingRegressor(**{"alpha": 1e-3, "random_state": 3, "tol": 1e-4} | more)


@pytest.mark.parametrize("make", [classifier, regressor])
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("solver", ["anchored", "gda"])
def test_with_room_for_all_rows_it_is_the_fit_from_memory_to_the_bit(make, exact, solver, place):
    path, cache, X, y = place(*data(exact=exact))
    inside = make(solver=solver, tol=1e-2).fit(X.astype(np.float32) if exact else X, y)
    outside = make(solver=solver, tol=1e-2).fit_file(path, cache=cache)
    np.testing.assert_array_equal(inside.coef_, outside.coef_)
    np.testing.assert_array_equal(inside.intercept_, outside.intercept_)
    assert (inside.objective_, inside.lower_bound_) == (outside.objective_, outside.lower_bound_)
    assert readers.open_store(path, cache=cache).data.dtype == (np.float32 if exact else np.float64)


@pytest.mark.parametrize("make", [classifier, regressor])
@pytest.mark.parametrize("memory", [3e5, 2e4])
def test_in_many_blocks_the_proofs_hold_against_the_optimum_from_memory(make, memory, place):
    path, cache, X, y = place(*data(n=2000))
    optimum = make(tol=1e-9).fit(X, y)
    model = make().fit_file(path, cache=cache, memory=memory)
    assert model.relative_gap_ <= 1e-4
    assert model.lower_bound_ <= optimum.objective_ * (1 + 1e-12)
    assert model.objective_ >= optimum.lower_bound_
    assert model.objective_ <= optimum.objective_ * (1 + 1e-4) + 1e-12


def test_classes_and_their_weights_are_those_of_fit(place):
    path, cache, X, y = place(*data(classes=4))
    inside = classifier(class_weight="balanced", tol=1e-3).fit(X, y)
    outside = classifier(class_weight="balanced", tol=1e-3).fit_file(path, cache=cache)
    np.testing.assert_array_equal(inside.coef_, outside.coef_)
    np.testing.assert_array_equal(inside.classes_, outside.classes_)
    few = classifier(tol=1e-3).fit_file(path, cache=cache, memory=2e4)
    assert (few.relative_gap_ <= 1e-3).all()
    np.testing.assert_array_equal(few.predict_file(path), few.predict(X))


def test_so_are_predictions_of_a_regression_read_by_blocks(place, monkeypatch):
    path, cache, X, _ = place(*data())
    model = regressor().fit_file(path, cache=cache)
    monkeypatch.setattr(readers, "TEXT", 1000)
    assert len(list(readers.blocks(path))) > 20
    np.testing.assert_allclose(model.predict_file(path), model.predict(X), rtol=1e-13)


# the order


@pytest.mark.parametrize("rows", [1, 7, 64, 1000])
def test_every_row_comes_once(rows):
    n, plan, rng = 1000, block_order.Layout(7, 3, None, ""), np.random.default_rng(0)
    order = np.sort(rng.choice(n, rows, replace=False)).astype(np.uint32)
    np.testing.assert_array_equal(np.sort(plan.shuffle(order.copy(), n, rng.shuffle)), order)


def test_a_few_blocks_come_at_a_time_and_others_together_in_the_next_epoch():
    plan, rng = block_order.Layout(10, 2, None, ""), np.random.default_rng(1)
    order = np.arange(200, dtype=np.uint32)
    first, second = (plan.shuffle(order.copy(), 200, rng.shuffle) for _ in range(2))
    groups = [{tuple(sorted(set(part // 10))) for part in np.split(fresh, 10)} for fresh in (first, second)]
    assert all(len(pair) == 2 for group in groups for pair in group)
    assert groups[0] != groups[1]


def test_what_is_kept_for_rows_goes_to_a_file_when_memory_is_short(place):
    path, cache, _, _ = place(*data(n=2000))
    rows = readers.open_store(path, cache=cache)
    assert block_order.choose(rows.n, 10**6, "", 1e9, 1, 1, cache).folder is None
    plan = block_order.choose(rows.n, 10**6, "", 1e5, 1, 1, cache)
    assert plan.folder == cache
    room = plan.empty((5, 4))
    assert "mmap" in type(room.base.base if room.base.base is not None else room.base).__name__
    assert room.shape == (5, 4)
    with pytest.raises(ValueError, match=r"solver='gda' keeps.*2000 rows.*solver='anchored'"):
        classifier(solver="gda").fit_file(path, cache=cache, memory=1e5)


# the cache


def test_a_file_is_parsed_once(place, monkeypatch):
    path, cache, _, _ = place(*data())
    first = classifier().fit_file(path, cache=cache)
    monkeypatch.setattr(readers, "blocks", None)
    np.testing.assert_array_equal(first.coef_, classifier().fit_file(path, cache=cache).coef_)


def test_a_file_that_has_changed_is_parsed_again(place):
    X, y = data()
    path, cache, _, _ = place(X, y)
    first = readers.open_store(path, cache=cache)
    path, cache, Z, _ = place(2.0 * X, y)
    os.utime(path, ns=(1, 1))
    second = readers.open_store(path, cache=cache)
    assert second.digest != first.digest
    np.testing.assert_array_equal(second.data, Z.data)
    assert len([folder for folder in cache.iterdir() if folder.is_dir()]) == 1


@pytest.mark.parametrize("name", [*csr_store.NAMES, "about"])
@pytest.mark.parametrize("damage", ["cut", "flip", "gone"])
def test_a_damaged_cache_is_noticed_and_made_again(name, damage, place):
    path, cache, X, _ = place(*data())
    readers.open_store(path, cache=cache)
    (victim,) = cache.glob(f"*/{name}")
    content = victim.read_bytes()
    victim.unlink()
    if damage == "cut":
        victim.write_bytes(content[:-1])
    elif damage == "flip":
        victim.write_bytes(content[:100] + bytes([content[100] ^ 4]) + content[101:])
    again = readers.open_store(path, cache=cache)
    np.testing.assert_array_equal(again.data, X.data)
    assert victim.read_bytes() == content or name == "about"


def test_values_become_wide_only_from_where_they_must(place, monkeypatch):
    X, y = data(exact=True)
    X[-1, 0] = 0.1
    path, cache, Z, _ = place(X, y)
    monkeypatch.setattr(readers, "TEXT", 2000)
    monkeypatch.setattr(csr_store, "PIECE", 64)
    found = readers.open_store(path, cache=cache)
    assert found.data.dtype == np.float64
    np.testing.assert_array_equal(found.data, Z.data)
    np.testing.assert_array_equal(found.col, Z.indices)
    np.testing.assert_array_equal(found.ptr, Z.indptr)


CHILD = """
import sys, time
from cesaro.linear.out_of_core import readers
slow = readers.blocks
def blocks(*args):
    for block in slow(*args):
        yield block
        time.sleep(0.05)
readers.blocks, readers.TEXT = blocks, 1000
readers.open_store(sys.argv[1], cache=sys.argv[2])
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_killed_while_parsing_it_leaves_nothing_that_is_believed(place):
    path, cache, X, _ = place(*data())
    child = subprocess.Popen([sys.executable, "-c", CHILD, path, cache])
    deadline = time.monotonic() + 600.0
    while not any(file.stat().st_size for file in cache.glob(".*/y")) and time.monotonic() < deadline:
        time.sleep(1e-3)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    assert [folder.name[0] for folder in cache.iterdir()] == ["."]
    np.testing.assert_array_equal(readers.open_store(path, cache=cache).data, X.data)
    assert not list(cache.glob(".*")), "what the dead process had written is gone"


def test_a_checkpoint_goes_on_within_a_file_and_knows_it(place, tmp_path):
    path, cache, X, y = place(*data(n=2000))
    plain = classifier().fit_file(path, cache=cache, memory=2e4)
    with pytest.warns(UserWarning, match="gap"):
        classifier(checkpoint=tmp_path / "run", time_limit=0.0).fit_file(path, cache=cache, memory=2e4)
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    on = classifier(checkpoint=tmp_path / "run").fit_file(path, cache=cache, memory=2e4)
    np.testing.assert_array_equal(plain.coef_, on.coef_)
    assert plain.lower_bound_ == on.lower_bound_
    with pytest.raises(ValueError, match="blocks of rows is"):
        classifier(checkpoint=tmp_path / "copy").fit_file(path, cache=cache, memory=1e5)
    with pytest.raises(ValueError, match="another run's"):
        classifier(checkpoint=tmp_path / "copy").fit(X, y)


# tables


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_tables_are_rows_too(kind, tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    X, y = data()
    table = pa.table({f"x{k}": column for k, column in enumerate(X.T)} | {"target": y.astype(np.int64)})
    path = tmp_path / f"rows.{kind}"
    if kind == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as file:
            file.write_table(table, 100)
    model, plain = classifier().fit_file(path, cache=tmp_path / "cache", label="target"), classifier().fit(X, y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    assert list(model.feature_names_in_) == [f"x{k}" for k in range(X.shape[1])]
    np.testing.assert_array_equal(model.predict_file(path), plain.predict(X))
    np.testing.assert_array_equal(plain.predict_file(path, label="target"), plain.predict(X))
    with pytest.raises(ValueError, match=rf"{X.shape[1] + 1} columns besides 'label', expected {X.shape[1]}.*label="):
        plain.predict_file(path)
    pq.write_table(table.drop_columns(["target"]), tmp_path / "unlabelled.parquet")
    np.testing.assert_array_equal(plain.predict_file(tmp_path / "unlabelled.parquet"), plain.predict(X))
    with pytest.raises(ValueError, match=r"no column 'label'.*label="):
        classifier().fit_file(path, cache=tmp_path / "cache")


def test_columns_of_a_table_are_found_by_name(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pd = pytest.importorskip("pandas")
    X, y = data()
    names = [f"x{k}" for k in range(X.shape[1])]
    model = classifier().fit(pd.DataFrame(X, columns=names), y)
    columns = dict(zip(names, X.T, strict=True)) | {"label": pa.array(["yes"] * len(X)), "more": np.zeros(len(X))}
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({name: columns[name] for name in reversed(columns)}), path)
    np.testing.assert_array_equal(model.predict_file(path), model.predict(pd.DataFrame(X, columns=names)))
    pq.write_table(pa.table(columns).rename_columns([*names[:-1], "other", "label", "more"]), path)
    with pytest.raises(ValueError, match=rf"lacks columns that the model was fitted to: \['{names[-1]}'\]"):
        model.predict_file(path)


def test_a_table_must_be_whole_numbers_or_floats(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"x": ["a", "b"], "label": [0, 1]}), path)
    with pytest.raises(ValueError, match=r"not numbers: \['x'\]"):
        classifier().fit_file(path, cache=tmp_path / "cache")
    pq.write_table(pa.table({"x": [1.0, None], "label": [0, 1]}), path)
    with pytest.raises(ValueError, match="empty or infinite value in the column 'x'"):
        classifier().fit_file(path, cache=tmp_path / "cache")
    assert not [folder for folder in (tmp_path / "cache").iterdir() if folder.is_dir()]


# the door


def test_what_cannot_be_fitted_is_said(place, tmp_path):
    path, cache, _, _ = place(*data())
    with pytest.raises(FileNotFoundError, match="no file"):
        classifier().fit_file(tmp_path / "nowhere", cache=cache)
    with pytest.raises(ValueError, match="memory must be a positive"):
        classifier().fit_file(path, cache=cache, memory=0)
    with pytest.raises(ValueError, match="warm_start=False"):
        classifier(warm_start=True).fit_file(path, cache=cache)
    for text, reason in (("", "no rows"), ("1 1:1\n1 1:2\n", "two"), ("1 1:1e25\n2 1:1\n", "Scale the features")):
        (tmp_path / "odd.svm").write_text(text)
        with pytest.raises(ValueError, match=reason):
            classifier().fit_file(tmp_path / "odd.svm", cache=cache)
    (tmp_path / "odd.svm").write_text("0.5 1:1\n0.25 1:2\n")
    with pytest.raises(ValueError, match="Unknown label type"):
        classifier().fit_file(tmp_path / "odd.svm", cache=cache)
