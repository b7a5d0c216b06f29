"""Tables as data: Parquet, Arrow and CSV files, a batch of rows at a time. Columns have names, one of them is the label's."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro.data.streams import READ_ERRORS, opened

BATCH = 1 << 14  # rows of a table at a time
TEXT = 1 << 23  # bytes of CSV at a time
PARQUET, ARROW = b"PAR1", b"ARROW1"
SEPARATORS = (",", "\t", ";")
ENDS = 6  # names of columns that are listed from either end
FEATURE = re.compile(r"(^|\s)\d+:[-+.\d]")  # index:value, which no CSV has
Progress = Callable[[int, int], None]


class Table(NamedTuple):
    """An open table: what its columns are, its batches of rows, how many bytes are behind, how many there are."""

    schema: Any
    batches: Iterator[Any]
    tell: Callable[[], int]
    size: int


def is_table(path) -> bool:
    """Whether a file is Parquet or Arrow, by its first bytes, or CSV, by its first line."""
    with Path(path).open("rb") as file:
        return file.read(6).startswith((PARQUET, ARROW)) or separator(path) is not None


def separator(path) -> str | None:
    """What separates the columns of a CSV file; None if it is none."""
    try:
        with opened(Path(path)) as (content, _):
            start = content.read(1 << 16)
    except READ_ERRORS:
        return None
    lines = [line for line in start.decode("utf-8", "replace").splitlines() if line.strip() and line[0] != "#"]
    if not lines or "\0" in lines[0] or FEATURE.search(lines[0]):
        return None
    found = max(SEPARATORS, key=lines[0].count)
    return found if found in lines[0] else None


def column_names(path, words: bool = False) -> list[str]:
    """The names of a table's columns, or of those alone that are not numbers."""
    with open_table(Path(path)) as table:
        return [field.name for field in table.schema if not (words and _is_number(field.type))]


def name_list(names: Sequence[str]) -> str:
    """Names in a row; of many the first and the last ones."""
    if len(names) <= 2 * ENDS:
        return ", ".join(names)
    return f"{', '.join(names[:ENDS])}, ..., {', '.join(names[-ENDS:])} ({len(names)} in all)"


@contextmanager
def open_table(path: Path) -> Iterator[Table]:
    """A Parquet, Arrow or CSV file."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError(f"{path} is a table, which needs pyarrow: pip install 'cesaro[tables]'.") from error
    if (comma := separator(path)) is not None:
        with _open_csv(path, comma) as table:
            yield table
        return
    with pa.OSFile(str(path)) as source:
        kind = "Parquet" if source.read(4) == PARQUET else "Arrow"
        try:
            file = pq.ParquetFile(source) if kind == "Parquet" else pa.ipc.open_file(source)
        except pa.ArrowInvalid as error:
            raise ValueError(f"{path} begins as a {kind} file, and is cut off or damaged: {error}") from error
        if kind == "Parquet":
            yield Table(file.schema_arrow, file.iter_batches(BATCH), source.tell, source.size())
        else:
            batches = (file.get_batch(k) for k in range(file.num_record_batches))
            yield Table(file.schema, batches, source.tell, source.size())


@contextmanager
def _open_csv(path: Path, comma: str) -> Iterator[Table]:
    """A CSV file with a line of names; columns of whole numbers are read as floats, for later ones may have a point."""
    import pyarrow as pa
    from pyarrow import csv

    def reader(content: Any, types: dict[str, Any]) -> Any:
        blocks, parsing = csv.ReadOptions(block_size=TEXT), csv.ParseOptions(delimiter=comma)
        return csv.open_csv(pa.PythonFile(content, mode="r"), blocks, parsing, csv.ConvertOptions(column_types=types))

    try:
        with opened(path) as (content, _):
            schema = reader(content, {}).schema
        floats = {field.name: pa.float64() for field in schema if pa.types.is_integer(field.type)}
        with opened(path) as (content, file):
            rows = reader(content, floats)
            yield Table(schema, _each(path, rows), file.tell, path.stat().st_size)
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise ValueError(f"{path} is not a CSV table with a line of names: {error}") from error


def _each(path: Path, rows: Any) -> Iterator[Any]:
    import pyarrow as pa

    try:
        yield from rows
    except pa.ArrowInvalid as error:
        raise ValueError(
            f"{path} cannot be read as CSV further: {error}. Numbers must be numbers in every row."
        ) from error


def table_blocks(
    path: Path,
    n_features: int | None,
    label: str,
    progress: Progress | None,
    names: Sequence[str] | None,
    labelled: bool,
) -> Iterator[tuple[Any, np.ndarray]]:
    """(CSR rows, labels or targets) of a table, a batch at a time; labels may be words."""
    with open_table(path) as table:
        schema = table.schema
        names = _wanted(path, schema, n_features, label, names, labelled)
        first = 1  # row of a batch
        for batch in table.batches:
            X = np.column_stack([_numbers(path, batch, name, first) for name in names])
            yield sp.csr_array(X), _labels(path, batch, label, first) if labelled else np.full(len(X), np.nan)
            first += len(X)
            if progress is not None:
                progress(table.tell(), table.size)


def _wanted(path: Path, schema: Any, n_features, label: str, names, labelled: bool) -> list[str]:
    """The columns of features, in order; an error that says what is wrong if they are not there, or no numbers."""
    given = [name for name in schema.names if name != label]
    if names is not None and (missing := sorted(set(names) - set(schema.names))):
        raise ValueError(
            f"{path} lacks columns that the model was fitted to: {name_list(missing)}. It has {name_list(given)}. Rename them."
        )
    names = given if names is None else list(names)
    if labelled and label not in schema.names:
        raise ValueError(f"{path} has no column {label!r}: it has {name_list(names)}. Say label=... to name it.")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{path} has more than one column called {twice[0]!r}. Rename one of them.")
    if bad := [field.name for field in schema if field.name in names and not _is_number(field.type)]:
        raise ValueError(
            f"{path} has columns that are not numbers: {name_list(bad)}. Encode them as numbers first, for example one "
            "column of 0 and 1 for each value."
        )
    if n_features is not None and n_features != len(names):
        raise ValueError(
            f"{path} has {len(names)} columns besides {label!r}, expected {n_features}. Leave the others out, or say "
            "label=... if one of them has the labels."
        )
    return names


def _is_number(kind: Any) -> bool:
    from pyarrow.types import is_boolean, is_floating, is_integer

    return bool(is_floating(kind) or is_integer(kind) or is_boolean(kind))


def _numbers(path: Path, batch, name: str, first: int) -> np.ndarray:
    """A column as floats, all of them finite; `first` is the number of the batch's first row, for errors."""
    values = batch.column(name).to_numpy(zero_copy_only=False).astype(np.float64)
    if not (finite := np.isfinite(values)).all():
        kind = "an empty" if np.isnan(values[finite.argmin()]) else "an infinite"
        raise ValueError(
            f"{path} has {kind} value in row {first + int(finite.argmin())} (the first is 1), column {name!r}. Remove such "
            "rows or impute it."
        )
    return values


def _labels(path: Path, batch, name: str, first: int) -> np.ndarray:
    """The labels or targets: numbers, or words."""
    column = batch.column(name)
    if _is_number(column.type):
        return _numbers(path, batch, name, first)
    values = column.to_pylist()
    if column.null_count:
        raise ValueError(
            f"{path} has no label in row {first + values.index(None)} (the first is 1): the column {name!r} is empty there. "
            "Remove such rows."
        )
    return np.array([str(value) for value in values])
