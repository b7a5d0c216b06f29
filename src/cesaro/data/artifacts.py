"""What a data set consists of on disk, how it is found, and how one knows that it is right.

A `Text` is one svmlight file; its text is checked, so any compression will do. An `Archive` is a tar file, kept unpacked.
Nothing enters the cache unchecked, and it enters by a rename.
"""

import hashlib
import os
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from cesaro.data.streams import BROKEN, SUFFIXES, opened

CHUNK = 1 << 20


class DataError(OSError):
    """A data set that is not here, cannot be fetched, or is not what it should be; the message says what to do."""


def altered(path: Path, address: str, why: str) -> DataError:
    """The error for a file on this machine."""
    return DataError(
        f"{path} is not the published file: it is cut off or altered ({why}). "
        f"Delete it to have {address} downloaded, or put a good copy in its place."
    )


def refused(address: str, why: str) -> DataError:
    """The error for a download."""
    return DataError(
        f"What {address} gave is not the published file: it is cut off or altered ({why}). Nothing was kept. "
        "Try again later, or set CESARO_DATA to a folder with a good copy."
    )


def digest(path: Path, kind: str) -> str:
    """The checksum of a file as it is on disk; md5 where the publisher gives no other."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.new(kind, usedforsecurity=False)).hexdigest()


@dataclass(frozen=True)
class Text:
    """A svmlight file. It is right if the sha256 of its text is a known one, or the md5 of the file as it is served."""

    name: str
    address: str
    sha256: tuple[str, ...]
    md5: str | None = None

    def find(self, folder: Path) -> Path | None:
        paths = (folder / f"{self.name}{suffix}" for suffix in SUFFIXES)
        return next((path for path in paths if path.is_file()), None)

    def size(self, path: Path) -> int:
        return path.stat().st_size

    def flaw(self, path: Path) -> str | None:
        """In what a file differs from the published one; None if it does not."""
        text = hashlib.sha256()
        try:
            with opened(path) as (content, _):
                while chunk := content.read(CHUNK):
                    text.update(chunk)
        except BROKEN as error:
            return f"it cannot be decompressed: {error}"
        return self.difference(path, text.hexdigest())

    def difference(self, path: Path, sha256: str) -> str | None:
        """The same, when the checksum of the text is known."""
        if sha256 in self.sha256 or (self.md5 is not None and digest(path, "md5") == self.md5):
            return None
        return f"its text has sha256 {sha256}, expected {' or '.join(self.sha256)}"

    def install(self, download: Path, folder: Path) -> Path:
        """Moves a download into a folder, under the name that its address ends in, if it is right."""
        if why := self.flaw(download):
            raise refused(self.address, why)
        place = folder / self.address.rsplit("/", 1)[-1]
        os.replace(download, place)
        return place


@dataclass(frozen=True)
class Archive:
    """A tar file with a folder of which the files `members` are kept; the archive is checked, by md5, before it is unpacked."""

    name: str
    address: str
    md5: str
    members: tuple[str, ...]
    sha256: tuple[str, ...] = ()  # of the members, if known
    length: int = 0  # of each of those, in bytes

    def find(self, folder: Path) -> Path | None:
        for place in (folder / self.name, folder):
            if all((place / member).is_file() for member in self.members):
                return place
        return None

    def size(self, path: Path) -> int:
        return sum((path / member).stat().st_size for member in self.members)

    def flaw(self, path: Path) -> str | None:
        """Which file of the published length has not the published content; None if there is none.

        Other lengths pass: a part of the images in the same format is of use, and the loader checks the format.
        """
        for member, expected in zip(self.members, self.sha256, strict=False):
            file = path / member
            if file.stat().st_size == self.length and (sha256 := digest(file, "sha256")) != expected:
                return f"{member} has sha256 {sha256}, expected {expected}"
        return None

    def install(self, download: Path, folder: Path) -> Path:
        """Unpacks a download beside itself, if it is right, and renames the folder into place."""
        if (md5 := digest(download, "md5")) != self.md5:
            raise refused(self.address, f"it has md5 {md5}, expected {self.md5}")
        fresh = download.parent / self.name
        fresh.mkdir()
        with tarfile.open(download) as archive:
            for member in self.members:
                with archive.extractfile(f"{self.name}/{member}") as source, open(fresh / member, "wb") as target:  # type: ignore[union-attr]
                    shutil.copyfileobj(source, target)
        place = folder / self.name
        shutil.rmtree(place, ignore_errors=True)  # what was there was not right
        os.replace(fresh, place)
        return place
