"""A search in which all models share a few epochs, over all rows or, where there is little time, over some of them."""

import threading
import time
from typing import Any

import numpy as np

from cesaro.linear.model_selection.folds import Fold
from cesaro.linear.model_selection.search import LEAST, ROWS, SHARE, Found, Search, Task
from cesaro.linear.problem.csr import Rows
from cesaro.linear.solvers.interrupts import heard, some_of

EPOCHS, VISITS = 10, 100_000  # so many epochs, or until so many rows were visited


def in_one_pass(search: Search, rows: Rows, task: Task, folds: list[Fold]) -> Found:
    """All models in a few shared epochs. After Ctrl-C few rows have to do, and the final fit has one epoch."""
    settings, limit, began = search.settings, search.settings.time_limit, time.perf_counter()
    shared, stop = SharedEpochs(search, rows, task, folds), threading.Event()
    try:
        with heard(stop):
            path, seen = shared.run(shared.epochs) if limit is None else shared.run_within(SHARE * limit)
    except KeyboardInterrupt:
        stop.set()
        path, seen = shared.run(1, shared.few)
    left = None if limit is None else max(0.0, limit - time.perf_counter() + began)
    settings = settings._replace(time_limit=left)
    if stop.is_set():
        settings = settings._replace(max_iter=1, interrupted=True)
    predicted = shared.once and all((task.v[fold.test] > 0.0).all() for fold in folds)  # a class may weigh nothing
    scored = None if np.count_nonzero(seen) == len(shared.exist) else seen
    return Found(path.W, path.held_out if predicted else None, settings, scored)


class SharedEpochs:
    """The models of all folds, alphas and target columns."""

    def __init__(self, search: Search, rows: Rows, task: Task, folds: list[Fold]):
        self.search, self.rows, self.task = search, rows, task
        holders = np.zeros(rows.n, dtype=np.intp)
        for k, fold in enumerate(folds):
            holders[fold.test] = k
        learns = np.stack([fold.v > 0.0 for fold in folds])
        if not (learns @ task.v).all():
            raise ValueError(
                "a fold has no row with a weight to learn from. Use fewer folds, or other class or sample weights."
            )
        self.once = bool(((holders != np.arange(len(folds))[:, None]) == learns)[:, task.v > 0.0].all())
        self.folds = holders if self.once else learns
        self.exist = np.flatnonzero(task.v)
        self.epochs = min(max(EPOCHS, VISITS // rows.n), search.settings.max_iter)
        self.few = max(LEAST, ROWS // (len(folds) * len(search.alphas) * len(task.columns)))

    def run(self, epochs: int, size: int | None = None) -> tuple[Any, np.ndarray]:
        """The models after so many epochs, and which rows they have seen; the others have no weight then."""
        from cesaro.linear.model_selection.path import cross_validate

        search, seed = self.search, self.search.settings.seed
        some = self.exist[some_of(len(self.exist), len(self.exist) if size is None else size, seed)]
        v = np.zeros(self.rows.n)
        v[some] = self.task.v[some]
        path = cross_validate(
            self.rows,
            np.column_stack(self.task.columns),
            v,
            search.loss,
            search.alphas / search.unit,
            self.folds,
            l1_ratio=search.l1_ratio,
            epochs=epochs,
            seed=seed,
        )
        return path, v > 0.0

    def run_within(self, limit: float) -> tuple[Any, np.ndarray]:
        """As many rows as the time allows: one epoch over few of them, and over four times as many, tell what they cost."""
        began, few, n = time.perf_counter(), self.few, len(self.exist)
        found = self.run(1, few)
        first = time.perf_counter() - began
        if limit > 5.0 * first and n > 4 * few:
            found = self.run(1, 4 * few)
        passed = time.perf_counter() - began
        each = max(passed - 2.0 * first, first / 4.0) / (3.0 * few)
        visits = int((limit - passed - first) / each)
        if visits > np.count_nonzero(found[1]):
            found = self.run(max(1, min(self.epochs, visits // n)), min(n, visits))
        return found
