"""What a user hands in, as chunks of rows: dask arrays and data frames, svmlight files. A chunk is made on a worker.

Nothing is loaded here: a chunk is a delayed call of a deterministic loader, which can be made again if it is lost.
"""

from collections.abc import Callable
from glob import glob, has_magic
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro.linear.estimators.target_validation import MISSING
from cesaro.linear.estimators.validation import check_finite


class Chunk(NamedTuple):
    """Rows, one after the other: CSR with sorted columns and no stored zeros, labels or targets, weights."""

    X: Any
    y: np.ndarray
    v: np.ndarray


class Source(NamedTuple):
    """Delayed chunks, and what is known of them before they are loaded."""

    chunks: list
    width: int | None  # columns; None: the widest chunk's
    names: np.ndarray | None  # of the columns, if they are all strings


def from_collections(X, y, sample_weight=None) -> Source:
    """Chunks of dask collections; y and the weights are cut as X is."""
    from dask import delayed

    if y is None:
        raise ValueError(MISSING)
    for name, value in {"X": X, "y": y, "sample_weight": sample_weight}.items():
        if value is not None:
            refuse_other(name, value)
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and columns: got {X.ndim}.")
    columns = getattr(X, "columns", None)
    names = None if columns is None else np.asarray(columns, dtype=object)
    blocks = row_blocks(X)
    ys, vs = row_blocks(y, X), [None] * len(blocks) if sample_weight is None else row_blocks(sample_weight, X)
    for name, others in {"y": ys, "sample_weight": vs}.items():
        if len(others) != len(blocks):
            raise ValueError(f"{name} has {len(others)} partitions, X has {len(blocks)}: repartition them alike.")
    make = delayed(chunk_or_error, pure=True)
    chunks = [make(make_chunk, *parts) for parts in zip(blocks, ys, vs, strict=True)]
    known = names is not None and all(isinstance(name, str) for name in names)
    return Source(chunks, None if np.isnan(X.shape[1]) else int(X.shape[1]), names if known else None)


def refuse_other(name: str, value) -> None:
    """Refuse what is not a dask collection."""
    if not callable(getattr(value, "to_delayed", None)):
        raise TypeError(
            f"{name} must be a dask array or data frame: got {type(value).__name__}. Use dask.array.from_array, "
            "fit_files, or the estimators of cesaro.linear (model.to_local()) for data in one process."
        )


def row_blocks(collection, like=None) -> list:
    """The delayed row blocks of a collection, cut as `like` where both know their sizes."""
    if hasattr(collection, "chunks"):
        if collection.ndim == 2:
            collection = collection.rechunk({1: -1})
        mine, cut = collection.chunks[0], getattr(like, "chunks", ((np.nan,),))[0]
        if mine != cut and not np.isnan([*mine, *cut]).any():
            if sum(mine) != sum(cut):
                raise ValueError(f"X has {sum(cut)} rows, y or sample_weight {sum(mine)}.")
            collection = collection.rechunk({0: cut})
    return list(np.ravel(collection.to_delayed()))


def from_files(paths) -> Source:
    """Chunks of svmlight files, one each; they are read on the workers, which must see the same paths."""
    from dask import delayed

    if isinstance(paths, str | Path):
        pattern, paths = paths, sorted(glob(str(paths))) or [paths]  # workers may see files that the driver does not
        if has_magic(str(pattern)) and paths == [pattern]:
            raise ValueError(
                f"no file matches {str(pattern)!r}: fit_files takes a list of svmlight files, or a pattern."
            )
    paths = list(paths)
    if not paths:
        raise ValueError("no files given: fit_files takes a list of svmlight files, or a pattern.")
    return Source([delayed(chunk_or_error, pure=True)(read_chunk, str(path)) for path in paths], None, None)


def chunk_or_error(make: Callable[..., Chunk], *parts: Any) -> Chunk | Exception:
    """The chunk, or why its rows are refused: as a value, lest every worker log the same error with its traceback."""
    try:
        return make(*parts)
    except (ValueError, TypeError, OSError) as error:
        return error.with_traceback(None)


def read_chunk(path: str) -> Chunk:
    """The rows of a svmlight file."""
    from cesaro.data.svmlight.reader import read_svmlight

    X, y = read_svmlight(path)
    return make_chunk(X, y, None)


def make_chunk(X, y, v) -> Chunk:
    """A chunk of one block each; checked here, where the rows are."""
    sparse: bool = sp.issparse(X)
    if not sparse:
        X = np.asarray(X)
        if X.dtype.kind not in "fiub":
            X = X.astype(np.float64)
    X = sp.csr_array(X) if X.dtype in (np.float32, np.float64) else sp.csr_array(X, dtype=np.float64)
    if sparse:
        X = X.copy()
        X.sum_duplicates()
    X.eliminate_zeros()  # one form for every row, however the rows were cut: the exact mode counts on it
    y = np.asarray(y)
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    v = np.ones(X.shape[0]) if v is None else np.asarray(v, dtype=np.float64).ravel()
    if not len(y) == len(v) == X.shape[0]:
        raise ValueError(f"a chunk of X has {X.shape[0]} rows, y has {len(y)}, sample_weight {len(v)}: cut them alike.")
    check_finite(X.data, "X", where=lambda k: f"row {np.searchsorted(X.indptr, k, side='right') - 1} of a chunk")
    check_finite(v, "sample_weight", where=lambda k: f"row {k} of a chunk")
    if y.dtype.kind in "fiub":
        check_finite(y, "y", where=lambda k: f"row {k} of a chunk")
    if len(v) and v.min() < 0.0:
        raise ValueError(f"sample_weight must not be negative: got {v.min()}.")
    return Chunk(X, y, v)
