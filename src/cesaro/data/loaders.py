"""`load`: rows and labels of a named data set or of a file."""

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro.data.artifacts import SvmlightFile, altered_file_error
from cesaro.data.catalogue import CATALOGUE, Entry
from cesaro.data.download import obtain
from cesaro.data.svmlight.errors import SvmlightError
from cesaro.data.svmlight.reader import read_rows, read_svmlight


class Dataset(NamedTuple):
    """Rows and labels as the file has them, and the published test rows where there are any.

    Parameters
    ----------
    name : str
        That of the catalogue, or of the file.
    X : scipy.sparse.csr_matrix of shape (n_rows, n_features)
        The training rows.
    y : ndarray of shape (n_rows,)
        Their labels or targets.
    X_test, y_test : as X and y, or None
        The published test rows.
    test_note : str
        Where the test rows come from.
    """

    name: str
    X: sp.csr_matrix
    y: np.ndarray
    X_test: sp.csr_matrix | None
    y_test: np.ndarray | None
    test_note: str


def load(source: str | os.PathLike[str], *, n_features: int | None = None, allow_nonfinite: bool = False) -> Dataset:
    """A data set of the catalogue, or a svmlight file.

    Parameters
    ----------
    source : str or path-like
        "a9a", "w8a", "ijcnn1" or "covtype", found on this machine or downloaded; or the path of a file, plain or compressed
        ("./a9a" is a file, "a9a" is not).
    n_features : int, optional
        Columns of X; by default those of the catalogue, or the largest index of the file.
    allow_nonfinite : bool, default=False
        Accept nan, inf and what overflows to inf in a file.

    Returns
    -------
    Dataset
        The rows, the labels, and the published test rows where there are any.

    Raises
    ------
    DataError
        If a named data set cannot be had, or is not the published one.
    SvmlightError
        If a file is damaged or not in the format.
    FileNotFoundError, ValueError
        If there is neither such a file nor such a name; if n_features is too small or the data set has images.

    Examples
    --------
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
    """A data set by its entry: every file found or downloaded, read, and verified while it is read."""
    files = [artifact for artifact in entry.artifacts if isinstance(artifact, SvmlightFile)]
    if not files:
        raise ValueError(f"{entry.name} has images, not rows: use cesaro.data.load_cifar({entry.name!r}).")
    if n_features is not None and entry.columns is not None and n_features < entry.columns:
        raise ValueError(
            f"n_features must be at least {entry.columns} for {entry.name}: got {n_features}. Leave it out."
        )
    columns = n_features or entry.columns
    (X, y), *more = [_read_verified(file, obtain(file, entry, progress), columns) for file in files]
    if not more:
        return Dataset(entry.name, X, y, None, None, "none in the catalogue")
    return Dataset(entry.name, X, y, *more[0], f"the published test file {files[1].name}")


def _read_verified(file: SvmlightFile, path: Path, columns: int | None) -> tuple[sp.csr_matrix, np.ndarray]:
    """The rows of a file; if it differs from the published one that is an error, whether it can be read or not."""
    text = hashlib.sha256()
    try:
        X, y = read_rows(path, columns, on_text=text.update)
    except SvmlightError as error:
        raise altered_file_error(path, file.address, str(error)) from error
    if why := file.digest_mismatch(path, text.hexdigest()):
        raise altered_file_error(path, file.address, why)
    return X, y
