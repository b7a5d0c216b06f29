"""From chunks to partitions: what one task works on. Shuffled for the local mode, cut at virtual blocks for the exact one.

Rows often lie in an order (by date, by place). Workers that each see another part of the world disagree, and a round
then helps little: so the local mode shuffles every chunk's rows over all partitions, once, before it begins.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro.engines.inputs import Chunk
from cesaro.engines.reproducible_sum import BLOCKS, edges

SHARES = 32  # partitions at most over which a chunk is shuffled: the number of pieces grows with chunks times this


class Partition(NamedTuple):
    """Rows of some consecutive virtual blocks: block first + j has the rows edges[j] .. edges[j + 1]."""

    rows: Chunk
    first: int
    edges: np.ndarray


class Facts(NamedTuple):
    """What must be known of a chunk before it is cut."""

    n: int
    width: int
    double: bool
    largest: float


def facts(chunk: Chunk | Exception, _) -> Facts | Exception:
    """The size of a chunk, and of its largest value; or why there is none."""
    if isinstance(chunk, Exception):
        return chunk
    X = chunk.X
    return Facts(X.shape[0], X.shape[1], X.dtype == np.float64, float(np.abs(X.data).max(initial=0.0)))


def piece(chunk: Chunk, low: int, high: int) -> Chunk:
    """The rows low .. high of a chunk."""
    return Chunk(chunk.X[low:high], chunk.y[low:high], chunk.v[low:high])


def shuffle_share(chunk: Chunk, seed: tuple, shares: int, k: int) -> Chunk:
    """The k-th of `shares` random shares of a chunk's rows."""
    rows = np.sort(np.random.default_rng(seed).permutation(chunk.X.shape[0])[k::shares])
    return Chunk(chunk.X[rows], chunk.y[rows], chunk.v[rows])


def join(width: int, double: bool, first: int, cuts, *pieces: Chunk) -> Partition:
    """The partition of these pieces; cuts are the edges of its blocks, None: it is one block."""
    kind = np.float64 if double else np.float32
    matrices = [sp.csr_array((p.X.data, p.X.indices, p.X.indptr), shape=(p.X.shape[0], width)) for p in pieces]
    X = sp.csr_array(sp.vstack(matrices, format="csr", dtype=kind))
    rows = Chunk(X, np.concatenate([p.y for p in pieces]), np.concatenate([p.v for p in pieces]))
    return Partition(rows, first, np.array([0, X.shape[0]]) if cuts is None else np.asarray(cuts))


def shuffled(executor, chunks: list, known: list[Facts], width: int, seed: int) -> tuple[list, int]:
    """As many partitions as chunks, each with rows of many chunks, and the number of blocks: one for each."""
    P, double = len(chunks), any(fact.double for fact in known)
    shares = min(P, SHARES)
    pieces_of: list[list] = [[] for _ in range(P)]
    for i, chunk in enumerate(chunks):
        for k in range(shares):
            to = (i + k * (P // shares)) % P
            pieces_of[to].append(
                chunk if P == 1 else executor.make(shuffle_share, chunk, (seed, i), shares, k, place=to)
            )
    return [executor.make(join, width, double, j, None, *pieces, place=j) for j, pieces in enumerate(pieces_of)], P


def as_they_are(executor, chunks: list, known: list[Facts], width: int, seed: int) -> tuple[list, int]:
    """The chunks as they are, each one block."""
    double = any(fact.double for fact in known)
    return [executor.make(join, width, double, j, None, chunk, place=j) for j, chunk in enumerate(chunks)], len(chunks)


def aligned(executor, chunks: list, known: list[Facts], width: int, seed: int) -> tuple[list, int]:
    """Partitions of whole virtual blocks: a block belongs to the chunk in which it begins. Empty ones are left out."""
    ends = np.cumsum([fact.n for fact in known])
    starts, n, double = ends - [fact.n for fact in known], int(ends[-1]), any(fact.double for fact in known)
    blocks = min(BLOCKS, n)
    cut = edges(n, blocks)
    parts: list = []
    for k in range(len(chunks)):
        mine = np.flatnonzero((cut[:-1] >= starts[k]) & (cut[:-1] < ends[k]))
        if not len(mine):
            continue
        low, high = int(cut[mine[0]]), int(cut[mine[-1] + 1])
        pieces = []
        for i in np.flatnonzero((starts < high) & (ends > low)):
            inside = max(low, int(starts[i])) - int(starts[i]), min(high, int(ends[i])) - int(starts[i])
            pieces.append(chunks[i] if inside == (0, known[i].n) else executor.make(piece, chunks[i], *inside, place=k))
        cuts = (cut[mine[0] : mine[-1] + 2] - low).tolist()
        parts.append(executor.make(join, width, double, int(mine[0]), cuts, *pieces, place=len(parts)))
    return parts, blocks
