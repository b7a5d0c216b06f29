"""Fitted linear models as files: safetensors for the arrays, JSON for the rest. Loading runs no code.

The file's metadata has two entries: "cesaro", a JSON object (format, version, class, parameters, ...), and "sha256", the
checksum of that object and of every array with its name, type and shape. So no bit can change unnoticed.
"""

import hashlib
import json
import os
from typing import Any

import numpy as np

from cesaro.storage.atomic_write import whole_file
from cesaro.version import __version__

FORMAT = 1
AGAIN = "Write the file again with cesaro.save or `cesaro fit --model`."


class ModelFileError(ValueError):
    """A file that is not a model, or no longer the one that was written."""


def write_model(path: str | os.PathLike[str], facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Facts (what JSON can say) and arrays into a file, whole or not at all."""
    from safetensors.numpy import save as to_bytes

    about = json.dumps({"format": FORMAT, "version": __version__} | facts, allow_nan=False)
    content = to_bytes(arrays, metadata={"cesaro": about, "sha256": _checksum(about.encode(), arrays)})
    with whole_file(path) as file:
        file.write(content)


def read_model(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The facts and arrays of a file; ModelFileError if it is not what `write_model` wrote."""
    with open(path, "rb") as file:
        content = file.read()
    return _opened(content, os.fspath(path))


def _checksum(about: bytes, arrays: dict[str, np.ndarray]) -> str:
    total = hashlib.sha256(about)
    for name in sorted(arrays):
        array = arrays[name]
        total.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        total.update(array.tobytes())
    return total.hexdigest()


def _opened(content: bytes, path: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The two parts of a file, once it is known to be ours and whole."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    size = int.from_bytes(content[:8], "little")
    try:
        metadata = json.loads(content[8 : 8 + size])["__metadata__"]
        about, checksum = metadata["cesaro"], metadata["sha256"]
        known, about_bytes = json.loads(about), about.encode()
        number = int(known["format"])
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise ModelFileError(
            f"{path} is not a cesaro model file ({len(content)} bytes), or its beginning is damaged. {AGAIN}"
        ) from None
    if number > FORMAT:
        raise ModelFileError(
            f"{path} was written by a later cesaro ({known.get('version', 'unknown')}, format {number}); this is "
            f"{__version__}, which reads format {FORMAT}. Upgrade with pip install --upgrade cesaro."
        )
    try:
        arrays = {name: np.array(array) for name, array in from_bytes(content).items()}
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise ModelFileError(f"{path} is damaged or cut short: {error}. {AGAIN}") from None
    if _checksum(about_bytes, arrays) != checksum:
        raise ModelFileError(f"{path} is damaged: its content does not have the checksum it was written with. {AGAIN}")
    return known, arrays
