"""Files as data: blocks of rows from svmlight text, Parquet or Arrow, and stores made of them."""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from cesaro.linear.out_of_core.csr_store import Store, load_store, write_store

TEXT = 1 << 23  # bytes of text that are parsed at a time
BATCH = 1 << 14  # rows of a table at a time
PARQUET, ARROW = b"PAR1", b"ARROW1"
Progress = Callable[[int, int], None]


def blocks(
    path,
    n_features: int | None = None,
    label: str = "label",
    progress: Progress | None = None,
    names: Sequence[str] | None = None,
    labelled: bool = True,
) -> Iterator[tuple[Any, np.ndarray]]:
    """(CSR rows, labels or targets), a block at a time; what kind of file it is its first bytes tell.

    `names` are those of a table's columns, in order; by default all but the label's. Unless it has to be `labelled` a table
    may lack the column of labels, and they are NaN.
    """
    if is_table(path):
        yield from _table(Path(path), n_features, label, progress, names, labelled)
    else:
        from cesaro.data.svmlight import reader as svmlight

        yield from svmlight.blocks(path, size=TEXT, n_features=n_features, progress=progress)


def is_table(path) -> bool:
    """Whether a file is Parquet or Arrow."""
    with Path(path).open("rb") as file:
        return file.read(6).startswith((PARQUET, ARROW))


def columns(path, label: str = "label") -> list[str] | None:
    """The names of a table's columns but the label's; None if the file is no table."""
    if not is_table(path):
        return None
    with _opened(Path(path)) as (_, schema, _):
        return [name for name in schema.names if name != label]


@contextmanager
def _opened(path: Path):
    """A Parquet or Arrow file: the file itself, its schema, its batches of rows."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError(f"{path} is a table, which needs pyarrow: pip install pyarrow.") from error
    with pa.OSFile(str(path)) as source:
        if source.read(4) == PARQUET:
            reader = pq.ParquetFile(source)
            yield source, reader.schema_arrow, reader.iter_batches(BATCH)
        else:
            table = pa.ipc.open_file(source)
            yield source, table.schema, (table.get_batch(k) for k in range(table.num_record_batches))


def _table(path: Path, n_features, label: str, progress, names, labelled) -> Iterator[tuple[Any, np.ndarray]]:
    """The columns of numbers of a Parquet or Arrow file; the one called `label` is y."""
    with _opened(path) as (source, schema, batches):
        from pyarrow.types import is_floating, is_integer

        given = [name for name in schema.names if name != label]
        if names is not None and (missing := sorted(set(names) - set(schema.names))):
            raise ValueError(
                f"{path} lacks columns that the model was fitted to: {missing[:20]}. It has {given[:20]}. Rename them."
            )
        names = given if names is None else list(names)
        if labelled and label not in schema.names:
            raise ValueError(f"{path} has no column {label!r}: it has {names[:20]}. Say label=... to name it.")
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"{path} has more than one column called {twice[0]!r}. Rename one of them.")
        wanted = {*names, label} if labelled else set(names)
        bad = [f.name for f in schema if f.name in wanted and not (is_floating(f.type) or is_integer(f.type))]
        if bad:
            raise ValueError(f"{path} has columns that are not numbers: {bad[:20]}. Encode them as numbers first.")
        if n_features is not None and n_features != len(names):
            raise ValueError(
                f"{path} has {len(names)} columns besides {label!r}, expected {n_features}. Leave the others out, or say "
                "label=... if one of them has the labels."
            )
        for batch in batches:
            X = np.column_stack([_numbers(path, batch, name) for name in names])
            y = _numbers(path, batch, label) if labelled else np.full(len(X), np.nan)
            yield sp.csr_array(X), y
            if progress is not None:
                progress(source.tell(), source.size())


def _numbers(path: Path, batch, name: str) -> np.ndarray:
    """A column as floats, all of them finite."""
    values = batch.column(name).to_numpy(zero_copy_only=False).astype(np.float64)
    if not np.isfinite(values).all():
        raise ValueError(
            f"{path} has an empty or infinite value in the column {name!r}. Remove such rows or impute it."
        )
    return values


def open_store(path, *, cache=None, n_features: int | None = None, label: str = "label", verbose=0) -> Store:
    """The rows of a file, memory-mapped; parsed only if the cache has not got them, or they are not this file's."""
    path = Path(path).resolve()
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r} to read rows from.")
    folder = cache_folder(cache) / f"{path.name[:40]}-{_key(path, n_features, label)}"
    found = os.stat(path)
    source = {"size": found.st_size, "time": found.st_mtime_ns}
    store = load_store(folder, source)
    if store is None:
        write_store(folder, source, blocks(path, n_features, label, _shown(path) if verbose else None))
        if verbose:
            print(file=sys.stderr)
        store = load_store(folder, source)
        if store is None:
            raise OSError(f"what was just written to {folder} cannot be read back: the disk may be failing.")
    _check(path, store)
    return store


def cache_folder(cache=None) -> Path:
    """Where parsed files are kept."""
    if cache is not None:
        return Path(cache)
    from cesaro.data.locations import cache as of_user

    return of_user() / "rows"


def _key(path: Path, n_features, label: str) -> str:
    return hashlib.sha256(f"{path}\n{n_features}\n{label}".encode()).hexdigest()[:16]


def _check(path: Path, store: Store) -> None:
    """What `fit` validates, as far as a parser has not."""
    if store.n == 0:
        raise ValueError(f"{path} has no rows.")
    if store.largest and not 1e-20 <= store.largest <= 1e20:
        raise ValueError(
            f"the largest value in {path} is {store.largest:.3g}: squares of it overflow or vanish. Scale the features."
        )


def _shown(path: Path) -> Progress:
    """Progress of parsing, on stderr."""

    def show(done: int, total: int) -> None:
        sys.stderr.write(f"\rparsing {path.name}: {100.0 * done / max(total, 1):.0f} %")
        sys.stderr.flush()

    return show
