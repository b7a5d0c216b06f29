"""A fit that is stopped at any moment goes on as if nothing had happened; a damaged checkpoint is never believed."""

import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from cesaro import weights
from cesaro.linear import (
    DualAveragingClassifier,
    DualAveragingClassifierCV,
    DualAveragingRegressor,
    DualAveragingRegressorCV,
)
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers import parallel
from cesaro.linear.solvers.anchored import state as anchored
from cesaro.linear.solvers.averaging import multi_target
from cesaro.losses import Hinge
from cesaro.storage import checkpoint
from cesaro.storage.checkpoint import Checkpoint, DamagedError, read, write

PAPER = ("gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda")
KILLS = int(os.environ.get("CESARO_KILLS", "3"))


def data(n=400, d=9, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    scores = X @ rng.normal(size=(d, classes)) + rng.normal(size=(n, classes))
    return X, scores.argmax(axis=1), scores


def classifier(**more):
    return DualAveragingClassifier(**{"alpha": 1e-3, "random_state": 5, "tol": 1e-4, "max_iter": 12} | more)


def regressor(**more):
    return DualAveragingRegressor(**{"alpha": 1e-3, "random_state": 5, "tol": 1e-4, "max_iter": 12} | more)


def quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def assert_same(one, other):
    """Not nearly: the same bits, but for the clock."""
    for name in ("coef_", "intercept_", "objective_", "lower_bound_", "n_iter_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name, strict=True)
    assert one.history_.keys() == other.history_.keys()
    for name in one.history_.keys() - {"time"}:
        np.testing.assert_array_equal(one.history_[name], other.history_[name], err_msg=name, strict=True)


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


def test_a_solver_that_resumes_is_where_the_other_was():
    X, y, _ = data(n=30)
    rng, problem = np.random.default_rng(0), Problem(make_rows(X, 1.0), 2.0 * y - 1.0, np.ones(30), Hinge(), 0.1)
    there = {
        "b": rng.random(30),
        "active": rng.permutation(30)[:20].astype(np.uint32),
        "g": rng.normal(size=10),
        "center": rng.normal(size=10),
        "prox_weight": 3.5,
        "noise": 0.25,
        "seed": 12345,
        "rule": {"ratio": -0.5, "rate": 0.125, "least": -0.75},
    }
    state = anchored.SolverState(problem, 0)
    state.resume(there)
    for name, value in state.state().items():
        np.testing.assert_array_equal(value, there[name], err_msg=name)
    np.testing.assert_array_equal(state.h_and_r[:, 0], 3.5 * there["center"] + 30 * there["g"])


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


# whose checkpoint it is


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"alpha": 1e-2}, "alpha is 0.01 here and 0.001 there"),
        ({"solver": "gda"}, "solver is 'gda' here and 'anchored' there"),
        ({"random_state": 6}, "random_state is 6 here and 5 there"),
        ({"max_iter": 13}, "max_iter is 13.0 here and 12.0 there"),
        ({"class_weight": "balanced"}, "sample_weight is "),
    ],
)
def test_another_runs_checkpoint_is_refused_with_what_differs(change, told, tmp_path):
    X, y, _ = data()
    quietly(classifier(checkpoint=tmp_path), X, y)
    with pytest.raises(ValueError, match="another directory") as caught:
        classifier(checkpoint=tmp_path, **change).fit(X, y)
    assert told in str(caught.value)


def test_other_data_are_another_run(tmp_path):
    X, y, _ = data()
    quietly(classifier(checkpoint=tmp_path), X, y)
    nudged = X.copy()
    nudged[3, 2] = np.nextafter(nudged[3, 2], 1.0)
    with pytest.raises(ValueError, match="another run's: X is"):
        classifier(checkpoint=tmp_path).fit(nudged, y)
    with pytest.raises(ValueError, match="another run's: y is"):
        classifier(checkpoint=tmp_path).fit(X, 1 - y)


def test_what_does_not_change_the_result_may_change(tmp_path):
    X, y, _ = data()
    first = quietly(classifier(checkpoint=tmp_path), X, y)
    assert_same(first, quietly(classifier(checkpoint=tmp_path, n_jobs=2, time_limit=1e6), X, y))


def test_only_fit_has_checkpoints(tmp_path):
    X, y, t = data(n=60)
    with pytest.raises(ValueError, match="partial_fit"):
        classifier(checkpoint=tmp_path).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="pass the alpha_ that was found to DualAveragingClassifier"):
        DualAveragingClassifierCV(checkpoint=tmp_path).fit(X, y)
    with pytest.raises(ValueError, match="pass the alpha_ that was found to DualAveragingRegressor"):
        DualAveragingRegressorCV(checkpoint=tmp_path).fit(X, t[:, 0])
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="is a file"):
        classifier(checkpoint=tmp_path / "file").fit(X, y)


# damage


def state_file(tmp_path):
    rng = np.random.default_rng(1)
    path = tmp_path / "model-0.000001.checkpoint"
    state = {"w": rng.normal(size=50), "order": np.arange(9, dtype=np.uint32), "epoch": 3, "lower": -np.inf, "none": []}
    write(path, state, about={"alpha": 0.1})
    return path, state


def test_what_is_read_is_what_was_written(tmp_path):
    path, state = state_file(tmp_path)
    found, about = read(path)
    assert about == {"alpha": 0.1}
    assert found.keys() == state.keys()
    for name in ("w", "order"):
        np.testing.assert_array_equal(found[name], state[name], strict=True)
    assert (found["epoch"], found["lower"], found["none"]) == (3, -np.inf, [])
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_every_truncation_is_detected(tmp_path):
    path, _ = state_file(tmp_path)
    content = path.read_bytes()
    for length in [*range(0, checkpoint.HEADER + 16, 3), *range(checkpoint.HEADER, len(content), 11), len(content) - 1]:
        path.write_bytes(content[:length])
        with pytest.raises(DamagedError):
            read(path)
    path.write_bytes(content + b"\0")
    with pytest.raises(DamagedError):
        read(path)


def test_every_flipped_bit_is_detected(tmp_path):
    path, _ = state_file(tmp_path)
    content, rng = path.read_bytes(), np.random.default_rng(0)
    for bit in [*range(0, 8 * checkpoint.HEADER, 5), *rng.integers(8 * len(content), size=300)]:
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(DamagedError):
            read(path)


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


def test_the_damaged_one_is_not_the_one_that_is_kept(tmp_path):
    slot = Checkpoint(tmp_path, {}).slot("model-0")
    for epoch in range(3):
        slot.save({"epoch": epoch})
    assert len(list(tmp_path.iterdir())) == 2
    (tmp_path / "model-0.000003.checkpoint").write_bytes(b"")
    with pytest.warns(RuntimeWarning, match="one before"):
        slot = Checkpoint(tmp_path, {}).slot("model-0")
    assert slot.saved["epoch"] == 1
    slot.save({"epoch": 2})
    assert [read(path)[0]["epoch"] for path in sorted(tmp_path.iterdir())] == [1, 2]


def test_a_save_that_fails_half_way_leaves_what_was_there(tmp_path, monkeypatch):
    slot = Checkpoint(tmp_path, {}).slot("model-0")
    slot.save({"epoch": 1})

    def full(handle):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        slot.save({"epoch": 2})
    monkeypatch.undo()
    slot = Checkpoint(tmp_path, {}).slot("model-0")
    assert slot.saved["epoch"] == 1
    slot.save({"epoch": 2})
    assert Checkpoint(tmp_path, {}).slot("model-0").saved["epoch"] == 2


def test_what_a_kill_has_left_of_a_write_goes_with_the_next_save(tmp_path):
    mine, other = (tmp_path / f".{slot}.000002.checkpoint.0a1b2c3d.part" for slot in ("model-1", "model-10"))
    mine.write_bytes(b"half"), other.write_bytes(b"half")
    Checkpoint(tmp_path, {}).slot("model-1").save({"epoch": 1})
    assert [path.name for path in sorted(tmp_path.iterdir())] == [other.name, "model-1.000001.checkpoint"]


def test_saves_cost_a_twentieth_of_the_time_at_most(tmp_path, monkeypatch):
    slot, clock, saved = Checkpoint(tmp_path, {}).slot("model-0"), [0.0], []
    monkeypatch.setattr(checkpoint.time, "perf_counter", lambda: clock[0])

    def gathered():
        clock[0] += 1.0
        return {}

    def slow(path, state, about=None):
        clock[0] += 2.0
        saved.append(clock[0])

    monkeypatch.setattr(checkpoint, "write", slow)
    while clock[0] < 1000.0:
        slot.offer(gathered)
        clock[0] += 1.0
    assert saved[0] == 3.0
    assert 0.04 <= 3.0 * len(saved) / clock[0] <= 0.05


# kill -9

CHILD = """
import sys, warnings
sys.path.insert(0, {here!r})
warnings.simplefilter("ignore")
import test_checkpoint as t
t.checkpoint.RARELY = 0.0
for solver, place, result in {work!r}:
    t.np.save(result, t.numbers(t.long_fit(solver, place)))
"""


def long_fit(solver, place):
    """The fit that is killed: some seconds, and a checkpoint after every epoch."""
    X, y, _ = data(n=3000, d=20, classes=3 if solver == "pegasos" else 2)
    return quietly(classifier(solver=solver, tol=0.0, max_iter=60, checkpoint=place), X, y)


def numbers(model):
    """All that must be the same, in one array."""
    parts = [model.coef_, model.intercept_, model.objective_, model.lower_bound_]
    parts += [model.history_[name] for name in ("epoch", "objective", "lower_bound", "active")]
    return np.concatenate([np.ravel(part) for part in parts])


def begin(work, cache):
    """A process of its own that does these fits. Its compiled kernels are its family's own: where Numba compiles a
    kernel next to others it may round differently.
    """
    code = CHILD.format(here=str(Path(__file__).parent), work=[tuple(map(str, one)) for one in work])
    return subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"NUMBA_CACHE_DIR": str(cache)})


def newest(place):
    """The number of the newest checkpoint."""
    return max((int(path.name.split(".")[1]) for path in place.glob("*.checkpoint")), default=0)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_killed_at_random_moments_every_resume_gives_the_same_bits(tmp_path):
    rng, cache, solvers = np.random.default_rng(KILLS), tmp_path / "kernels", ("anchored", "sc-pda", "pegasos")
    solvers = solvers if KILLS > 3 else solvers[:1]
    assert begin([(solver, tmp_path / solver, tmp_path / f"{solver}.npy") for solver in solvers], cache).wait() == 0
    work = [(solvers[k % len(solvers)], tmp_path / f"{k}", tmp_path / f"{k}.npy") for k in range(KILLS)]
    for solver, place, result in work:
        epochs, deadline = int(rng.integers(1, 50)), time.monotonic() + 600.0
        child = begin([(solver, place, result)], cache)
        while newest(place) < epochs and child.poll() is None and time.monotonic() < deadline:
            time.sleep(1e-3)
        time.sleep(float(rng.uniform(0.0, 0.02)))
        child.send_signal(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL, "it ended before it was killed"
        assert newest(place) >= epochs
    assert begin(work, cache).wait() == 0
    for solver, _, result in work:
        np.testing.assert_array_equal(np.load(result), np.load(tmp_path / f"{solver}.npy"))
