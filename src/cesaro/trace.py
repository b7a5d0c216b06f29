"""What a run records. The clock stands still while it measures."""

from time import perf_counter
from typing import Any

import numpy as np


def _column(index: int, dtype: type) -> Any:
    """A property: one number of every row."""
    return property(lambda trace: np.array([row[index] for row in trace._rows], dtype=dtype))


class Trace:
    """What a run records, as arrays of equal length.

    Attributes
    ----------
    iteration : ndarray of int
        Steps that had been made.
    t : ndarray of int
        The t of the theorems: of how many subgradients output and bound are made. That is iteration + 1, and less after the
        run has begun again with a larger anchor, or where the oracle's last answer could not be used.
    time : ndarray of float
        Seconds of the run itself.
    value, lower_bound, gap : ndarray of float
        Value of the output, the proved lower bound, and their difference.
    bound : ndarray of float
        What the method's theorem says of that difference, inf where there is none.
    """

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, float, float, float, float, float]] = []
        self._begin = perf_counter()
        self._paused = 0.0
        self._since: float | None = None

    @property
    def elapsed(self) -> float:
        """Seconds of the run itself."""
        now = self._since if self._since is not None else perf_counter()
        return now - self._begin - self._paused

    def __enter__(self) -> "Trace":
        """Within `with trace:` the clock stands still."""
        self._since = perf_counter()
        return self

    def stop(self) -> None:
        """The run is over: the clock stands still for good."""
        if self._since is None:
            self._since = perf_counter()

    def __exit__(self, *_: object) -> None:
        if self._since is not None:
            self._paused += perf_counter() - self._since
            self._since = None

    def record(self, iteration: int, t: int, value: float, lower_bound: float, gap: float, bound: float) -> None:
        """Add a row; the time is the clock's."""
        self._rows.append((iteration, t, self.elapsed, value, lower_bound, gap, bound))

    @property
    def last(self) -> tuple[int, int, float, float, float, float, float]:
        """The last row: iteration, t, time, value, lower bound, gap, the theorem's bound."""
        return self._rows[-1]

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"Trace({len(self)} records: iteration, t, time, value, lower_bound, gap, bound)"

    iteration: np.ndarray = _column(0, int)
    t: np.ndarray = _column(1, int)
    time: np.ndarray = _column(2, float)
    value: np.ndarray = _column(3, float)
    lower_bound: np.ndarray = _column(4, float)
    gap: np.ndarray = _column(5, float)
    bound: np.ndarray = _column(6, float)
