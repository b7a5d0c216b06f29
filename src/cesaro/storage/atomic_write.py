"""A file that appears whole or not at all: written beside its place, forced to the disk, then renamed."""

import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

LATE = 3600.0  # seconds after which what is still being written is taken for abandoned, wherever it came from


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write to; at the end it takes the place of `path`. After an error the old file is untouched.

    FileExistsError if `path` is there and is no regular file: a device or a pipe would be replaced. An OSError names the
    path, a full disk's too. What a process that is killed leaves behind is called .NAME.PROCESS.*.part.
    """
    refuse_special_files(path)
    target = Path(path).resolve()  # a link stays a link: the file it names is replaced
    part = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            if target.exists():
                part.chmod(target.stat().st_mode & 0o7777)
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(target)) from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def refuse_special_files(path: str | os.PathLike[str]) -> None:
    """FileExistsError if there is something at `path` that is no regular file: renaming over it would destroy it."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFDIR: "folder", stat.S_IFCHR: "device", stat.S_IFBLK: "device", stat.S_IFIFO: "pipe"}
        kind = kinds.get(stat.S_IFMT(mode), "special file")
        words = f"this is a {kind}, which a file would replace: name a regular file, or one that is not there yet"
        raise FileExistsError(errno.EEXIST, words, str(path))


def abandoned(path: Path, process: str) -> bool:
    """Whether nobody is writing this any more: its process has ended, or it has not changed for an hour."""
    try:
        return not (process.isdigit() and alive(int(process))) or time.time() - path.stat().st_mtime > LATE
    except FileNotFoundError:  # another one was faster
        return False


def alive(process: int) -> bool:
    """Whether there is a process of this number; where one cannot ask without sending it a signal, perhaps."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True


def sync_folder(folder: Path) -> None:
    """Make a rename in the folder last, where folders can be synchronised."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
