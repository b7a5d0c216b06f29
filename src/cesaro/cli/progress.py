"""Bars on stderr for everything that takes long, as long as a terminal is there to show them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from cesaro.cli import output


class Bars:
    """One thing at a time: a bar that swings while nobody knows how long it will take, or fills up."""

    def __init__(self, shown: Progress):
        self.shown, self.task = shown, shown.add_task("", total=None, words="")

    def doing(self, what: str) -> None:
        """Begin something of unknown length."""
        self.shown.reset(self.task, total=None, description=what, words="")

    def reach(self, share: float, words: str = "") -> None:
        """So much of it is done, between 0 and 1."""
        self.shown.update(self.task, total=1.0, completed=share, words=words)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Within, stderr is somebody else's."""
        self.shown.stop()
        try:
            yield
        finally:
            self.shown.start()

    @contextmanager
    def fitting(self, what: str) -> Iterator[None]:
        """Within, the fits of estimators move the bar."""
        from cesaro.linear.solvers.progress import Progress as Course
        from cesaro.linear.solvers.progress import watched_by

        reach = self.reach

        class Bar(Course):
            def draw(self, done: float, words: str) -> None:
                reach(done, words)

            def close(self) -> None:
                pass

        self.doing(what)
        with watched_by(Bar):
            yield


@contextmanager
def bars() -> Iterator[Bars]:
    """Bars that leave nothing behind; none where stderr is a file or a pipe."""
    columns: tuple[Any, ...] = (
        TextColumn("{task.description}", style="bold"),
        BarColumn(bar_width=28),
        TextColumn("{task.fields[words]}", style="dim"),
        TimeElapsedColumn(),
    )
    hidden = not sys.stderr.isatty()
    with Progress(*columns, console=output.console(sys.stderr), transient=True, disable=hidden) as shown:
        yield Bars(shown)
