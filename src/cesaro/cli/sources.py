"""From DATA on the command line to rows and labels."""

import sys
from pathlib import Path
from typing import Any

from cesaro import data
from cesaro.cli import output
from cesaro.cli.errors import Trouble
from cesaro.cli.progress import Bars
from cesaro.data import Dataset


def read(source: str, bar: Bars) -> Dataset:
    """The rows of a name, downloaded first if need be, or of a file."""
    bar.doing(f"reading {source}")
    with_rows = [name for name, entry in data.CATALOGUE.items() if entry.columns]
    if source in data.CATALOGUE:
        if source not in with_rows:
            raise Trouble(
                f"{source} has images, not rows", f"DATA is a svmlight file or one of {', '.join(with_rows)}."
            )
        if data.locate(source) is None:
            with bar.paused():
                data.fetch(source, progress=sys.stderr.isatty())
        return data.load(source)
    path = Path(source)
    if not path.is_file():
        raise Trouble(
            f"{source} is {'a folder' if path.is_dir() else 'neither a file nor the name of a data set'}",
            f"DATA is a svmlight file or one of {', '.join(with_rows)}.",
        )
    refuse_tables(path)
    X, y = data.read_svmlight(path, progress=lambda done, total: bar.reach(done / max(total, 1)))
    if not len(y):
        raise Trouble(f"{source} has no rows", "a row is a label and its features: +1 3:0.5 7:1")
    return Dataset(path.name, X, y, None, None, "")


def refuse_tables(path: Path) -> None:
    """A table's columns have names and a label, which commands do not ask for."""
    from cesaro.linear.out_of_core.readers import is_table

    if is_table(path):
        raise Trouble(
            f"{path} is a Parquet or Arrow table, and commands read svmlight text",
            "in Python DualAveragingClassifier().fit_file(path, label=...) reads it.",
        )


def read_both(source: str, test: str | None, bar: Bars) -> Dataset:
    """The rows of a source, with those of another to measure on if there is one."""
    rows = read(source, bar)
    if test is None:
        return rows
    other = read(test, bar)
    X = same_features(other.X, rows.X.shape[1], other.name)
    return rows._replace(X_test=X, y_test=other.y, test_note=other.name)


def same_features(X: Any, features: int, name: str) -> Any:
    """X with exactly so many columns. A feature that no training row had has weight zero, so leaving it out is exact."""
    if X.shape[1] > features:
        beyond = int((X.indices >= features).sum())
        output.note(
            f"{name} has {output.count(beyond, 'entry', 'entries')} beyond feature {features}, the last in training; "
            "their weight is zero and they are left out."
        )
        return X[:, :features]
    if X.shape[1] < features:
        X = X.copy()
        X.resize(X.shape[0], features)
    return X


def check_task(y: Any, regression: bool) -> None:
    """Refuse a loss that does not go with the labels."""
    import numpy as np

    if regression:
        return
    found = np.unique(y)
    if len(found) < 2:
        raise Trouble(
            f"every row has the label {found[0]:g}: there is nothing to tell apart",
            "a classifier needs two labels at least.",
        )
    if not np.all(found == np.round(found)):
        wrong = found[found != np.round(found)][0]
        raise Trouble(
            f"the labels are not classes: one of them is {wrong:g}",
            "for numbers to be predicted use a regression loss, --loss squared_error.",
        )
