"""DATA of the command line: rows in memory, or in a file that is fitted a block at a time."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro import data
from cesaro.cli import estimator, output
from cesaro.cli.errors import CLIError
from cesaro.cli.progress import ProgressBar
from cesaro.data import Dataset
from cesaro.data.streams import is_compressed
from cesaro.linear.out_of_core.readers import is_table, open_store

LARGE = 2**28  # bytes of text
EXPANSION = 8  # what a compressed file is taken to grow by
BLOCK = 2**15  # rows


def read_dataset(source: str, bar: ProgressBar) -> Dataset:
    """The rows of a name, downloaded first if need be, or of a file."""
    bar.start(f"reading {source}")
    with_rows = [name for name, entry in data.CATALOGUE.items() if entry.columns]
    if source in data.CATALOGUE:
        if source not in with_rows:
            raise CLIError(
                f"{source} has images, not rows", f"DATA is a svmlight file or one of {', '.join(with_rows)}."
            )
        if data.locate(source) is None:
            with bar.paused():
                data.fetch(source, progress=sys.stderr.isatty())
        return data.load(source)
    path = Path(source)
    if not path.is_file():
        raise CLIError(
            f"{source} is {'a folder' if path.is_dir() else 'neither a file nor the name of a data set'}",
            f"DATA is a svmlight file or one of {', '.join(with_rows)}.",
        )
    check_not_a_table(path)
    X, y = data.read_svmlight(path, progress=lambda done, total: bar.update(done / max(total, 1)))
    if not len(y):
        raise CLIError(f"{source} has no rows", "a row is a label and its features: +1 3:0.5 7:1")
    return Dataset(path.name, X, y, None, None, "")


def check_not_a_table(path: Path) -> None:
    """A table's columns have names and a label, which commands do not ask for."""
    if is_table(path):
        raise CLIError(
            f"{path} is a Parquet or Arrow table, and commands read svmlight text",
            "in Python DualAveragingClassifier().fit_file(path, label=...) reads it.",
        )


def read_with_test(source: str, test: str | None, bar: ProgressBar) -> Dataset:
    """The rows of a source, with those of another to measure on if there is one."""
    rows = read_dataset(source, bar)
    if test is None:
        return rows
    other = read_dataset(test, bar)
    X = match_features(other.X, rows.X.shape[1], other.name)
    return rows._replace(X_test=X, y_test=other.y, test_note=other.name)


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
    if regression:
        return
    found = np.unique(y)
    if len(found) < 2:
        raise CLIError(
            f"every row has the label {found[0]:g}: there is nothing to tell apart",
            "a classifier needs two labels at least.",
        )
    if not np.all(found == np.round(found)):
        wrong = found[found != np.round(found)][0]
        raise CLIError(
            f"the labels are not classes: one of them is {wrong:g}",
            "for numbers to be predicted use a regression loss, --loss squared_error.",
        )


class InMemorySource(NamedTuple):
    """Rows in memory; `OutOfCoreSource` has the same methods for a large file."""

    data: Dataset

    @property
    def y(self) -> np.ndarray:
        """The labels or targets of the training rows."""
        return self.data.y

    def fit(self, model: Any) -> float:
        """Fit the model to the training rows; the seconds it took."""
        return estimator.timed_fit(model, self.data.X, self.data.y)

    def data_fields(self, loss: str) -> dict[str, Any]:
        """The size of the data, and its classes."""
        return estimator.dataset_fields(self.data, loss)

    def score_fields(self, model: Any) -> dict[str, Any]:
        """The scores on training and test rows."""
        return estimator.score_fields(model, self.data)


def is_large(source: str) -> bool:
    """Whether a file, if it is one, is better not read into memory."""
    path = Path(source)
    if source in data.CATALOGUE or not path.is_file():
        return False
    return path.stat().st_size * (EXPANSION if is_compressed(path) else 1) > LARGE


class OutOfCoreSource:
    """Rows in a file, parsed once into the cache, then fitted and scored a block at a time. Test rows are in memory."""

    def __init__(self, source: str, test: str | None, memory: float, bar: ProgressBar) -> None:
        check_not_a_table(Path(source))
        bar.start(f"parsing {source}")
        self.path, self.memory, self.store = Path(source), memory, open_store(source)
        self.test = None if test is None else read_dataset(test, bar)

    @property
    def y(self) -> np.ndarray:
        """The labels or targets of the training rows."""
        return self.store.y

    def fit(self, model: Any) -> float:
        """Fit the model to the training rows; the seconds it took."""
        return estimator.timed_call(lambda: model.fit_file(self.path, memory=self.memory))

    def data_fields(self, loss: str) -> dict[str, Any]:
        """The size of the data, and its classes."""
        store = self.store
        return estimator.data_fields(self.path.name, store.n, store.d, len(store.data), store.y, loss)

    def score_fields(self, model: Any) -> dict[str, Any]:
        """The scores on training and test rows."""
        name = estimator.score_name(model.loss)
        result = {f"train_{name}": self._score(model, name)}
        if self.test is None:
            return result
        X = match_features(self.test.X, self.store.d, self.test.name)
        return result | estimator.test_score_fields(model, X, self.test.y, self.test.name)

    def _score(self, model: Any, name: str) -> float:
        correct, squared_error = 0, 0.0
        for X, y in self._blocks():
            predicted = model.predict(X)
            correct += int(np.sum(predicted == y))
            squared_error += float(np.square(y - predicted).sum())
        if name == "accuracy":
            return correct / self.store.n
        return 1.0 - squared_error / max(float(np.square(self.y - self.y.mean()).sum()), 1e-300)

    def _blocks(self) -> Iterator[tuple[Any, np.ndarray]]:
        store = self.store
        for first in range(0, store.n, BLOCK):
            ptr = np.asarray(store.ptr[first : first + BLOCK + 1], dtype=np.int64)
            entries, shape = slice(ptr[0], ptr[-1]), (len(ptr) - 1, store.d)
            columns = np.asarray(store.col[entries]).astype(np.int32 if store.d < 2**31 else np.int64)
            yield (
                sp.csr_array((store.data[entries], columns, ptr - ptr[0]), shape=shape),
                store.y[first : first + BLOCK],
            )
