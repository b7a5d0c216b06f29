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

from .streams import BROKEN, SUFFIXES, opened

CHUNK = 1 << 20


class DataError(OSError):
    """A data set that is not here, cannot be fetched, or is not what it should be; the message says what to do."""


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

    def verify(self, path: Path) -> None:
        """Raises DataError unless the file is the published one."""
        text = hashlib.sha256()
        try:
            with opened(path) as (content, _):
                while chunk := content.read(CHUNK):
                    text.update(chunk)
        except BROKEN as error:
            raise self.altered(path, f"cannot be decompressed: {error}") from error
        self.compare(path, text.hexdigest())

    def compare(self, path: Path, sha256: str) -> None:
        """The same, when the checksum of the text is known."""
        if sha256 not in self.sha256 and (self.md5 is None or digest(path, "md5") != self.md5):
            raise self.altered(path, f"its text has sha256 {sha256}, expected {' or '.join(self.sha256)}")

    def altered(self, path: Path, why: str) -> DataError:
        return DataError(
            f"{path} is not the published {self.name}, it is cut off or altered ({why}). "
            f"Delete it to have {self.address} downloaded, or put a good copy in its place."
        )

    def install(self, download: Path, folder: Path) -> Path:
        """Moves a checked download into a folder, under the name that its address ends in."""
        self.verify(download)
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
    sha256: tuple[str, ...] = ()  # of the members, where known
    length: int = 0  # of each member, in bytes, where known

    def find(self, folder: Path) -> Path | None:
        for place in (folder / self.name, folder):
            if all((place / member).is_file() for member in self.members):
                return place
        return None

    def size(self, path: Path) -> int:
        return sum((path / member).stat().st_size for member in self.members)

    def verify(self, path: Path) -> None:
        """Raises DataError if a file of the published length has not the published content.

        Other lengths pass: a part of the images in the same format is of use, and the loader checks the format.
        """
        for member, expected in zip(self.members, self.sha256, strict=bool(self.sha256)):
            file = path / member
            if file.stat().st_size == self.length and (sha256 := digest(file, "sha256")) != expected:
                raise DataError(
                    f"{file} is not the published one, it is altered (sha256 {sha256}, expected {expected}). "
                    f"Delete {path} to have {self.address} downloaded, or put a good copy in its place."
                )

    def install(self, download: Path, folder: Path) -> Path:
        """Unpacks a checked download beside itself, then renames the folder into place."""
        if (md5 := digest(download, "md5")) != self.md5:
            raise DataError(
                f"{self.address} is not the published {self.name}, it is cut off or altered (md5 {md5}, expected {self.md5}). "
                "Nothing was kept. Try again later, or unpack a good copy in $CESARO_DATA."
            )
        fresh = download.parent / self.name
        fresh.mkdir()
        with tarfile.open(download) as archive:
            for member in self.members:
                source = archive.extractfile(f"{self.name}/{member}")
                assert source is not None
                with source, open(fresh / member, "wb") as target:
                    shutil.copyfileobj(source, target)
        place = folder / self.name
        shutil.rmtree(place, ignore_errors=True)  # what was there was not complete
        os.replace(fresh, place)
        return place
