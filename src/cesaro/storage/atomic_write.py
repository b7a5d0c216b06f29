"""A file that appears whole or not at all: written beside its place, forced to the disk, then renamed."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write to; at the end it takes the place of `path`. After an error the old file is untouched.

    What a process that is killed leaves behind is called .NAME.*.part.
    """
    target = Path(path).resolve()  # a link stays a link: the file it names is replaced
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            if target.exists():
                part.chmod(target.stat().st_mode & 0o7777)
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename in the folder last, where folders can be synchronised."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
