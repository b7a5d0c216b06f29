"""The rows of a file in the form the kernels want, on disk: parsed once, checksummed, memory-mapped from then on.

    data    float32 if that is exact, else float64        col   uint32
    ptr     uint32, or uint64 beyond 2^32 entries         y     float64; of labels that are words, their rank

A store is a folder of the cache with these four files and `about`, which has their checksums and what its source was. It
is written under another name and renamed, so that a folder of that name is a whole store. Who may read it is who may read
the source.
"""

import contextlib
import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cesaro.linear.problem.csr import Rows
from cesaro.storage import checkpoint
from cesaro.storage.atomic_write import abandoned, sync_folder

PIECE = 1 << 24  # bytes that are converted or checked at a time
NAMES = ("data", "col", "ptr", "y")


class Store(NamedTuple):
    """Memory maps of a file's rows; copy-on-write, and never written to."""

    data: np.ndarray
    col: np.ndarray
    ptr: np.ndarray
    y: np.ndarray
    d: int
    largest: float  # of |x_ij|
    digest: str
    labels: list[str] | None  # the words, in order, if the labels are words

    @property
    def n(self) -> int:
        return len(self.y)

    def rows(self, bias: float) -> Rows:
        return Rows(self.data, self.col, self.ptr, self.d, bias)

    def named(self, values: np.ndarray) -> np.ndarray:
        """Values of y as labels."""
        return values if self.labels is None else np.array(self.labels)[values.astype(np.intp)]


class Column:
    """A file of numbers of one type that is appended to, and its checksum; it can change to a wider type."""

    def __init__(self, path: Path, dtype):
        self.path, self.dtype, self.file, self.sum = path, np.dtype(dtype), path.open("wb"), hashlib.sha256()

    def append(self, values: np.ndarray) -> None:
        content = np.ascontiguousarray(values, self.dtype).data
        self.sum.update(content)
        self.file.write(content)

    def widen(self, dtype, change: Callable[[np.ndarray], np.ndarray] = np.asarray) -> None:
        """Rewrite what is there in a wider type, or changed, a piece at a time."""
        self.file.close()
        narrow, kind = self.path.rename(self.path.with_suffix(".narrow")), self.dtype
        self.__init__(self.path, dtype)  # type: ignore[misc]
        with narrow.open("rb") as file:
            while content := file.read(PIECE):
                self.append(change(np.frombuffer(content, kind)))
        narrow.unlink()

    def close(self) -> dict[str, Any]:
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        return {"dtype": self.dtype.str, "bytes": self.path.stat().st_size, "sha256": self.sum.hexdigest()}


def write_store(
    folder: Path, source: dict[str, Any], blocks: Iterable[tuple[Any, np.ndarray]], mode: int = 0o600
) -> None:
    """Write the blocks, (CSR rows, y) each, as the store in `folder`, at once or not at all; `mode` is the source's."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    for old in folder.parent.glob(f".{folder.name}.*.writing"):
        if abandoned(old / "y" if (old / "y").exists() else old, old.name.split(".")[-2]):
            shutil.rmtree(old, ignore_errors=True)
    writing = folder.parent / f".{folder.name}.{secrets.token_hex(4)}.{os.getpid()}.writing"
    writing.mkdir(mode=0o700)  # while it is being written nobody else looks into it
    try:
        checkpoint.write(writing / "about", _write(writing, blocks) | {"source": source})
        for path in writing.iterdir():
            path.chmod(0o600 | mode & 0o066)
        writing.chmod(0o700 | mode & 0o044 | (mode & 0o044) >> 2)
        _replace(folder, writing)
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(folder)) from error  # a full disk does not say which
    finally:
        shutil.rmtree(writing, ignore_errors=True)


def _write(folder: Path, blocks: Iterable[tuple[Any, np.ndarray]]) -> dict[str, Any]:
    """The four files, and what `about` says of them."""
    data, col, ptr, y = columns = [
        Column(folder / name, kind)
        for name, kind in zip(NAMES, (np.float32, np.uint32, np.uint32, np.float64), strict=True)
    ]
    entries, d, largest = 0, 0, 0.0
    words: dict[str, int] = {}  # labels that are words, numbered as they come
    try:
        ptr.append(np.zeros(1))
        for X, targets in blocks:
            values, d = X.data, max(d, X.shape[1])
            if len(values):
                largest = max(largest, float(np.abs(values).max()))
            if data.dtype == np.float32 and not _exact(values):
                data.widen(np.float64)
            if ptr.dtype == np.uint32 and entries + len(values) >= 2**32:
                ptr.widen(np.uint64)
            data.append(values)
            col.append(X.indices)
            ptr.append(np.asarray(X.indptr[1:], np.uint64) + np.uint64(entries))
            y.append(_ranked(targets, words))
            entries += len(values)
        if words:
            ranks = np.argsort(np.argsort(list(words)))
            y.widen(np.float64, lambda codes: ranks[codes.astype(np.intp)])
        sizes = {name: column.close() for name, column in zip(NAMES, columns, strict=True)}
    finally:
        for column in columns:
            with contextlib.suppress(OSError):  # of a full disk, which has been said
                column.file.close()
    return {"files": sizes, "features": d, "largest": largest, "labels": sorted(words) or None}


def _ranked(targets: np.ndarray, words: dict[str, int]) -> np.ndarray:
    """Numbers as they are; words by their number, a new one if they come for the first time."""
    if targets.dtype.kind == "f":
        return targets
    return np.array([words.setdefault(word, len(words)) for word in targets.tolist()], dtype=np.float64)


def _exact(values: np.ndarray) -> bool:
    """Whether float32 has these very numbers."""
    with np.errstate(over="ignore"):
        return bool((values.astype(np.float32) == values).all())


def _replace(folder: Path, writing: Path) -> None:
    """Rename the new store to its place; an old one goes."""
    for attempt in range(100):
        old = writing.with_suffix(f".{attempt}")
        with contextlib.suppress(FileNotFoundError):
            folder.rename(old)
        try:
            writing.rename(folder)
            break
        except OSError:  # another one was faster, unless there is nothing
            if not folder.exists():
                raise
        finally:
            shutil.rmtree(old, ignore_errors=True)
    sync_folder(folder.parent)


def load_store(folder: Path, source: dict[str, Any]) -> Store | None:
    """The store, if it is there, is about this source, and every byte is as it was written."""
    try:
        about, _ = checkpoint.read(folder / "about")
    except (FileNotFoundError, NotADirectoryError, checkpoint.DamagedError, checkpoint.FormatError):
        return None
    if about["source"] != source or not all(_whole(folder / name, about["files"][name]) for name in NAMES):
        return None
    data, col, ptr, y = (_map(folder / name, about["files"][name]["dtype"]) for name in NAMES)
    sums = "".join(about["files"][name]["sha256"] for name in NAMES[:3])
    digest = hashlib.sha256(sums.encode()).hexdigest()[:16]
    return Store(data, col, ptr, y, about["features"], about["largest"], digest, about.get("labels"))


def _whole(path: Path, expected: dict[str, Any]) -> bool:
    if not path.exists() or path.stat().st_size != expected["bytes"]:
        return False
    found = hashlib.sha256()
    for content in _pieces(path):
        found.update(content)
    return found.hexdigest() == expected["sha256"]


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while content := file.read(PIECE):
            yield content


def _map(path: Path, dtype: str) -> np.ndarray:
    if path.stat().st_size == 0:
        return np.empty(0, dtype)
    return np.asarray(np.memmap(path, dtype, mode="c"))  # writable for Numba, which compiles anew for what is not
