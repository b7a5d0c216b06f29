"""Where data sets are: inside the package, in $CESARO_DATA, in the cache."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cesaro.data.artifacts import Archive, DataError, Text
from cesaro.data.catalogue import CATALOGUE, Entry, entry_of

EMBEDDED = Path(__file__).parent / "embedded"


class Listed(NamedTuple):
    """A line of the catalogue as it stands on this machine."""

    name: str
    where: str  # "embedded", "$CESARO_DATA", "cache" or "not here"
    bytes: int | None  # on disk
    path: Path | None
    address: str
    about: str
    credit: str


def cache() -> Path:
    """The folder that downloads go to."""
    import pooch

    return Path(pooch.os_cache("cesaro"))


def _folders(entry: Entry) -> Iterator[tuple[str, Path]]:
    """Where to look, and what to call it, in this order."""
    if entry.embedded:
        yield "embedded", EMBEDDED
    if own := os.environ.get("CESARO_DATA"):
        if not Path(own).is_dir():
            raise DataError(f"CESARO_DATA is {own!r}, which is not a folder. Correct or unset it.")
        yield "$CESARO_DATA", Path(own)
        yield "$CESARO_DATA", Path(own) / "libsvm"
    yield "cache", cache()


def find(part: Text | Archive, entry: Entry) -> tuple[str, Path] | None:
    """Where a part of a data set is, and its path; None if it is not here."""
    for where, folder in _folders(entry):
        if path := part.find(folder):
            return where, path
    return None


def locate(name: str | Entry) -> Path | None:
    """The file (of training rows) or folder (of images) of a data set; None unless all of its parts are here."""
    entry = entry_of(name)
    found = [find(part, entry) for part in entry.parts]
    return found[0][1] if found[0] and all(found) else None


def listing() -> list[Listed]:
    """Every data set: where it is, how large, where it comes from."""
    lines = []
    for entry in CATALOGUE.values():
        found = [(part, place) for part in entry.parts if (place := find(part, entry))]
        here = len(found) == len(entry.parts)
        lines.append(
            Listed(
                entry.name,
                found[0][1][0] if here else "not here",
                sum(part.size(path) for part, (_, path) in found) if here else None,
                found[0][1][1] if here else None,
                entry.parts[0].address,
                entry.about,
                entry.credit,
            )
        )
    return lines
