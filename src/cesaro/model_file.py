"""Fitted linear models as files: safetensors for the arrays, JSON for the rest. Loading runs no code.

The file's metadata has two entries: "cesaro", a JSON object (format, version, class, parameters, ...), and "sha256", the
checksum of that object and of every array with its name, type and shape. So no bit can change unnoticed.
"""

import hashlib
import json
import os
from typing import Any

import numpy as np

from cesaro import __version__
from cesaro.whole_file import whole_file

FORMAT = 1
AGAIN = "Write the file again with cesaro.save or `cesaro fit --model`."


class ModelFileError(ValueError):
    """A file that is not a model, or no longer the one that was written."""


def save(model: Any, path: str | os.PathLike) -> None:
    """Write a fitted classifier or regressor to a file, whole or not at all.

    A cross-validated model is saved as what its search has found: the plain estimator with that alpha. Not saved: the
    state of a warm start, `random_state` objects (integers are), `checkpoint`. `partial_fit` of a loaded model goes on
    from its weights, as after `fit`.

    Parameters
    ----------
    model : fitted DualAveragingClassifier, DualAveragingRegressor or one of their CV classes
    path : str or path
        Replaced if it exists.

    Examples
    --------
    >>> import tempfile, cesaro
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = cesaro.DualAveragingClassifier(alpha=0.01, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cesaro.save(model, f"{folder}/iris.safetensors")
    ...     again = cesaro.load(f"{folder}/iris.safetensors")
    >>> bool((again.decision_function(X) == model.decision_function(X)).all())
    True
    """
    from safetensors.numpy import save as to_bytes

    from cesaro.linear.record import record

    facts, arrays = record(model)
    about = json.dumps({"format": FORMAT, "version": __version__} | facts, allow_nan=False)
    content = to_bytes(arrays, metadata={"cesaro": about, "sha256": _checksum(about, arrays)})
    with whole_file(path) as file:
        file.write(content)


def load(path: str | os.PathLike) -> Any:
    """Read a model that `save` wrote; it predicts the same bits.

    Raises
    ------
    ModelFileError
        If the file is cut short, changed, of another kind, or of a later format.
    """
    with open(path, "rb") as file:
        content = file.read()
    from cesaro.linear.record import restored

    facts, arrays = _opened(content, os.fspath(path))
    try:
        return restored(facts, arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path} does not describe a model: {error}. {AGAIN}") from error


def _checksum(about: str, arrays: dict[str, np.ndarray]) -> str:
    total = hashlib.sha256(about.encode())
    for name in sorted(arrays):
        array = arrays[name]
        total.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        total.update(array.tobytes())
    return total.hexdigest()


def _opened(content: bytes, path: str) -> tuple[dict, dict[str, np.ndarray]]:
    """The two parts of a file, once it is known to be ours and whole."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    size = int.from_bytes(content[:8], "little")
    try:
        metadata = json.loads(content[8 : 8 + size])["__metadata__"]
        about, checksum = metadata["cesaro"], metadata["sha256"]
        known = json.loads(about)
        number = int(known["format"])
    except (ValueError, KeyError, TypeError):
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
    if _checksum(about, arrays) != checksum:
        raise ModelFileError(f"{path} is damaged: its content does not have the checksum it was written with. {AGAIN}")
    return known, arrays
