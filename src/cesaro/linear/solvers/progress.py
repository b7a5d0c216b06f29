"""Progress of a fit: how far, the objective, the proved gap. Who shows it, and where, is for others to say."""

import math
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from cesaro.linear.problem.problem import relative_gap


@dataclass
class Progress(ABC):
    """A fit calls it at every report; it follows the epochs or the digits of the gap, whichever is further."""

    models: int
    max_iter: int
    tol: float
    least: float  # what a relative gap is relative to, at least
    seen: dict[int, float] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, model: int, epoch: int, objective: float, lower_bound: float) -> None:
        gap = float(relative_gap(objective, lower_bound, self.least))
        with self.lock:
            self.seen[model] = self.share(epoch, gap)
            which = f"model {model + 1}/{self.models}  " if self.models > 1 else ""
            words = f"{which}epoch {epoch}  objective {objective:.6g}  relative gap {gap:.1e}"
            self.draw(sum(self.seen.values()) / self.models, words)

    def share(self, epoch: int, gap: float) -> float:
        """How much of the way is behind us, between 0 and 1."""
        digits = math.log(gap) / math.log(self.tol) if 0.0 < gap < 1.0 and 0.0 < self.tol < 1.0 else 0.0
        return min(1.0, max(epoch / self.max_iter, digits, float(gap <= self.tol and self.tol > 0.0)))

    @abstractmethod
    def draw(self, done: float, words: str) -> None:
        """Show the share that is done, and where the fit stands."""

    @abstractmethod
    def close(self) -> None:
        """The fit is over."""


class Line(Progress):
    """One line on a terminal that rewrites itself."""

    def draw(self, done: float, words: str) -> None:
        sys.stderr.write(f"\r[{'#' * round(24 * done):<24}] {words}   ")
        sys.stderr.flush()

    def close(self) -> None:
        if self.seen:
            sys.stderr.write("\n")
            sys.stderr.flush()


class LastLine(Progress):
    """The last line alone, for log files."""

    words = ""

    def draw(self, done: float, words: str) -> None:
        self.words = words

    def close(self) -> None:
        if self.words:
            print(self.words, file=sys.stderr, flush=True)


class EveryLine(Progress):
    """A line for every report, none of which rewrites another."""

    def draw(self, done: float, words: str) -> None:
        print(f"{100 * done:3.0f} %  {words}", file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


class NotebookBar(Progress):
    """A bar in the output of a notebook's cell."""

    handle: Any = None

    def draw(self, done: float, words: str) -> None:
        from IPython.display import HTML, display

        bar = HTML(f'<progress value="{done:.4f}" max="1" style="width: 14em"></progress> <code>{words}</code>')
        if self.handle is None:
            self.handle = display(bar, display_id=True)
        else:
            self.handle.update(bar)

    def close(self) -> None:
        pass


class Silence(Progress):
    """No progress shown."""

    def __call__(self, model: int, epoch: int, objective: float, lower_bound: float) -> None:
        pass

    def draw(self, done: float, words: str) -> None:
        pass

    def close(self) -> None:
        pass


Watcher = Callable[[int, int, float, float], Progress]
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Within, fits report to `watcher(models, max_iter, tol, least)`, whatever their `verbose` says."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def begin(models: int, max_iter: int, tol: float, least: float, verbose: Any = 0) -> Progress:
    """The progress of a fit that begins now."""
    watcher = _watcher.get() or _shown(int(verbose))
    return watcher(models, max_iter, tol, least)


def _shown(verbose: int) -> Watcher:
    """Who shows it: a bar where something can be drawn, lines for log files; more of them with a larger number."""
    if verbose <= 0:
        return Silence
    if verbose > 1:
        return EveryLine
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if hasattr(shell, "kernel"):
        return NotebookBar
    return Line if sys.stderr.isatty() else LastLine
