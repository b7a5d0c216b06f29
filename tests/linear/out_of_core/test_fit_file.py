"""Fits from files: the models of fits from memory, within a budget of memory."""

import shutil

import numpy as np
import pytest
from rows_on_disk import classifier, data, regressor

from cesaro.linear.out_of_core import readers
from cesaro.linear.problem import block_order


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
