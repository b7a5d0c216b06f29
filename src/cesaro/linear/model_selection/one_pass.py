"""A search in which all models share a few epochs, over all rows or, where there is little time, over some of them."""

import math
import threading
import time
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from cesaro.linear.model_selection.folds import Fold
from cesaro.linear.model_selection.search import LEAST, ROWS, SHARE, Found, Search, Task
from cesaro.linear.problem.csr import Rows, compacted, rows_at
from cesaro.linear.solvers.hurried_fits import some_of
from cesaro.linear.solvers.interrupts import heard

EPOCHS, VISITS = 10, 100_000  # so many epochs, or until so many rows were visited
WORK, WIDE = 10**7, 3 * 10**6  # multiplications of an epoch over few rows; where each of them waits for memory
IN_CACHE, LEAST_ROWS = 1 << 21, 64  # weights of all models up to which they do not; few rows are at least so many
ENTRY = 4e-9  # seconds for room for a prediction or a weight


def in_one_pass(search: Search, rows: Rows, task: Task, folds: list[Fold]) -> Found:
    """All models in a few shared epochs. After Ctrl-C few rows have to do, and the final fit has one epoch."""
    settings, began = search.settings, time.perf_counter()
    limit = settings.time_limit if settings.time_limit is None else max(0.0, settings.ends - began)
    shared, stop = SharedEpochs(search, rows, task, folds), threading.Event()
    try:
        with heard(stop):
            seen = shared.run(shared.epochs) if limit is None else shared.run_within(SHARE * limit)
    except KeyboardInterrupt:
        stop.set()
        seen = shared.run(1, shared.few)
    left = None if limit is None else max(0.0, limit - time.perf_counter() + began)
    settings = settings._replace(time_limit=left, searched=True)
    if stop.is_set():
        settings = settings._replace(max_iter=1, interrupted=True)
    predicted = shared.once and all((task.v[fold.test] > 0.0).all() for fold in folds)  # a class may weigh nothing
    return Found(seen.path.W, seen.path.held_out if predicted else None, settings, seen.rows, seen.places)


class Seen(NamedTuple):
    """Models, which rows they have seen if not all that exist, and the places of their weights if these are not all."""

    path: Any  # what `cross_validate` returns
    rows: np.ndarray | None = None
    places: np.ndarray | None = None


class OutOfTimeError(Exception):
    """A run is not done when it has to be."""


class SharedEpochs:
    """The models of all folds, alphas and target columns."""

    def __init__(self, search: Search, rows: Rows, task: Task, folds: list[Fold]):
        self.search, self.rows, self.task = search, rows, task
        holders = np.zeros(rows.n, dtype=np.intp)
        for k, fold in enumerate(folds):
            holders[fold.test] = k
        self.learns = np.stack([fold.v > 0.0 for fold in folds])
        if not (self.learns @ task.v).all():
            raise ValueError(
                "a fold has no row with a weight to learn from. Use fewer folds, or other class or sample weights."
            )
        self.once = bool(((holders != np.arange(len(folds))[:, None]) == self.learns)[:, task.v > 0.0].all())
        self.folds = holders if self.once else self.learns
        self.exist = np.flatnonzero(task.v)
        self.epochs = min(max(EPOCHS, VISITS // rows.n), search.settings.max_iter)
        self.models = len(folds) * len(search.alphas) * len(task.columns)
        work = WORK if self.models * rows.d <= IN_CACHE else WIDE
        most = work * rows.n // (self.models * max(1, len(rows.col)))
        self.few = min(max(LEAST, ROWS // self.models), max(LEAST_ROWS, most))

    def run(self, epochs: int, size: int | None = None, until: float = math.inf) -> Seen:
        """The models after so many epochs, over all rows or over so many of them and the columns that these have."""
        from cesaro.linear.model_selection.path import cross_validate

        rows, columns, v, folds, some, places = self.rows, self.task.columns, self.task.v, self.folds, None, None
        if size is not None and size < len(self.exist):
            which = self.exist[some_of(len(self.exist), size, self.search.settings.seed)]
            rows, used = compacted(rows_at(rows, which.astype(np.uint32)))
            columns, v, folds = [y[which] for y in columns], v[which], self.learns[:, which]
            some = np.zeros(self.rows.n, dtype=bool)
            some[which] = True
            if used is not None:
                places = np.append(used, [self.rows.d] * (rows.width - rows.d)).astype(np.intp)

        def between() -> None:
            if time.perf_counter() > until:
                raise OutOfTimeError

        search = self.search
        path = cross_validate(
            rows,
            np.column_stack(columns),
            v,
            search.loss,
            search.alphas / search.unit,
            folds,
            l1_ratio=search.l1_ratio,
            epochs=epochs,
            seed=search.settings.seed,
            between=between,
        )
        return Seen(path, some, places)

    def run_within(self, limit: float) -> Seen:
        """As many rows as the time allows: one epoch over few of them, and over four times as many, tell what they cost."""
        began, few, n = time.perf_counter(), self.few, len(self.exist)
        found, seen = self.run(1, few), min(n, few)
        first = time.perf_counter() - began
        if limit > 5.0 * first and n > 4 * few:
            found, seen = self.run(1, 4 * few), 4 * few
        passed = time.perf_counter() - began
        each = max(passed - 2.0 * first, first / 4.0) / (3.0 * few)
        each += ENTRY * self.models * (1.0 / len(self.learns) + self.rows.width / n)
        visits = int((limit - passed - first) / each)
        if visits > seen:
            with suppress(OutOfTimeError):
                found = self.run(max(1, min(self.epochs, visits // n)), min(n, visits), began + limit)
        return found
