"""The cross-validated path: every fold, alpha and target column is a lane of one pass of `implicit`.

Lanes run in groups whose state stays in the cache. A row is skipped by the lanes of the folds that hold it out. The
anchor of each alpha comes from a pilot, candidates as lanes over a sample of the rows.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cesaro.compiled.vector_ops import padded, zeros
from cesaro.linear.model_selection.path_kernels import (
    ANCHOR,
    CUT,
    OUT,
    A,
    Pack,
    bounded,
    look,
    row_squares,
    visit_implicit,
)
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.row_order import RowOrders
from cesaro.linear.problem.scalar_losses import dual_form

CACHE = 384 * 1024  # bytes of lane state per group
CANDIDATES = 3.0 ** np.arange(-4, 4)


class Path(NamedTuple):
    """What a search found; K folds, A alphas, C target columns."""

    W: np.ndarray  # (K, A, C, width)
    objective: np.ndarray  # (K, A, C) on the fold's training rows
    lower_bound: np.ndarray  # (K, A, C) proved
    held_out: np.ndarray  # (n, A, C): each row's prediction by the last fold that holds it out; NaN if none does


class Job(NamedTuple):
    """One lane: a fold, an alpha, a target column, and the step."""

    fold: int
    alpha: float
    column: int
    eta: float


def cross_validate(
    rows: Rows,
    Y: np.ndarray,
    v: np.ndarray,
    loss,
    alphas: Sequence[float] | np.ndarray,
    folds: np.ndarray,
    *,
    l1_ratio: float = 0.0,
    epochs: int = 10,
    seed: int | np.random.Generator = 0,
    dtype=np.float32,
) -> Path:
    """Every alpha on the training rows of every fold, `epochs` passes of implicit dual averaging.

    Y is (n,) or (n, C): -1/+1 or targets; v (n,) are sample weights. `folds` is (n,), the fold that holds a row out, or
    (K, n) booleans, true where fold k learns from the row.
    """
    rng = np.random.default_rng(seed)
    Y = np.ascontiguousarray(Y, dtype=float).reshape(rows.n, -1)
    folds = np.asarray(folds)
    train = folds if folds.ndim == 2 else folds != np.arange(folds.max() + 1)[:, None]
    v = np.asarray(v, dtype=float)
    v = v / v[v > 0].mean()
    shape = bounded(dual_form(loss))
    grid = np.asarray(alphas, dtype=float)
    q = np.empty(rows.n)
    row_squares(rows, q)
    R = float(v @ q / v.sum())
    problem = (rows, Y, v, q, shape, l1_ratio, dtype)
    etas = pilot(problem, grid, R, rng)
    K, C = len(train), Y.shape[1]
    jobs = [Job(k, alpha, c, eta) for k in range(K) for alpha, eta in zip(grid, etas, strict=True) for c in range(C)]
    size = max(16, int(CACHE / (np.dtype(dtype).itemsize * (rows.d + 1))))
    W, f, low = np.empty((len(jobs), rows.width)), np.empty(len(jobs)), np.empty(len(jobs))
    held_out = np.full((rows.n, len(grid) * C), np.nan, dtype=dtype)
    for first in range(0, len(jobs), size):
        part = slice(first, first + size)
        place = np.arange(first, min(first + size, len(jobs))) % (len(grid) * C)
        W[part], f[part], low[part] = run(problem, train, jobs[part], R, epochs, rng, held_out, place)
    axes = (K, len(grid), C)
    return Path(W.reshape(*axes, -1), f.reshape(axes), low.reshape(axes), held_out.reshape(rows.n, -1, C))


def pack_of(problem, train: np.ndarray, jobs: list[Job], R: float) -> tuple[Pack, np.ndarray]:
    """Lanes for the jobs (and idle ones up to whole vectors), and the pattern of every row."""
    rows, *_, l1_ratio, dtype = problem
    used = sorted({job.fold for job in jobs})
    patterns, pattern = patterns_of(train[used])
    L, d = padded(len(jobs), dtype), rows.d + 1
    mask = zeros((len(patterns), L), dtype)
    mask[:, : len(jobs)] = patterns[:, [used.index(job.fold) for job in jobs]]
    alpha, eta = np.ones(L), np.ones(L)
    alpha[: len(jobs)], eta[: len(jobs)] = [job.alpha for job in jobs], [job.eta for job in jobs]
    mu, sums, target = alpha * (1.0 - l1_ratio), np.zeros((5, L)), np.zeros(L, dtype=np.uint32)
    target[: len(jobs)] = [job.column for job in jobs]
    sums[ANCHOR] = R / (eta * mu)
    pack = Pack(
        h=zeros((d, L), dtype),
        mu=mu.astype(dtype),
        l1=(alpha * l1_ratio).astype(dtype),
        target=target,
        mask=mask,
        gap=np.array([gap_of(row) for row in mask]),
        G=(mu * sums[ANCHOR]).astype(dtype),
        cut=zeros(L, dtype),
        y=zeros(L, dtype),
        m=zeros(L, dtype),
        g=zeros(L, dtype),
        T=zeros(L, dtype),
        average=zeros((d, L)),
        sums=sums,
        met=np.zeros(len(patterns)),
    )
    return pack, pattern


def gap_of(mask: np.ndarray) -> tuple[int, int]:
    """The longest run of whole vectors that a pattern leaves out: where it begins, how long it is."""
    unit = padded(1, mask.dtype)
    idle = np.append(~mask.reshape(-1, unit).any(axis=1), False)
    first, longest, start = 0, 0, 0
    for block, off in enumerate(idle):
        if not off:
            start = block + 1
        elif block + 1 - start > longest:
            first, longest = start, block + 1 - start
    return unit * first, unit * longest


def patterns_of(train: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different columns of `train` (K, n) as rows, and which of them each row of the data has."""
    pattern, patterns = np.zeros(train.shape[1], dtype=np.int64), np.zeros((1, 0), dtype=bool)
    for learns in train:
        pattern = 2 * pattern + learns
        exist = np.flatnonzero(np.bincount(pattern))
        number = np.zeros(exist[-1] + 1, dtype=np.int64)
        number[exist] = np.arange(len(exist))
        pattern, patterns = number[pattern], np.column_stack([patterns[exist // 2], exist % 2 == 1])
    return patterns, pattern.astype(np.uint32)


def run(problem, train, jobs, R, epochs, rng, held_out, place, order=None):
    """The epochs of one group: weights (L, width), objectives and lower bounds (L,) of its lanes."""
    rows, Y, v, q, shape, l1_ratio, dtype = problem
    pack, pattern = pack_of(problem, train, jobs, R)
    order = np.flatnonzero(v).astype(np.uint32) if order is None else order
    orders = RowOrders(order, rows.ptr)
    stride = max(1, len(order) // 32, 8 * rows.d * len(order) // max(1, len(rows.data)))
    t, L = 0, len(jobs)
    for _ in range(epochs):
        t = visit_implicit(rows, Y, v, q, pattern, orders.draw(rng), shape, l1_ratio > 0, pack, stride, t)
    W, point = pack.average / pack.sums[OUT], zeros(pack.h.shape, dtype)
    point[:] = W
    losses, held = np.zeros(W.shape[1]), np.zeros((len(pack.mask), 0), dtype=np.uint32)
    if held_out is not None:
        out = pack.mask[:, :L] == 0
        held = np.sort(np.where(out, np.arange(L), W.shape[1]), axis=1)[:, : out.sum(axis=1).max()].astype(np.uint32)
    target = held_out if held_out is not None else np.zeros((0, 0), dtype=dtype)
    look(rows, Y, v, pattern, order, shape, pack, point, losses, held, target, place)
    weight = np.bincount(pattern[order], v[order], len(pack.mask)) @ pack.mask[:, :L]
    alpha, W = np.array([job.alpha for job in jobs]), W[: rows.width, :L]
    mu, l1 = alpha * (1.0 - l1_ratio), alpha * l1_ratio
    f = losses[:L] / weight + mu / 2 * np.square(W).sum(axis=0) + l1 * np.abs(W[: rows.d]).sum(axis=0)
    return W.T, f, bounds(rows, pack, mu, l1, dtype, len(order) * epochs)


def bounds(rows, pack: Pack, mu, l1, dtype, visits) -> np.ndarray:
    """Each lane's cut, mixed with the cut 0 of non-negative losses (theta), less what rounding may have added."""
    L = len(mu)
    total = pack.sums[A, :L]
    s, c = np.abs(pack.h[: rows.width, :L].astype(float)) / total, pack.sums[CUT, :L] / total
    s[: rows.d] = np.maximum(0.0, s[: rows.d] - l1)
    square = np.square(s).sum(axis=0)
    eps = float(np.finfo(dtype).eps)
    theta = np.clip(np.divide(mu * c, square, out=np.ones(L), where=square > 0), 0.0, 1.0) if not l1.any() else 1.0
    lost = eps * (512 * np.abs(c) + visits / 2 * square / mu)
    return np.maximum(0.0, theta * c - theta**2 * square / (2 * mu) - lost)


def pilot(problem, alphas: np.ndarray, R: float, rng) -> np.ndarray:
    """The step of each alpha: the best of the candidates after one epoch over a sample of the rows, at four alphas."""
    rows, _, v, *_ = problem
    exist = np.flatnonzero(v)
    size = min(len(exist), 5000, max(len(exist) // 10, 500))
    sample = rng.choice(exist, size, replace=False).astype(np.uint32)
    tried = np.unique(np.quantile(np.log(alphas), np.linspace(0, 1, 4), method="nearest"))
    jobs = [Job(0, float(np.exp(alpha)), 0, float(eta)) for alpha in tried for eta in CANDIDATES]
    everyone = np.ones((1, rows.n), dtype=bool)
    _, f, _ = run(problem, everyone, jobs, R, 1, rng, None, np.zeros(len(jobs), dtype=np.intp), sample)
    best = np.argmin(np.where(np.isfinite(f), f, np.inf).reshape(len(tried), -1), axis=1)
    log_eta = np.interp(np.log(alphas), tried, np.log(CANDIDATES[best]))
    return np.exp(log_eta) * (size / len(exist)) ** (1 / 3)
