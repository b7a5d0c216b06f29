"""Ctrl-C, heard by every thread before its next epoch; and models in a hurry, for those that had not begun by then."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp

from cesaro.linear.problem.csr import rows_at
from cesaro.linear.problem.problem import Fit, History, Problem, objective

ENTRIES = 2 * 10**6  # of the rows that all models in a hurry see together
FEWEST = 500  # rows of one
EPOCHS = 3  # over them


@contextmanager
def heard(stop: threading.Event) -> Iterator[None]:
    """Within, Ctrl-C sets the event beside what it does otherwise.

    Python raises KeyboardInterrupt wherever it happens to be, and forgets it if that is a callback of the garbage collector.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def hear(number: int, frame: Any) -> None:
        stop.set()
        before(number, frame)

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def sampled(problems: list[Problem], models: int, seed: int) -> list[Problem]:
    """Problems that share their rows, of some of these; `models` is how many are to be hurried in all."""
    one = problems[0]
    n, length = one.rows.n, max(1, len(one.rows.col) // max(1, one.rows.n))
    size = max(FEWEST, ENTRIES // (length * max(1, models)))
    exist = np.flatnonzero(one.v)
    which = exist[some_of(len(exist), size, seed)]
    rows = rows_at(one.rows, which.astype(np.uint32)) if len(which) < n else one.rows
    return [p._replace(rows=rows, y=p.y[which], v=p.v[which], layout=None) for p in problems]


def some_of(n: int, size: int, seed: int) -> np.ndarray:
    """Numbers of at most `size` of n rows, ascending."""
    return np.arange(n) if n <= size else np.sort(np.random.default_rng(seed).choice(n, size, replace=False))


def published(problem: Problem, fit: Fit, at_zero: float, status: str, measure: bool) -> Fit:
    """A fit to a sample as one of the whole problem: its objective over all rows if it is asked for; nothing is proved."""
    history, value = History(), objective_by_scipy(problem, fit.w) if measure else at_zero
    history.add(0, 0.0, at_zero, 0.0, problem.rows.n)
    history.add(fit.n_iter, 0.0, min(value, at_zero), 0.0, problem.rows.n)
    return Fit(fit.w, value, 0.0, fit.n_iter, history.columns(), status)


def objective_by_scipy(problem: Problem, w: np.ndarray) -> float:
    """The objective, without a kernel: to compile one now would take longer than everything else."""
    rows, d = problem.rows, problem.rows.d
    X = sp.csr_array((rows.data, rows.col.view(np.int32), rows.ptr.astype(np.int64)), shape=(rows.n, d))
    p = X @ w[:d] + (rows.bias * w[d] if rows.bias else 0.0)
    mean = float(problem.v @ problem.loss.value(p, problem.y) / problem.v.sum())
    penalized = w if problem.penalize_intercept else w[:d]
    return float(objective(mean, penalized, problem.mu, problem.l1, d))
