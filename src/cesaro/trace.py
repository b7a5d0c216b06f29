"""What a run records. The clock stands still while it measures."""

import time

import numpy as np


class Trace:
    """Rows of (iteration, time, value, lower_bound, gap), as arrays of these names."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, float, float, float, float]] = []
        self._begin = time.perf_counter()
        self._paused = 0.0
        self._since: float | None = None

    @property
    def elapsed(self) -> float:
        """Seconds of the run itself."""
        now = self._since if self._since is not None else time.perf_counter()
        return now - self._begin - self._paused

    def __enter__(self) -> "Trace":
        """Within `with trace:` the clock stands still."""
        self._since = time.perf_counter()
        return self

    def stop(self) -> None:
        """The run is over: the clock stands still for good."""
        if self._since is None:
            self._since = time.perf_counter()

    def __exit__(self, *_) -> None:
        if self._since is not None:
            self._paused += time.perf_counter() - self._since
            self._since = None

    def record(self, iteration: int, value: float, lower_bound: float, gap: float) -> None:
        self._rows.append((iteration, self.elapsed, value, lower_bound, gap))

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"Trace({len(self)} records: iteration, time, value, lower_bound, gap)"

    def _column(self, index: int) -> np.ndarray:
        return np.array([row[index] for row in self._rows], dtype=int if index == 0 else float)

    iteration = property(lambda self: self._column(0))
    time = property(lambda self: self._column(1))
    value = property(lambda self: self._column(2))
    lower_bound = property(lambda self: self._column(3))
    gap = property(lambda self: self._column(4))
