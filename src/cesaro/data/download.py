"""Downloads, with pooch, from the official pages into the cache: all or nothing."""

import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cesaro.data.artifacts import Artifact, DataError, altered_file_error
from cesaro.data.catalogue import Entry, entry_of
from cesaro.data.locations import cache, find
from cesaro.docstrings import complete


class DownloadBar:
    """What pooch expects of a progress bar, drawn on stderr."""

    def __init__(self, label: str) -> None:
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


@complete(entry_of)
def fetch(name: str | Entry, progress: bool = True) -> Path:
    """Find or download a data set, and verify it. A damaged file in the cache is replaced.

    Parameters
    ----------
    progress : bool, default=True
        Whether to draw a bar on stderr while downloading.

    Returns
    -------
    Path
        The file of training rows, or the folder of images.

    Raises
    ------
    DataError
        If it cannot be downloaded or stored, or is not the published file; nothing is left behind.
    ValueError
        If there is no data set of that name.

    Examples
    --------
    >>> fetch("a9a").name
    'a9a.xz'
    """
    entry = entry_of(name)
    first, *_ = [_verified(artifact, entry, progress) for artifact in entry.artifacts]
    return first


def obtain(artifact: Artifact, entry: Entry, progress: bool) -> Path:
    """The path of one artifact, found as it is or downloaded."""
    found = find(artifact, entry)
    return found[1] if found else download(artifact, progress)


def _verified(artifact: Artifact, entry: Entry, progress: bool) -> Path:
    """The same, verified; a damaged file in the cache is replaced."""
    if (found := find(artifact, entry)) is None:
        return download(artifact, progress)
    where, path = found
    why = artifact.mismatch(path)
    if why is None:
        return path
    if where != "cache":
        raise altered_file_error(path, artifact.address, why)
    fresh = download(artifact, progress)
    if path != fresh:
        path.unlink()  # of another compression, it would be found first
    return fresh


def download(artifact: Artifact, progress: bool) -> Path:
    """Download into a temporary folder; only what is verified leaves it, for the cache."""
    import pooch
    import requests

    folder = cache()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".download-", dir=folder) as scratch:
            file = Path(scratch) / "file"
            with ExitStack() as stack:
                bar = stack.enter_context(closing(DownloadBar(artifact.name))) if progress else False

                def close_later(response: Any, **_: Any) -> None:  # pooch leaves the connection open when it fails
                    stack.enter_context(response)

                get = pooch.HTTPDownloader(progressbar=bar, chunk_size=1 << 16, hooks={"response": close_later})
                get(artifact.address, file, None)
            return artifact.install(file, folder)
    except DataError:
        raise
    except requests.RequestException as error:
        lost = isinstance(error, requests.ConnectionError)
        reason = f"no connection to {urlsplit(artifact.address).netloc}" if lost else error
        raise DataError(
            f"{artifact.address} could not be downloaded ({reason}). Nothing was kept. Check the network and try again, "
            f"or put a copy of {artifact.name} in a folder and set CESARO_DATA to it."
        ) from error
    except OSError as error:
        raise DataError(
            f"The download of {artifact.address} could not be stored in {folder} ({error}). Nothing was kept. "
            "Make room there, or set XDG_CACHE_HOME to another folder."
        ) from error
