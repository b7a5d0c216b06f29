"""Files of another format are refused as such, and stay where they are (docs/policies.md)."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import cesaro
from cesaro.linear.out_of_core import csr_store
from cesaro.storage import checkpoint
from cesaro.storage.checkpoint import Checkpoint


def write_in_format(number, monkeypatch, folder):
    with monkeypatch.context() as other:
        other.setattr(checkpoint, "MAGIC", b"cesaro checkpoint %d " % number)
        other.setattr(checkpoint, "FORMAT", number)
        Checkpoint(folder, {"data": "these"}).slot("model-0").save({"epoch": 3})


@pytest.mark.parametrize("number", [1, checkpoint.FORMAT + 1, 10 * checkpoint.FORMAT])
def test_a_checkpoint_of_another_format_is_refused_and_stays(number, monkeypatch, tmp_path):
    write_in_format(number, monkeypatch, tmp_path)
    if number == 1:  # whose checksum was that of the payload alone
        (path,) = tmp_path.iterdir()
        payload = path.read_bytes().split(b"\n", 1)[1]
        path.write_bytes(b"cesaro checkpoint 1 " + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(before) == 1
    with pytest.raises(checkpoint.FormatError, match=f"in format {number}.*another directory"):
        Checkpoint(tmp_path, {"data": "these"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_checkpoint_of_this_format_is_gone_on_from(monkeypatch, tmp_path):
    write_in_format(checkpoint.FORMAT, monkeypatch, tmp_path)
    assert Checkpoint(tmp_path, {"data": "these"}).slot("model-0").saved["epoch"] == 3


def test_a_format_number_that_was_damaged_is_damage(tmp_path):
    path = tmp_path / "model-0.000001.checkpoint"
    checkpoint.write(path, {"epoch": 3})
    other = b"checkpoint %d " % (checkpoint.FORMAT + 1)
    path.write_bytes(path.read_bytes().replace(b"checkpoint %d " % checkpoint.FORMAT, other, 1))
    with pytest.raises(checkpoint.DamagedError):
        checkpoint.read(path)


def test_a_cache_of_another_format_is_made_again(monkeypatch, tmp_path):
    rows = [(sp.csr_array(np.eye(3)), np.arange(3.0))]
    with monkeypatch.context() as other:
        other.setattr(checkpoint, "MAGIC", b"cesaro checkpoint %d " % (checkpoint.FORMAT + 1))
        csr_store.write_store(tmp_path / "rows", {"name": "rows"}, rows)
    assert csr_store.load_store(tmp_path / "rows", {"name": "rows"}) is None
    csr_store.write_store(tmp_path / "rows", {"name": "rows"}, rows)
    assert csr_store.load_store(tmp_path / "rows", {"name": "rows"}).n == 3


def test_a_model_file_of_the_first_format_is_read():
    model = cesaro.load(Path(__file__).parent / "storage" / "model_format_1.safetensors")
    assert list(model.classes_) == ["no", "yes"]
    np.testing.assert_allclose(model.decision_function([[1.0, 2.0, 3.0]]), 5.70492755, rtol=1e-8)
