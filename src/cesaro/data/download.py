"""Downloads, with pooch, from the official pages into the cache: all or nothing."""

import tempfile
from pathlib import Path

from .catalogue import Entry, entry_of
from .parts import Archive, DataError, Text
from .places import cache, find


class Bar:
    """What pooch expects of a progress bar, drawn on stderr."""

    def __init__(self, label: str):
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()
        self._drawn = Progress(*columns, console=Console(stderr=True))
        self._task = self._drawn.add_task(label, total=None)
        self._drawn.start()

    @property
    def total(self) -> float | None:
        return self._drawn.tasks[self._task].total

    @total.setter
    def total(self, value: int) -> None:
        self._drawn.update(self._task, total=value or None)

    def update(self, amount: int) -> None:
        self._drawn.update(self._task, advance=amount)

    def reset(self) -> None:
        self._drawn.update(self._task, completed=0)

    def close(self) -> None:
        self._drawn.stop()


def fetch(name: str | Entry, progress: bool = True) -> Path:
    """Makes sure that a data set is here and right, and says where: found, or downloaded into the cache.

    name : of the catalogue, or an entry made by hand
    progress : whether to draw a bar on stderr while downloading
    """
    entry = entry_of(name)
    first, *_ = [obtain(part, entry, progress, verify=True) for part in entry.parts]
    return first


def obtain(part: Text | Archive, entry: Entry, progress: bool, verify: bool = False) -> Path:
    """The path of one part; what is in the cache and not right is replaced."""
    if found := find(part, entry):
        where, path = found
        if not verify:
            return path
        try:
            part.verify(path)
            return path
        except DataError:
            if where != "cache":
                raise
    return _download(part, progress)


def _download(part: Text | Archive, progress: bool) -> Path:
    """Downloads into a folder that vanishes whatever happens; only a checked part leaves it."""
    import pooch
    import requests

    folder = cache()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        bar = Bar(part.name) if progress else None
        with tempfile.TemporaryDirectory(prefix=".download-", dir=folder) as scratch:
            download = Path(scratch) / "download"
            try:
                pooch.HTTPDownloader(progressbar=bar or False, chunk_size=1 << 16)(part.address, download, None)
            finally:
                if bar:
                    bar.close()
            return part.install(download, folder)
    except requests.RequestException as error:
        raise DataError(
            f"{part.address} could not be downloaded ({error}). Nothing was kept. Check the network and try again, "
            f"or put a copy of {part.name} in a folder and set CESARO_DATA to it."
        ) from error
