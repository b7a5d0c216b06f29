"""Files as data: blocks of rows from svmlight text or a table (Parquet, Arrow, CSV), and stores made of them."""

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cesaro.linear.out_of_core.csr_store import Store, load_store, write_store
from cesaro.linear.out_of_core.tables import Progress, column_names, is_table, table_blocks

TEXT = 1 << 23  # bytes of text that are parsed at a time
SAMPLES, PIECE = 64, 1 << 14  # pieces of a file, and their bytes, by whose checksum it is known again


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
    may lack the column of labels, and they are NaN. Labels of a table may be words.
    """
    if is_table(path):
        yield from table_blocks(Path(path), n_features, label, progress, names, labelled)
    else:
        from cesaro.data.svmlight import reader as svmlight

        yield from svmlight.blocks(path, size=TEXT, n_features=n_features, progress=progress)


def columns(path, label: str = "label") -> list[str] | None:
    """The names of a table's columns but the label's; None if the file is no table."""
    return [name for name in column_names(path) if name != label] if is_table(path) else None


def open_store(
    path,
    *,
    cache=None,
    n_features: int | None = None,
    label: str = "label",
    verbose=0,
    progress: Progress | None = None,
) -> Store:
    """The rows of a file, memory-mapped; parsed only if the cache has not got them, or they are not this file's.

    A file is the one that was parsed if it has the same inode, size, times of change and checksum of its head, its tail and
    samples between.
    """
    path = Path(path).resolve()
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r} to read rows from.")
    folder = cache_folder(cache) / f"{path.name[:40]}-{_key(path, n_features, label)}"
    source = _identity(path)
    store = load_store(folder, source)
    if store is None:
        rewrites = verbose and progress is None and sys.stderr.isatty()
        rows = blocks(path, n_features, label, _shown(path) if rewrites else progress)
        write_store(folder, source, rows, path.stat().st_mode)
        if rewrites:
            print(file=sys.stderr)
        if _identity(path) != source:
            raise OSError(f"{path} has changed while it was read. Begin again when nobody writes to it.")
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


def _identity(path: Path) -> dict[str, Any]:
    """What tells whether a file is the one that was parsed."""
    found, sample = os.stat(path), hashlib.sha256()
    with path.open("rb") as file:
        for k in range(SAMPLES + 1):
            file.seek(k * max(0, found.st_size - PIECE) // SAMPLES)
            sample.update(file.read(PIECE))
    times = [found.st_mtime_ns, found.st_ctime_ns]
    return {"size": found.st_size, "times": times, "inode": found.st_ino, "sample": sample.hexdigest()}


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
    """Progress of parsing, on a terminal."""

    def show(done: int, total: int) -> None:
        sys.stderr.write(f"\rparsing {path.name}: {100.0 * done / max(total, 1):.0f} %")
        sys.stderr.flush()

    return show
