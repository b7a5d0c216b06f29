"""Files as streams of bytes: plain, gzip, bzip2 or xz, told apart by their first bytes, not by their name."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.GzipFile, b"BZh": bz2.BZ2File, b"\xfd7zXZ\x00": lzma.LZMAFile}
BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError)  # what a compressed stream raises that was cut off or altered
SUFFIXES = ("", ".xz", ".bz2", ".gz")


@contextmanager
def opened(path: Path, wrap=lambda raw: raw) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The content of a file, and the file itself, whose position shows how far one is; `wrap` sees the raw bytes pass."""
    with open(path, "rb") as file:
        start = file.read(6)
        file.seek(0)
        raw = wrap(file)
        for magic, opener in OPENERS.items():
            if start.startswith(magic):
                with opener(filename=None, fileobj=raw, mode="rb") if magic == b"\x1f\x8b" else opener(raw) as content:
                    yield content, file
                return
        yield raw, file


def whole_lines(stream: IO[bytes], size: int) -> Iterator[bytes]:
    """Pieces of about `size` bytes that end in a newline; a longer line is one piece."""
    pending: list[bytes] = []
    while chunk := stream.read(size):
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join([*pending, chunk[:cut]])
            pending = []
        pending.append(chunk[cut:])
    if rest := b"".join(pending):
        yield rest + b"\n"
