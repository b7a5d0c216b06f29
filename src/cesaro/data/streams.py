"""Files as streams of bytes: plain, gzip, bzip2 or xz, told apart by their first bytes, not by their name."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
SUFFIXES = ("", ".xz", ".bz2", ".gz")
LONGEST_LINE = 1 << 28  # bytes: a row of some ten million entries
READ_ERRORS = (EOFError, OSError, zlib.error, lzma.LZMAError)  # what reading raises when a file was cut off or altered


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, by its first bytes."""
    with open(path, "rb") as file:
        return file.read(6).startswith(tuple(OPENERS))


class LongLineError(ValueError):
    """A line that is longer than any row, as in a file of another kind or one made to fill the memory."""


@contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The decompressed content of a file, and the file itself, whose position tells how much of it is read."""
    with open(path, "rb") as file:
        start = file.read(6)
        file.seek(0)
        for magic, opener in OPENERS.items():
            if start.startswith(magic):
                with opener(file) as content:
                    yield content, file
                return
        yield file, file


def whole_lines(read: Callable[[int], bytes], size: int) -> Iterator[bytes]:
    """Pieces of about `size` bytes that end in a newline; a longer line is one piece, LongLineError if it has no end."""
    pending: list[bytes] = []
    length = 0
    while chunk := read(size):
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join([*pending, chunk[:cut]])
            pending, length = [], 0
        pending.append(chunk[cut:])
        length += len(pending[-1])
        if length > LONGEST_LINE:
            raise LongLineError(f"the line has more than {LONGEST_LINE} bytes")
    if rest := b"".join(pending):
        yield rest + b"\n"
