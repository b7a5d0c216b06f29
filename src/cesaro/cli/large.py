"""A file too large to hold: parsed once into the cache, then fitted and measured a block of rows at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from cesaro import data
from cesaro.cli import estimator, sources
from cesaro.cli.progress import Bars
from cesaro.data.streams import compressed
from cesaro.linear.out_of_core.readers import open_store

LARGE = 2**28  # bytes of text
PACKED = 8  # what a compressed file is taken to grow by
BLOCK = 2**15  # rows


def is_large(source: str) -> bool:
    """Whether a file, if it is one, is better not held in memory."""
    path = Path(source)
    if source in data.CATALOGUE or not path.is_file():
        return False
    return path.stat().st_size * (PACKED if compressed(path) else 1) > LARGE


class LargeFile:
    """Rows in a file: what `estimator.InMemory` is for rows that are held. The test rows are held."""

    def __init__(self, source: str, test: str | None, memory: float, bar: Bars):
        sources.refuse_tables(Path(source))
        bar.doing(f"parsing {source}")
        self.path, self.memory, self.store = Path(source), memory, open_store(source)
        self.test = None if test is None else sources.read(test, bar)

    @property
    def y(self) -> np.ndarray:
        return self.store.y

    def fit(self, model: Any) -> float:
        return estimator.timed(lambda: model.fit_file(self.path, memory=self.memory))

    def description(self, loss: str) -> dict:
        store = self.store
        return estimator.sizes(self.path.name, store.n, store.d, len(store.data), store.y, loss)

    def scores(self, model: Any) -> dict:
        name = estimator.score_name(model.loss)
        answer = {f"train_{name}": self._score(model, name)}
        if self.test is None:
            return answer
        X = sources.same_features(self.test.X, self.store.d, self.test.name)
        return answer | estimator.test_scores(model, X, self.test.y, self.test.name)

    def _score(self, model: Any, name: str) -> float:
        right, missed = 0, 0.0
        for X, y in self._blocks():
            predicted = model.predict(X)
            right += int(np.sum(predicted == y))
            missed += float(np.square(y - predicted).sum())
        if name == "accuracy":
            return right / self.store.n
        return 1.0 - missed / max(float(np.square(self.y - self.y.mean()).sum()), 1e-300)

    def _blocks(self) -> Iterator[tuple[Any, np.ndarray]]:
        store = self.store
        for first in range(0, store.n, BLOCK):
            ptr = np.asarray(store.ptr[first : first + BLOCK + 1], dtype=np.int64)
            part, shape = slice(ptr[0], ptr[-1]), (len(ptr) - 1, store.d)
            columns = np.asarray(store.col[part]).astype(np.int32 if store.d < 2**31 else np.int64)
            yield sp.csr_array((store.data[part], columns, ptr - ptr[0]), shape=shape), store.y[first : first + BLOCK]
