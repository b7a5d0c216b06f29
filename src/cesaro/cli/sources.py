"""What is fitted: rows in memory, or a file that is fitted a block at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro import data
from cesaro.cli import estimator
from cesaro.cli.progress import ProgressBar
from cesaro.cli.reading import (
    STDIN,
    check_label,
    check_label_kind,
    check_test_labels,
    find_file,
    match_features,
    read_dataset,
    spool_stdin,
)
from cesaro.data import Dataset
from cesaro.data.streams import is_compressed
from cesaro.linear.out_of_core.readers import columns, open_store
from cesaro.linear.out_of_core.tables import is_table, separator

LARGE = 2**28  # bytes of text
EXPANSION = 8  # what a compressed file is taken to grow by
BLOCK = 2**15  # rows


class InMemorySource(NamedTuple):
    """Rows in memory; `OutOfCoreSource` has the same methods for a large file."""

    data: Dataset
    names: list[str] | None = None

    def check_labels(self, regression: bool) -> None:
        """Refuse labels that do not go with the loss, or test rows that cannot be scored."""
        check_label_kind(self.data.y, regression)
        if self.data.y_test is not None:
            check_test_labels(self.data.y, self.data.y_test, self.data.test_note, regression)

    def fit(self, model: Any) -> float:
        """Fit the model to the training rows; the seconds it took."""
        seconds = estimator.timed_fit(model, self.data.X, self.data.y)
        if self.names is not None:
            model.feature_names_in_ = np.array(self.names, dtype=object)
        return seconds

    def data_fields(self, loss: str) -> dict[str, Any]:
        """The size of the data, and its classes."""
        return estimator.dataset_fields(self.data, loss)

    def score_fields(self, model: Any) -> dict[str, Any]:
        """The scores on training and test rows."""
        with estimator.rows_without_names():
            return estimator.score_fields(model, self.data)


def is_large(source: str) -> bool:
    """Whether a file, if it is one, is better not read into memory."""
    path = spool_stdin() if source == STDIN else Path(source)
    if source in data.CATALOGUE or not path.is_file():
        return False
    packed = is_compressed(path) or (is_table(path) and separator(path) is None)
    return path.stat().st_size * (EXPANSION if packed else 1) > LARGE


class OutOfCoreSource:
    """Rows in a file, parsed once into the cache, then fitted and scored a block at a time. Test rows are in memory."""

    def __init__(self, source: str, test: str | None, memory: float, bar: ProgressBar, label: str = "label") -> None:
        self.path, self.memory, self.label = find_file(source), memory, label
        self.cache = self.path.parent if source == STDIN else None
        if is_table(self.path):
            check_label(self.path, label)
        bar.start(f"parsing {self.path.name}")
        self.store = open_store(
            self.path, cache=self.cache, label=label, progress=lambda done, total: bar.update(done / max(total, 1))
        )
        names = columns(self.path, label)
        self.test = None if test is None else read_dataset(test, bar, label, names).data

    def check_labels(self, regression: bool) -> None:
        """Refuse labels that do not go with the loss, or test rows that cannot be scored."""
        check_label_kind(self.y, regression)
        if self.test is not None:
            check_test_labels(self.y, self.test.y, self.test.name, regression)

    @property
    def y(self) -> np.ndarray:
        """The labels or targets of the training rows."""
        return self.store.named(self.store.y)

    def fit(self, model: Any) -> float:
        """Fit the model to the training rows; the seconds it took."""
        return estimator.timed_call(
            lambda: model.fit_file(self.path, memory=self.memory, label=self.label, cache=self.cache)
        )

    def data_fields(self, loss: str) -> dict[str, Any]:
        """The size of the data, and its classes."""
        store = self.store
        return estimator.data_fields(self.path.name, store.n, store.d, len(store.data), self.y, loss)

    def score_fields(self, model: Any) -> dict[str, Any]:
        """The scores on training and test rows."""
        name = estimator.score_name(model.loss)
        with estimator.rows_without_names():
            return self._score_fields(model, name)

    def _score_fields(self, model: Any, name: str) -> dict[str, Any]:
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
            squared_error += 0.0 if name == "accuracy" else float(np.square(y - predicted).sum())
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
                store.named(store.y[first : first + BLOCK]),
            )
