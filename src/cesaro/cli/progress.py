"""A progress bar on stderr for everything that takes long, where stderr is a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from cesaro.cli import output


class ProgressBar:
    """One task at a time: the bar pulses while the length is unknown, or fills up."""

    def __init__(self, shown: Progress) -> None:
        self.shown, self.task = shown, shown.add_task("", total=None, words="")

    def start(self, what: str) -> None:
        """Start a task of unknown length."""
        self.shown.reset(self.task, total=None, description=what, words="")

    def update(self, share: float, words: str = "") -> None:
        """This share of the task is done, between 0 and 1."""
        self.shown.update(self.task, total=1.0, completed=share, words=words)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Within this context nothing is drawn: stderr is free for others."""
        self.shown.stop()
        try:
            yield
        finally:
            self.shown.start()

    @contextmanager
    def follow_fits(self, what: str) -> Iterator[None]:
        """Within this context the fits of estimators move the bar."""
        from cesaro.linear.solvers.progress import Progress as FitProgress
        from cesaro.linear.solvers.progress import watched_by

        update = self.update

        class FitBar(FitProgress):
            def draw(self, done: float, words: str) -> None:
                update(done, words)

            def close(self) -> None:
                pass

        self.start(what)
        with watched_by(FitBar):
            yield


@contextmanager
def progress_bar() -> Iterator[ProgressBar]:
    """A bar that is erased at the end; hidden where stderr is a file or a pipe."""
    columns: tuple[Any, ...] = (
        TextColumn("{task.description}", style="bold"),
        BarColumn(bar_width=28),
        TextColumn("{task.fields[words]}", style="dim"),
        TimeElapsedColumn(),
    )
    hidden = not sys.stderr.isatty()
    with Progress(*columns, console=output.console(sys.stderr), transient=True, disable=hidden) as shown:
        yield ProgressBar(shown)
