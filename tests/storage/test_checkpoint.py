"""A checkpoint on disk: damage of any kind is detected, the one before is kept, saves are rare enough."""

import errno
import os
import subprocess
import sys

import numpy as np
import pytest

from cesaro.storage import checkpoint
from cesaro.storage.atomic_write import whole_file
from cesaro.storage.checkpoint import Checkpoint, DamagedError, read, write
from cesaro.storage.states import CheckpointError


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
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(DamagedError):
            read(path)
    path.write_bytes(content + b"\0")
    with pytest.raises(DamagedError):
        read(path)


def test_every_flipped_bit_is_detected(tmp_path):
    path, _ = state_file(tmp_path)
    content, rng = path.read_bytes(), np.random.default_rng(0)
    for bit in [*range(0, 8 * checkpoint.HEADER, 5), *rng.integers(8 * len(content), size=1000)]:
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(DamagedError):
            read(path)


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


def test_a_save_that_fails_half_way_leaves_what_was_there_and_warns_once(tmp_path, monkeypatch):
    slot = Checkpoint(tmp_path, {}).slot("model-0")
    slot.save({"epoch": 1})

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(RuntimeWarning, match=r"No space left on device: '.*000002\.checkpoint'.*goes on"):
        slot.save({"epoch": 2})
    slot.save({"epoch": 2})  # without another
    monkeypatch.undo()
    slot = Checkpoint(tmp_path, {}).slot("model-0")
    assert slot.saved["epoch"] == 1
    slot.save({"epoch": 2})
    assert Checkpoint(tmp_path, {}).slot("model-0").saved["epoch"] == 2


def test_what_a_kill_has_left_of_a_write_goes_with_the_next_save(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    mine, other = (tmp_path / f".{slot}.000002.checkpoint.{dead.pid}.0a1b2c3d.part" for slot in ("model-1", "model-10"))
    mine.write_bytes(b"half"), other.write_bytes(b"half")
    Checkpoint(tmp_path, {}).slot("model-1").save({"epoch": 1})
    assert [path.name for path in sorted(tmp_path.iterdir())] == [other.name, "model-1.000001.checkpoint"]


def test_what_another_fit_is_writing_into_the_same_directory_stays(tmp_path):
    slots = [Checkpoint(tmp_path, {}).slot("model-0") for _ in range(2)]
    with whole_file(tmp_path / "model-0.000001.checkpoint") as file:
        file.write(b"the first fit's")
        slots[1].save({"epoch": 1})
    assert (tmp_path / "model-0.000001.checkpoint").read_bytes() == b"the first fit's"


def test_what_has_not_changed_for_an_hour_is_abandoned_whoever_wrote_it(tmp_path):
    part = tmp_path / f".model-0.000002.checkpoint.{os.getpid()}.0a1b2c3d.part"
    part.write_bytes(b"half")
    os.utime(part, (1.0, 1.0))
    Checkpoint(tmp_path, {}).slot("model-0").save({"epoch": 1})
    assert not part.exists()


def test_a_file_that_another_fit_has_just_removed_is_passed_over(tmp_path, monkeypatch):
    point = Checkpoint(tmp_path, {})
    point.slot("model-0").save({"epoch": 1})
    listed = [tmp_path / "model-0.000002.checkpoint", *point.files("model-0")]
    monkeypatch.setattr(point, "files", lambda slot: listed)
    assert point.newest("model-0")[0]["epoch"] == 1


@pytest.mark.parametrize("seed", [None, -1, "1", 2**80, True, 0.5])
def test_a_state_without_a_seed_that_is_one_is_refused(seed, tmp_path):
    write(tmp_path / "model-0.000001.checkpoint", {"epoch": 1} | ({} if seed is None else {"seed": seed}))
    with pytest.raises(CheckpointError, match="seed"):
        Checkpoint(tmp_path, {})


@pytest.mark.parametrize("rest", ["[" * 100_000, "[1, 2]", "3", '"word"', "null"])
def test_a_payload_that_says_something_else_is_damage(rest, tmp_path, monkeypatch):
    path, real = tmp_path / "model-0.000001.checkpoint", checkpoint.save
    monkeypatch.setattr(checkpoint, "save", lambda arrays, metadata: real(arrays, metadata | {"rest": rest}))
    write(path, {"w": np.ones(3)})
    with pytest.raises(DamagedError):
        read(path)


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
