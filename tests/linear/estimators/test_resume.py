"""A fit that is stopped at any moment resumes as if nothing had happened; a damaged checkpoint is never used."""

import errno
import os
import shutil
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from checkpointed_fits import assert_same, classifier, data, quietly, regressor
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from cesaro import weights
from cesaro.linear.solvers import parallel
from cesaro.linear.solvers.averaging import multi_target
from cesaro.storage import checkpoint

PAPER = ("gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda")


@pytest.fixture
def moments(tmp_path, monkeypatch):
    """A directory to give as checkpoint, and a list that receives a copy of it after every epoch."""
    monkeypatch.setattr(checkpoint, "RARELY", 0.0)
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # the disk is not what is tested here
    copies, place, write_ = [], tmp_path / "run", checkpoint.write

    def write_and_copy(path, state, about=None):
        write_(path, state, about)
        if path.parent == place:
            copies.append(shutil.copytree(place, tmp_path / f"moment-{len(copies)}"))

    monkeypatch.setattr(checkpoint, "write", write_and_copy)
    return place, copies


CASES = {
    "anchored": (classifier(), 2),
    "anchored, smooth": (classifier(loss="log_loss"), 2),
    "anchored, L1": (classifier(l1_ratio=0.5), 2),
    "coordinate descent": (classifier(loss="log_loss", alpha=1e-3, l1_ratio=0.5, tol=1e-10), 3),
    "coordinate descent, L1 alone": (
        classifier(loss="squared_hinge", alpha=1e-3, l1_ratio=1.0, tol=0.0, max_iter=6),
        2,
    ),
    "coordinate descent, kinks": (classifier(alpha=1e-2, l1_ratio=1.0, tol=1e-7), 2),
    "coordinate descent after epochs": (classifier(alpha=1e-4, l1_ratio=0.9, tol=1e-12, max_iter=165), 2),
    "anchored, ball": (classifier(radius=0.3, tol=0.0, max_iter=12), 2),
    "anchored, own anchor": (classifier(anchor=3.0), 2),
    "anchored, long": (classifier(tol=0.0, max_iter=40, alpha=1e-5), 2),
    "anchored, polished": (classifier(tol=1e-17, max_iter=25), 2),
    "anchored, three classes": (classifier(), 3),
    "anchored, weights": (classifier(class_weight="balanced", fit_intercept=False), 3),
    **{solver: (classifier(solver=solver), 2) for solver in PAPER},
    **{f"{solver}, three classes": (classifier(solver=solver), 3) for solver in PAPER},
    "gda, L1": (classifier(solver="gda", l1_ratio=0.5), 2),
    "gda, batches": (classifier(solver="gda", batch_size=7, averaging=weights.Linear()), 2),
    "sc-pda, replacement": (classifier(solver="sc-pda", sampling="replacement"), 2),
    "pegasos, ball": (classifier(solver="pegasos", radius=0.3, tol=1e-7), 2),
}


@pytest.mark.parametrize("case", CASES)
def test_a_fit_that_goes_on_from_any_epoch_is_the_fit_that_never_stopped(case, moments):
    model, classes = CASES[case]
    X, y, _ = data(classes=classes)
    place, copies = moments
    plain = quietly(model.set_params(checkpoint=None), X, y)
    whole = quietly(classifier(**model.get_params() | {"checkpoint": place}), X, y)
    assert_same(plain, whole)
    stops = list(copies)
    assert len(stops) > 4
    for stop in stops[:: max(1, len(stops) // 6)]:
        assert_same(plain, quietly(classifier(**model.get_params() | {"checkpoint": stop}), X, y))


@pytest.mark.parametrize("solver", ["anchored", "gda"])
@pytest.mark.parametrize("columns", [1, 3])
def test_so_is_a_regression(solver, columns, moments):
    X, _, y = data(classes=columns)
    place, copies = moments
    y = y if columns > 1 else y.ravel()
    plain = quietly(regressor(solver=solver), X, y)
    assert_same(plain, quietly(regressor(solver=solver, checkpoint=place), X, y))
    for stop in copies[:: max(1, len(copies) // 6)]:
        assert_same(plain, quietly(regressor(solver=solver, checkpoint=stop), X, y))


def test_threads_go_on_where_other_threads_stopped(moments):
    X, y, _ = data(classes=4)
    place, copies = moments
    whole = quietly(classifier(checkpoint=place, n_jobs=1), X, y)
    for stop in (copies[3], copies[len(copies) // 2], place.with_name("fresh")):
        assert_same(whole, quietly(classifier(checkpoint=stop, n_jobs=2), X, y))


def test_a_time_limit_is_a_pause(tmp_path):
    X, y, _ = data(classes=3)
    for solver in ("anchored", "gda"):
        plain = quietly(classifier(solver=solver), X, y)
        with pytest.warns(ConvergenceWarning):
            classifier(solver=solver, checkpoint=tmp_path / solver, time_limit=0.0).fit(X, y)
        assert_same(plain, quietly(classifier(solver=solver, checkpoint=tmp_path / solver), X, y))


@pytest.mark.parametrize("solver", ["anchored", "gda"])
def test_many_pauses_come_to_the_end_that_none_does(solver, tmp_path):
    X, y, _ = data()
    plain = quietly(classifier(solver=solver, tol=1e-2), X, y)
    epochs = [quietly(classifier(solver=solver, tol=1e-2, checkpoint=tmp_path, time_limit=0.0), X, y).n_iter_]
    while len(epochs) < 2 or epochs[-1] > epochs[-2]:
        epochs += [quietly(classifier(solver=solver, tol=1e-2, checkpoint=tmp_path, time_limit=0.0), X, y).n_iter_]
    assert epochs[:-1] == list(range(1, plain.n_iter_ + 1))
    assert_same(plain, quietly(classifier(solver=solver, tol=1e-2, checkpoint=tmp_path), X, y))


def test_so_is_a_ctrl_c(tmp_path, monkeypatch):
    X, y, _ = data()
    plain, solve = quietly(classifier(), X, y), parallel.solve

    def report(model, epoch, *values):
        if epoch > 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(parallel, "solve", lambda *args: solve(*args[:3], report, args[4]))
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        classifier(checkpoint=tmp_path).fit(X, y)
    monkeypatch.undo()
    assert_same(plain, quietly(classifier(checkpoint=tmp_path), X, y))


def test_a_seed_that_was_drawn_is_drawn_once(moments):
    X, y, _ = data()
    place, copies = moments
    whole = quietly(classifier(checkpoint=place, random_state=None), X, y)
    assert_same(whole, quietly(classifier(checkpoint=copies[2], random_state=None), X, y))


def test_a_fit_that_had_finished_is_returned_without_another_epoch(tmp_path, monkeypatch):
    for solver in ("anchored", "gda"):
        X, y, _ = data(classes=3)
        first = quietly(classifier(solver=solver, checkpoint=tmp_path / solver), X, y)
        with monkeypatch.context() as patch:
            patch.setattr(parallel, "solve", None)
            patch.setattr(multi_target, "solve", None)
            assert_same(first, quietly(classifier(solver=solver, checkpoint=tmp_path / solver), X, y))


@pytest.mark.parametrize("solver", ["anchored", "gda"])
def test_a_damaged_checkpoint_falls_back_to_the_one_before_and_says_so(solver, moments):
    X, y, _ = data()
    place, copies = moments
    plain = quietly(classifier(solver=solver), X, y)
    quietly(classifier(solver=solver, checkpoint=place), X, y)
    stop = copies[4]
    last = max(stop.glob("*.checkpoint"))
    last.write_bytes(last.read_bytes()[:-7])
    with pytest.warns(RuntimeWarning, match=r"is damaged.*goes on from the one before"):
        assert_same(plain, quietly(classifier(solver=solver, checkpoint=stop), X, y))
    stop = copies[5]
    for path in stop.glob("*.checkpoint"):
        path.write_bytes(b"nothing of the kind")
    with pytest.warns(RuntimeWarning, match="begins anew"):
        assert_same(plain, quietly(classifier(solver=solver, checkpoint=stop), X, y))


def test_a_disk_that_is_full_costs_the_checkpoint_and_not_the_fit(tmp_path, monkeypatch):
    X, y, _ = data()
    plain = quietly(classifier(), X, y)

    def full(path, state, about=None):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(checkpoint, "write", full)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = classifier(checkpoint=tmp_path).fit(X, y)
    said = [str(each.message) for each in caught if each.category is RuntimeWarning]
    assert len(said) == 1
    assert f"No space left on device: '{tmp_path}" in said[0]
    assert_same(plain, found)


@pytest.mark.parametrize("solver", ["anchored", "gda"])
def test_fits_at_once_may_share_a_directory(solver, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "RARELY", 0.0)
    X, y, _ = data(classes=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # for all threads: it is not theirs
        plain = classifier(solver=solver).fit(X, y)
        with ThreadPoolExecutor(4) as pool:
            model = classifier(solver=solver, checkpoint=tmp_path)
            for found in pool.map(lambda _: clone(model).fit(X, y), range(12)):
                assert_same(plain, found)
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("solver", ["anchored", "gda"])
def test_a_finished_fit_goes_on_to_a_smaller_tol_and_keeps_what_it_had(solver, classes, tmp_path):
    X, y, _ = data(classes=classes)
    first = quietly(classifier(solver=solver, max_iter=1000, tol=1e-1, checkpoint=tmp_path), X, y)
    more = quietly(classifier(solver=solver, max_iter=1000, tol=1e-2, checkpoint=tmp_path), X, y)
    assert np.max(first.relative_gap_) > 1e-2 >= np.max(more.relative_gap_)
    assert np.all(more.objective_ <= first.objective_)
    assert np.all(more.lower_bound_ >= first.lower_bound_)
    assert more.n_iter_ > first.n_iter_
    assert_same(more, quietly(classifier(solver=solver, max_iter=1000, tol=1e-2, checkpoint=tmp_path), X, y))
    with pytest.raises(ValueError, match=r"another run's: tol is 0\.1 here and 0\.01 there"):
        classifier(solver=solver, max_iter=1000, tol=1e-1, checkpoint=tmp_path).fit(X, y)


def test_the_default_solver_goes_on_from_its_dual_values(tmp_path):
    X, y, _ = data()
    alone = {"max_iter": 1000, "radius": 1e3}  # no Newton steps: a problem with a ball is not polished
    first = quietly(classifier(**alone, tol=1e-4, checkpoint=tmp_path), X, y)
    more = quietly(classifier(**alone, tol=1e-5, checkpoint=tmp_path), X, y)
    anew = quietly(classifier(**alone, tol=1e-5), X, y)
    assert more.relative_gap_ <= 1e-5
    assert more.n_iter_ - first.n_iter_ < anew.n_iter_


@pytest.mark.parametrize("solver", ["anchored", "gda"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_fit_that_was_cut_short_goes_on_to_a_smaller_tol_or_more_epochs(solver, classes, tmp_path):
    X, y, _ = data(classes=classes)
    short = {"solver": solver, "checkpoint": tmp_path}
    quietly(classifier(tol=1e-1, max_iter=1000, time_limit=0.0, **short), X, y)
    assert np.max(quietly(classifier(tol=1e-2, max_iter=1000, **short), X, y).relative_gap_) <= 1e-2
    few = quietly(classifier(tol=0.0, max_iter=1010, **short), X, y)
    more = quietly(classifier(tol=0.0, max_iter=1020, **short), X, y)
    assert (few.n_iter_, more.n_iter_) == (1010, 1020)
