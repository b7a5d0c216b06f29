"""CIFAR-10 and CIFAR-100 from their official binary files (Krizhevsky 2009). Reading them runs no code: there is no pickle.

A record is one label byte (CIFAR-100: the coarse label, then the fine one) and 3072 pixels: the red, green and blue plane, each
row by row.
"""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cesaro.data.artifacts import altered_file_error
from cesaro.data.catalogue import CATALOGUE
from cesaro.data.download import obtain


class CifarFormat(NamedTuple):
    """Which files a CIFAR data set has, and what their records contain."""

    folder: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    labels: int  # label bytes per record; the last one is the class
    classes: int


FORMATS = {
    "cifar10": CifarFormat(
        "cifar-10-batches-bin", tuple(f"data_batch_{i}.bin" for i in range(1, 6)), ("test_batch.bin",), 1, 10
    ),
    "cifar100": CifarFormat("cifar-100-binary", ("train.bin",), ("test.bin",), 2, 100),
}


class Images(NamedTuple):
    """Pixels as they are stored, and classes.

    Parameters
    ----------
    x : ndarray of uint8 of shape (n, 3, 32, 32)
        Red, green and blue planes.
    y : ndarray of int64 of shape (n,)
        Classes 0, 1, ...
    """

    x: np.ndarray
    y: np.ndarray


def load_cifar(name: str = "cifar10", folder: str | os.PathLike[str] | None = None) -> tuple[Images, Images]:
    """The training and the test images.

    Parameters
    ----------
    name : {"cifar10", "cifar100"}, default="cifar10"
        Which of the two.
    folder : path-like, optional
        Where the official folder (cifar-10-batches-bin or cifar-100-binary) or its files are; by default it is searched in
        $CESARO_DATA and the cache, else downloaded.

    Returns
    -------
    train, test : Images
        Pixels and classes, in the order of the files.

    Raises
    ------
    FileNotFoundError
        If the folder has no such files.
    DataError
        If they cannot be downloaded, or are not the published ones.
    ValueError
        If the name is unknown, or a file is broken or of another format.

    Examples
    --------
    `train, test = load_cifar("cifar10")` gives `train.x` of shape (50000, 3, 32, 32) and `test.x` of (10000, 3, 32, 32).
    """
    if name not in FORMATS:
        raise ValueError(f"name must be one of {', '.join(FORMATS)}: got {name!r}.")
    layout = FORMATS[name]
    (archive,) = CATALOGUE[name].artifacts
    if folder is None:
        path = obtain(archive, CATALOGUE[name], progress=True)
    elif (found := archive.find(Path(folder))) is not None:
        path = found
    else:
        raise FileNotFoundError(
            f"{layout.folder} with {', '.join((*layout.train, *layout.test))} is not in {Path(folder).resolve()}. "
            f"Unpack {archive.address} there, or set CESARO_DATA to the folder that has it."
        )
    if why := archive.mismatch(path):
        raise altered_file_error(path, archive.address, why)
    train, test = (_read_all([path / file for file in files], layout) for files in (layout.train, layout.test))
    return train, test


def _read_all(paths: list[Path], layout: CifarFormat) -> Images:
    batches = [read_records(path, layout.labels, layout.classes) for path in paths]
    return Images(np.concatenate([batch.x for batch in batches]), np.concatenate([batch.y for batch in batches]))


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
