"""The checkpoint of a distributed run, kept by the driver: what it is about."""

from cesaro.engines.inputs import Chunk
from cesaro.linear.estimators.fingerprint import digest, of_parameters
from cesaro.storage.checkpoint import Checkpoint


def checksums(chunk: Chunk, _) -> tuple[str, str, str]:
    """Of a chunk's rows, labels or targets, and weights; computed where they are."""
    X, y = chunk.X, chunk.y
    y = y.astype(str) if y.dtype.kind not in "fiub" else y  # labels may be objects, whose bytes are addresses
    return digest(X.data, X.indices, X.indptr), digest(y), digest(chunk.v)


def checkpoint_of(model, options, executor, chunks: list, width: int, seed: int) -> Checkpoint:
    """The checkpoint in the model's directory; refused if it is of other data, chunks or parameters."""
    X, y, v = zip(*executor.each(checksums, chunks, None), strict=True)
    about = {"chunks": len(chunks), "features": width, "X": list(X), "y": list(y), "sample_weight": list(v)}
    return Checkpoint(model.checkpoint, about | of_parameters(model.get_params(deep=False) | options._asdict()), seed)
