"""`load`: rows and labels of a named data set or of a file."""

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro.data.artifacts import Text, altered
from cesaro.data.catalogue import CATALOGUE, Entry
from cesaro.data.download import obtain
from cesaro.data.svmlight.reader import SvmlightError, read, read_svmlight


class Dataset(NamedTuple):
    """Rows and labels as the file has them, and the published test part where there is one."""

    name: str
    X: sp.csr_matrix
    y: np.ndarray
    X_test: sp.csr_matrix | None
    y_test: np.ndarray | None
    test_note: str  # how the test part came to be


def load(source: str | os.PathLike, *, n_features: int | None = None, allow_nonfinite: bool = False) -> Dataset:
    """A data set of the catalogue, or a svmlight file.

    source : "a9a", "w8a", "ijcnn1" or "covtype", found on this machine or downloaded; or the path of a file, plain or
        compressed ("./a9a" is a file, "a9a" is not)
    n_features, allow_nonfinite : as in read_svmlight; a named data set knows its number of columns

    >>> a9a = load("a9a")
    >>> a9a.X.shape, a9a.X_test.shape, a9a.test_note
    ((32561, 123), (16281, 123), 'the published test file a9a.t')
    """
    if source in CATALOGUE:
        return load_entry(CATALOGUE[str(source)], n_features)
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(f"{str(source)!r} is neither a file nor a data set ({', '.join(CATALOGUE)}).")
    X, y = read_svmlight(path, n_features=n_features, allow_nonfinite=allow_nonfinite)
    return Dataset(path.name, X, y, None, None, "none: one file was given")


def load_entry(entry: Entry, n_features: int | None = None, progress: bool = True) -> Dataset:
    """A data set by its entry: every part found or downloaded, read, and checked while it is read."""
    parts = [part for part in entry.parts if isinstance(part, Text)]
    if not parts:
        raise ValueError(f"{entry.name} has images, not rows: use cesaro.data.load_cifar({entry.name!r}).")
    if n_features is not None and entry.columns is not None and n_features < entry.columns:
        raise ValueError(
            f"n_features must be at least {entry.columns} for {entry.name}: got {n_features}. Leave it out."
        )
    columns = n_features or entry.columns
    (X, y), *more = [_checked(part, obtain(part, entry, progress), columns) for part in parts]
    if not more:
        return Dataset(entry.name, X, y, None, None, "none in the catalogue")
    return Dataset(entry.name, X, y, *more[0], f"the published test file {parts[1].name}")


def _checked(part: Text, path: Path, columns: int | None) -> tuple[sp.csr_matrix, np.ndarray]:
    """The rows of a part; a file that differs from the published one is an error, whether it can be read or not."""
    text = hashlib.sha256()
    try:
        X, y = read(path, columns, watch=text.update)
    except SvmlightError as error:
        raise altered(path, part.address, str(error)) from error
    if why := part.difference(path, text.hexdigest()):
        raise altered(path, part.address, why)
    return X, y
