"""Official binary files are read as they are documented; tried on small files made in that format."""

import numpy as np
import pytest

from cesaro.data.cifar import FORMATS, load_cifar


def write(folder, name, rng, per_file=7):
    """Small files in the official format, and what is in them."""
    source = FORMATS[name]
    place = folder / source.folder
    place.mkdir()
    expected = {}
    for file in (*source.train, *source.test):
        labels = rng.integers(0, source.classes if source.labels == 1 else 20, size=(per_file, source.labels)).astype(
            np.uint8
        )
        labels[:, -1] = rng.integers(0, source.classes, size=per_file)
        pixels = rng.integers(0, 256, size=(per_file, 3, 32, 32)).astype(np.uint8)
        records = [bytes(a) + bytes(x.ravel()) for a, x in zip(labels, pixels, strict=True)]
        (place / file).write_bytes(b"".join(records))
        expected[file] = pixels, labels[:, -1]
    return expected


@pytest.mark.parametrize("name", FORMATS)
def test_what_was_written_in_the_official_format_is_read(name, tmp_path):
    expected = write(tmp_path, name, np.random.default_rng(0))
    for folder in (tmp_path, tmp_path / FORMATS[name].folder):
        for images, files in zip(load_cifar(name, folder), (FORMATS[name].train, FORMATS[name].test), strict=True):
            assert np.array_equal(images.x, np.concatenate([expected[file][0] for file in files]))
            assert np.array_equal(images.y, np.concatenate([expected[file][1] for file in files]))
            assert images.x.dtype == np.uint8


def test_the_folder_can_come_from_the_environment(tmp_path, monkeypatch):
    write(tmp_path, "cifar10", np.random.default_rng(1))
    monkeypatch.setenv("CESARO_DATA", str(tmp_path))
    train, test = load_cifar()
    assert train.x.shape == (35, 3, 32, 32)
    assert test.y.shape == (7,)


def test_missing_files_say_where_to_get_them(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"cifar-10-binary\.tar\.gz there, or set CESARO_DATA"):
        load_cifar("cifar10", tmp_path)


def test_unknown_names_are_refused(tmp_path):
    with pytest.raises(ValueError, match="cifar10, cifar100: got 'mnist'"):
        load_cifar("mnist", tmp_path)


def test_broken_files_are_refused(tmp_path):
    write(tmp_path, "cifar10", np.random.default_rng(2))
    file = tmp_path / "cifar-10-batches-bin" / "test_batch.bin"
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    with pytest.raises(ValueError, match="not a multiple of 3073"):
        load_cifar("cifar10", tmp_path)
    file.write_bytes(b"\xff" + whole[1:])
    with pytest.raises(ValueError, match="label 255, expected less than 10"):
        load_cifar("cifar10", tmp_path)
