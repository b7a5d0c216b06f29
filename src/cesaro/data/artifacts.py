"""The artifacts of a data set: files on disk, how they are found, and how their content is verified.

Of a `SvmlightFile` the decompressed text is verified, so any compression will do. An `Archive` is a tar file, stored unpacked.
Nothing enters the cache unverified, and it enters by a rename.
"""

import hashlib
import os
import shutil
import tarfile
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from cesaro.data.streams import READ_ERRORS, SUFFIXES, opened
from cesaro.docstrings import complete

CHUNK = 1 << 20


class DataError(OSError):
    """A data set that is missing, cannot be downloaded, or fails verification; the message says what to do."""


def altered_file_error(path: Path, address: str, why: str) -> DataError:
    """The error for a file on this machine."""
    return DataError(
        f"{path} is not the published file: it is cut off or altered ({why}). "
        f"Delete it to have {address} downloaded, or put a good copy in its place."
    )


def bad_download_error(address: str, why: str) -> DataError:
    """The error for a download."""
    return DataError(
        f"What {address} gave is not the published file: it is cut off or altered ({why}). Nothing was kept. "
        "Try again later, or set CESARO_DATA to a folder with a good copy."
    )


def file_digest(path: Path, kind: str) -> str:
    """The checksum of a file's bytes; md5 where the publisher gives no other."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.new(kind, usedforsecurity=False)).hexdigest()


FOUND = """
Parameters
----------
path : Path
    What `find` returned.
"""


@complete(FOUND)
@dataclass(frozen=True)
class Artifact(ABC):
    """The interface: what is published at one address.

    Parameters
    ----------
    name : str
        The file's name without the suffix of a compression; of an archive, the folder inside it.
    address : str
        The URL it is downloaded from.
    """

    name: str
    address: str

    @abstractmethod
    def find(self, folder: Path) -> Path | None:
        """The path of this artifact in a folder.

        Parameters
        ----------
        folder : Path
            Where to search.

        Returns
        -------
        Path or None
            The file, or the folder of an archive's files; None if it is not there.
        """

    @abstractmethod
    def size(self, path: Path) -> int:
        """Bytes on disk.

        Returns
        -------
        int
            The bytes of its files.
        """

    @abstractmethod
    def mismatch(self, path: Path) -> str | None:
        """How an artifact on disk differs from the published one.

        Returns
        -------
        str or None
            The difference, in words; None if there is none.
        """

    @abstractmethod
    def install(self, download: Path, folder: Path) -> Path:
        """Move a download into a folder, if it is the published one; an archive is unpacked.

        Parameters
        ----------
        download : Path
            The downloaded file.
        folder : Path
            Where it goes.

        Returns
        -------
        Path
            What `find` will return.

        Raises
        ------
        DataError
            If the download is not the published file.
        """


@complete(Artifact)
@dataclass(frozen=True)
class SvmlightFile(Artifact):
    """A svmlight file, plain or compressed.

    Parameters
    ----------
    sha256 : tuple of str
        Known checksums of the decompressed text; one of them must match.
    md5 : str, optional
        Checksum of the file as it is served, which may match instead.
    """

    sha256: tuple[str, ...]
    md5: str | None = None

    def find(self, folder: Path) -> Path | None:
        paths = (folder / f"{self.name}{suffix}" for suffix in SUFFIXES)
        return next((path for path in paths if path.is_file()), None)

    def size(self, path: Path) -> int:
        return path.stat().st_size

    def mismatch(self, path: Path) -> str | None:
        text = hashlib.sha256()
        try:
            with opened(path) as (content, _):
                while chunk := content.read(CHUNK):
                    text.update(chunk)
        except READ_ERRORS as error:
            return f"it cannot be decompressed: {error}"
        return self.digest_mismatch(path, text.hexdigest())

    def digest_mismatch(self, path: Path, sha256: str) -> str | None:
        """As `mismatch`, where the decompressed text has been read already.

        Parameters
        ----------
        path : Path
            The file.
        sha256 : str
            Checksum of its decompressed text.

        Returns
        -------
        str or None
            The difference, in words; None if there is none.
        """
        if sha256 in self.sha256 or (self.md5 is not None and file_digest(path, "md5") == self.md5):
            return None
        return f"its text has sha256 {sha256}, expected {' or '.join(self.sha256)}"

    def install(self, download: Path, folder: Path) -> Path:
        if why := self.mismatch(download):
            raise bad_download_error(self.address, why)
        installed = folder / self.address.rsplit("/", 1)[-1]
        os.replace(download, installed)
        return installed


@complete(Artifact)
@dataclass(frozen=True)
class Archive(Artifact):
    """A tar file with a folder of files; it is verified, by md5, before it is unpacked.

    Parameters
    ----------
    md5 : str
        Checksum of the archive.
    members : tuple of str
        The files of the folder that are extracted.
    sha256 : tuple of str, optional
        Checksums of the members.
    length : int, optional
        Bytes of each member.
    """

    md5: str
    members: tuple[str, ...]
    sha256: tuple[str, ...] = ()
    length: int = 0

    def find(self, folder: Path) -> Path | None:
        for candidate in (folder / self.name, folder):
            if all((candidate / member).is_file() for member in self.members):
                return candidate
        return None

    def size(self, path: Path) -> int:
        return sum((path / member).stat().st_size for member in self.members)

    def mismatch(self, path: Path) -> str | None:
        # members of another length pass: some of the images in the same format are of use, and the loader checks the format
        for member, expected in zip(self.members, self.sha256, strict=False):
            file = path / member
            if file.stat().st_size == self.length and (sha256 := file_digest(file, "sha256")) != expected:
                return f"{member} has sha256 {sha256}, expected {expected}"
        return None

    def install(self, download: Path, folder: Path) -> Path:
        if (md5 := file_digest(download, "md5")) != self.md5:
            raise bad_download_error(self.address, f"it has md5 {md5}, expected {self.md5}")
        fresh = download.parent / self.name
        fresh.mkdir()
        with tarfile.open(download) as archive:
            for member in self.members:
                with archive.extractfile(f"{self.name}/{member}") as source, open(fresh / member, "wb") as target:  # type: ignore[union-attr]
                    shutil.copyfileobj(source, target)
        installed = folder / self.name
        shutil.rmtree(installed, ignore_errors=True)  # what was there was incomplete or altered
        os.replace(fresh, installed)
        return installed
