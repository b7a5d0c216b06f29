"""Downloads, with pooch, from the official pages into the cache: all or nothing."""

import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

from cesaro.data.artifacts import Archive, DataError, Text, altered
from cesaro.data.catalogue import Entry, entry_of
from cesaro.data.locations import cache, find


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
    first, *_ = [_right(part, entry, progress) for part in entry.parts]
    return first


def obtain(part: Text | Archive, entry: Entry, progress: bool) -> Path:
    """The path of one part, found as it is or downloaded."""
    found = find(part, entry)
    return found[1] if found else download(part, progress)


def _right(part: Text | Archive, entry: Entry, progress: bool) -> Path:
    """The same, checked; what is in the cache and not right is replaced."""
    if (found := find(part, entry)) is None:
        return download(part, progress)
    where, path = found
    why = part.flaw(path)
    if why is None:
        return path
    if where != "cache":
        raise altered(path, part.address, why)
    fresh = download(part, progress)
    if path != fresh:
        path.unlink()  # of another compression, it would be found first
    return fresh


def download(part: Text | Archive, progress: bool) -> Path:
    """Downloads into a folder that vanishes whatever happens; only what is right leaves it, for the cache."""
    import pooch
    import requests

    folder = cache()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".download-", dir=folder) as scratch:
            file = Path(scratch) / "file"
            with ExitStack() as stack:
                bar = stack.enter_context(closing(Bar(part.name))) if progress else False

                def close_later(response, **_) -> None:  # pooch leaves the connection open when it fails
                    stack.enter_context(response)

                get = pooch.HTTPDownloader(progressbar=bar, chunk_size=1 << 16, hooks={"response": close_later})
                get(part.address, file, None)
            return part.install(file, folder)
    except DataError:
        raise
    except requests.RequestException as error:
        lost = isinstance(error, requests.ConnectionError)
        reason = f"no connection to {urlsplit(part.address).netloc}" if lost else error
        raise DataError(
            f"{part.address} could not be downloaded ({reason}). Nothing was kept. Check the network and try again, "
            f"or put a copy of {part.name} in a folder and set CESARO_DATA to it."
        ) from error
    except OSError as error:
        raise DataError(
            f"The download of {part.address} could not be stored in {folder} ({error}). Nothing was kept. "
            "Make room there, or set XDG_CACHE_HOME to another folder."
        ) from error
