"""DATA as rows: the name of a data set, a svmlight file, a table or standard input."""

import atexit
import difflib
import functools
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro import data
from cesaro.cli import estimator, output
from cesaro.cli.errors import CLIError
from cesaro.cli.progress import ProgressBar
from cesaro.data import Dataset
from cesaro.linear.out_of_core.readers import blocks
from cesaro.linear.out_of_core.tables import column_names, is_table, name_list

STDIN = "-"


class Given(NamedTuple):
    """DATA as rows: labels may be words, and the columns of a table have names."""

    data: Dataset
    names: list[str] | None = None


def read_dataset(
    source: str, bar: ProgressBar, label: str = "label", names: Sequence[str] | None = None, labelled: bool = True
) -> Given:
    """The rows of a name, downloaded first if need be, or of a file. `names` are the columns of a table that count."""
    bar.start(f"reading {'standard input' if source == STDIN else source}")
    with_rows = [name for name, entry in data.CATALOGUE.items() if entry.columns]
    if source in data.CATALOGUE:
        if source not in with_rows:
            raise CLIError(f"{source} has images, not rows", f"DATA is a file or one of {', '.join(with_rows)}.")
        if data.locate(source) is None:
            with bar.paused():
                data.fetch(source, progress=sys.stderr.isatty())
        return Given(data.load(source))
    path = find_file(source)
    if is_table(path):
        given = _read_table(path, bar, label, names, labelled)
    else:
        X, y = data.read_svmlight(path, progress=lambda done, total: bar.update(done / max(total, 1)))
        given = Given(Dataset(path.name, X, y, None, None, ""))
    if not len(given.data.y):
        raise CLIError(f"{source} has no rows", "a row is a label and its features: +1 3:0.5 7:1")
    return given


def _read_table(path: Path, bar: ProgressBar, label: str, names: Sequence[str] | None, labelled: bool) -> Given:
    """The rows of a table in memory; labels that are missing are NaN, unless they are needed."""
    if labelled:
        check_label(path, label)
    columns = column_names(path)
    parts = list(
        blocks(path, None, label, lambda done, total: bar.update(done / max(total, 1)), names, label in columns)
    )
    if not parts:
        raise CLIError(f"{path.name} has no rows", "a table has a line or a schema of names, and rows below.")
    X, y = sp.vstack([X for X, _ in parts], format="csr"), np.concatenate([y for _, y in parts])
    kept = [name for name in columns if name != label] if names is None else list(names)
    return Given(Dataset(path.name, sp.csr_matrix(X), y, None, None, ""), kept)


def check_label(path: Path, label: str) -> None:
    """Refuse a table without the column of labels, with a guess which one it is."""
    columns = column_names(path)
    if label in columns:
        return
    near, words = difflib.get_close_matches(label, columns, 1), column_names(path, words=True)
    guess = f"perhaps --label {near[0]}" if near else "say --label NAME"
    if not near and len(words) == 1:
        guess = f"perhaps --label {words[0]}, the one column of words"
    raise CLIError(f"{path.name} has no column {label!r}", f"{guess}: its columns are {name_list(columns)}.")


@functools.cache
def spool_stdin() -> Path:
    """Standard input as a file, which is read more than once; it goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix="cesaro-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "standard input"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path


def find_file(source: str) -> Path:
    """The file of that name, or standard input as one."""
    path = spool_stdin() if source == STDIN else Path(source)
    if not path.is_file():
        with_rows = [name for name, entry in data.CATALOGUE.items() if entry.columns]
        raise CLIError(
            f"{source} is {'a folder' if path.is_dir() else 'neither a file nor the name of a data set'}",
            f"DATA is a svmlight file, a table (CSV, Parquet, Arrow), - or one of {', '.join(with_rows)}.",
        )
    return path


def read_with_test(source: str, test: str | None, bar: ProgressBar, label: str = "label") -> Given:
    """The rows of a source, with those of another to measure on if there is one."""
    given = read_dataset(source, bar, label)
    if test is None:
        return given
    other = read_dataset(test, bar, label, given.names).data
    X = match_features(other.X, given.data.X.shape[1], other.name)
    return given._replace(data=given.data._replace(X_test=X, y_test=other.y, test_note=other.name))


def match_features(X: Any, features: int, name: str) -> Any:
    """X with exactly so many columns. A feature that no training row had has weight zero, so leaving it out is exact."""
    if X.shape[1] > features:
        beyond = int((X.indices >= features).sum())
        output.print_note(
            f"{name} has {output.pluralize(beyond, 'entry', 'entries')} beyond feature {features}, the last in training; "
            "their weight is zero and they are left out."
        )
        return X[:, :features]
    if X.shape[1] < features:
        X = X.copy()
        X.resize(X.shape[0], features)
    return X


def check_label_kind(y: Any, regression: bool) -> None:
    """Refuse a loss that does not go with the labels."""
    words = np.asarray(y).dtype.kind == "U"
    if regression and words:
        raise CLIError(f"the labels are words: {_few(y)}", "for classes use a classification loss, --loss hinge.")
    if regression:
        return
    found = np.unique(y)
    if len(found) < 2:
        raise CLIError(
            f"every row has the label {estimator.format_label(found[0])}: there is nothing to tell apart",
            "a classifier needs two labels at least.",
        )
    if not words and not np.all(found == np.round(found)):
        wrong = found[found != np.round(found)][0]
        raise CLIError(
            f"the labels are not classes: one of them is {wrong:g}",
            "for numbers to be predicted use a regression loss, --loss squared_error.",
        )


def check_test_labels(y: Any, y_test: Any, name: str, regression: bool) -> None:
    """Refuse test rows that cannot be scored before the work, not after it."""
    kinds = ["words" if np.asarray(each).dtype.kind == "U" else "numbers" for each in (y, y_test)]
    if kinds[0] != kinds[1] or (not regression and not np.isin(np.unique(y_test), np.unique(y)).any()):
        raise CLIError(
            f"no label of {name} is one of the training rows': it has {_few(y_test)}, they have {_few(y)}",
            "write them in the same way in both, or leave --test out.",
        )


def _few(labels: Any) -> str:
    found = np.unique(labels)
    return ", ".join(str(estimator.format_label(each)) for each in found[:4]) + (", ..." if len(found) > 4 else "")
