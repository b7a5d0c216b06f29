"""The checkpoint of a distributed run, kept by the driver: what it is about, and its state in the form of a file."""

from collections.abc import Mapping
from typing import Any

from cesaro.engines.inputs import Chunk
from cesaro.linear.estimators.fingerprint import digest, of_parameters
from cesaro.storage.checkpoint import Checkpoint


def checksums(chunk: Chunk, _) -> tuple[str, str, str]:
    """Of a chunk's rows, labels or targets, and weights; computed where they are."""
    X, y = chunk.X, chunk.y
    y = y.astype(str) if y.dtype.kind not in "fiub" else y  # labels may be objects, whose bytes are addresses
    return digest(X.data, X.indices, X.indptr), digest(y), digest(chunk.v)


def checkpoint_of(model, how, engine, chunks: list, width: int, seed: int) -> Checkpoint:
    """The checkpoint in the model's directory; refused if it is of other data, chunks or parameters."""
    X, y, v = zip(*engine.each(checksums, chunks, None), strict=True)
    about = {"chunks": len(chunks), "features": width, "X": list(X), "y": list(y), "sample_weight": list(v)}
    return Checkpoint(model.checkpoint, about | of_parameters(model.get_params(deep=False) | how._asdict()), seed)


def flat(state: Mapping, path: str = "") -> dict[str, Any]:
    """Dictionaries in dictionaries as one, with paths for names."""
    found: dict[str, Any] = {}
    for name, value in state.items():
        found |= flat(value, f"{path}{name}/") if isinstance(value, Mapping) else {f"{path}{name}": value}
    return found


def nested(state: Mapping[str, Any]) -> dict[str, Any]:
    """What `flat` was given; names are words again."""
    found: dict[str, Any] = {}
    for path, value in state.items():
        *folders, name = path.split("/")
        inside = found
        for folder in folders:
            inside = inside.setdefault(folder, {})
        inside[name] = value
    return found
