"""CIFAR-10 and CIFAR-100 from their official binary files (Krizhevsky 2009). Reading them runs no code: there is no pickle.

A record is one label byte (CIFAR-100: the coarse label, then the fine one) and 3072 pixels: the red, green and blue plane, each
row by row.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from cesaro.data.artifacts import altered
from cesaro.data.catalogue import CATALOGUE
from cesaro.data.download import obtain


class Source(NamedTuple):
    folder: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    labels: int  # label bytes per record; the last one is the class
    classes: int


SOURCES = {
    "cifar10": Source(
        "cifar-10-batches-bin", tuple(f"data_batch_{i}.bin" for i in range(1, 6)), ("test_batch.bin",), 1, 10
    ),
    "cifar100": Source("cifar-100-binary", ("train.bin",), ("test.bin",), 2, 100),
}


class Images(NamedTuple):
    """Pixels as they are stored, (n, 3, 32, 32) bytes, and classes 0, 1, ..."""

    x: np.ndarray
    y: np.ndarray


def load_cifar(name: str = "cifar10", folder: str | Path | None = None) -> tuple[Images, Images]:
    """The training and the test images.

    name : "cifar10" or "cifar100"
    folder : where the official folder (cifar-10-batches-bin or cifar-100-binary) or its files are; by default it is looked for
        in $CESARO_DATA and the cache, else downloaded
    """
    if name not in SOURCES:
        raise ValueError(f"name must be one of {', '.join(SOURCES)}: got {name!r}.")
    source = SOURCES[name]
    (archive,) = CATALOGUE[name].parts
    if folder is None:
        place = obtain(archive, CATALOGUE[name], progress=True)
    elif (found := archive.find(Path(folder))) is not None:
        place = found
    else:
        raise FileNotFoundError(
            f"{source.folder} with {', '.join((*source.train, *source.test))} is not in {Path(folder).resolve()}. "
            f"Unpack {archive.address} there, or set CESARO_DATA to the folder that has it."
        )
    if why := archive.flaw(place):
        raise altered(place, archive.address, why)
    train, test = (_read_all([place / file for file in files], source) for files in (source.train, source.test))
    return train, test


def _read_all(paths: list[Path], source: Source) -> Images:
    parts = [read_records(path, source.labels, source.classes) for path in paths]
    return Images(np.concatenate([part.x for part in parts]), np.concatenate([part.y for part in parts]))


def read_records(path: Path, labels: int, classes: int) -> Images:
    """One file; a wrong length or an impossible label is an error, because it means a wrong or broken file."""
    raw = np.fromfile(path, dtype=np.uint8)
    length = labels + 3072
    if raw.size == 0 or raw.size % length:
        raise ValueError(f"{path} has {raw.size} bytes, not a multiple of {length}: it is broken or of another format.")
    records = raw.reshape(-1, length)
    y = records[:, labels - 1].astype(np.int64)
    if y.max() >= classes:
        raise ValueError(
            f"{path} has label {y.max()}, expected less than {classes}: it is broken or of another format."
        )
    return Images(np.ascontiguousarray(records[:, labels:]).reshape(-1, 3, 32, 32), y)
