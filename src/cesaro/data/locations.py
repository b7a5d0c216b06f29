"""The locations of data sets: inside the package, in $CESARO_DATA, in the cache."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cesaro.data.artifacts import Artifact, DataError
from cesaro.data.catalogue import CATALOGUE, Entry, entry_of
from cesaro.docstrings import complete

EMBEDDED = Path(__file__).parent / "embedded"


class Listed(NamedTuple):
    """An entry of the catalogue, and where it is on this machine.

    Parameters
    ----------
    name : str
        What `load` and `fetch` call it.
    where : {"embedded", "$CESARO_DATA", "cache", "not here"}
        The location that has it.
    bytes : int or None
        Size on disk.
    path : Path or None
        The file of training rows, or the folder of images.
    address, about, credit : str
        As in the catalogue.
    """

    name: str
    where: str
    bytes: int | None
    path: Path | None
    address: str
    about: str
    credit: str


def cache() -> Path:
    """The folder that downloads go to: in $XDG_CACHE_HOME, on every system, or where the system has its caches."""
    if folder := os.environ.get("XDG_CACHE_HOME", "").strip():
        return Path(folder) / "cesaro"
    import pooch

    return Path(pooch.os_cache("cesaro"))


def _folders(entry: Entry) -> Iterator[tuple[str, Path]]:
    """The folders that are searched, in this order, each with the name of the location."""
    if entry.embedded:
        yield "embedded", EMBEDDED
    if given := os.environ.get("CESARO_DATA"):
        if not Path(given).is_dir():
            raise DataError(f"CESARO_DATA is {given!r}, which is not a folder. Correct or unset it.")
        yield "$CESARO_DATA", Path(given)
        yield "$CESARO_DATA", Path(given) / "libsvm"
    yield "cache", cache()


def find(artifact: Artifact, entry: Entry) -> tuple[str, Path] | None:
    """The location of an artifact and its path; None if it is on none of them."""
    for where, folder in _folders(entry):
        if path := artifact.find(folder):
            return where, path
    return None


@complete(entry_of)
def locate(name: str | Entry) -> Path | None:
    """The path of a data set on this machine.

    Returns
    -------
    Path or None
        The file of training rows, or the folder of images; None unless all of its artifacts are here.

    Examples
    --------
    >>> locate("a9a").name
    'a9a.xz'
    """
    entry = entry_of(name)
    found = [find(artifact, entry) for artifact in entry.artifacts]
    return found[0][1] if found[0] and all(found) else None


def listing() -> list[Listed]:
    """Every data set of the catalogue: where it is, how large, where it comes from.

    Returns
    -------
    list of Listed
        In the order of the catalogue.

    Examples
    --------
    >>> [listed.where for listed in listing() if listed.name == "a9a"]
    ['embedded']
    """
    rows = []
    for entry in CATALOGUE.values():
        found = [(artifact, location) for artifact in entry.artifacts if (location := find(artifact, entry))]
        here = len(found) == len(entry.artifacts)
        rows.append(
            Listed(
                entry.name,
                found[0][1][0] if here else "not here",
                sum(artifact.size(path) for artifact, (_, path) in found) if here else None,
                found[0][1][1] if here else None,
                entry.artifacts[0].address,
                entry.about,
                entry.credit,
            )
        )
    return rows
