"""The cross-validated path: every fold, alpha and target column is one of many models that share their epochs.

Models run in batches whose state stays in the cache. Where that is all of them, those of a fold are neighbours, and skip
the rows that it holds out. Else the batches go by alpha: rows move w for alphas alike, or do not, and those that moved no
model of the batch rest for an epoch; a batch of large alphas, whose problems are easy, has fewer epochs. The anchor of each
alpha comes from a pilot, candidates as models over a sample of the rows.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cesaro.compiled.vector_ops import padded, zeros
from cesaro.dual_form import DualForm
from cesaro.linear.model_selection.path_kernels import (
    ANCHOR,
    CUT,
    A,
    ModelBatch,
    row_squares,
    run_path_epoch,
)
from cesaro.linear.model_selection.path_losses import PLANES, SIZES, SQUARES, evaluate_models, find_points
from cesaro.linear.model_selection.slices import slices
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.neighbour_order import orders_of
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.initial_step import CANDIDATES, sample_size

CACHE = 384 * 1024  # bytes of state of a batch
PIECE = 1 << 14  # rows
LEAST, ENOUGH = 3, 50.0  # epochs: at least so many, and until mu Gamma is so many times mean |x|^2


class Path(NamedTuple):
    """What a search found; K folds, A alphas, C target columns."""

    W: np.ndarray  # (K, A, C, width)
    objective: np.ndarray  # (K, A, C) on the fold's training rows
    lower_bound: np.ndarray  # (K, A, C) proved
    held_out: np.ndarray  # (n, A, C): each row's prediction by the last fold that holds it out; NaN if none does


class PathModel(NamedTuple):
    """One model: a fold, an alpha, a target column, and the step."""

    fold: int
    alpha: float
    column: int
    step: float  # the first, in units of 1 / mean |x|^2
    place: int = 0  # of its predictions in a row of `held_out`


class PathProblem(NamedTuple):
    """What all models of a path share."""

    rows: Rows
    Y: np.ndarray  # (n, C)
    v: np.ndarray  # (n,), mean 1
    squares: np.ndarray  # (n,) |x_i|^2
    loss: DualForm
    l1_ratio: float
    dtype: Any

    @property
    def mean_square(self) -> float:
        return float(self.v @ self.squares / self.v.sum())


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
    between: Callable[[], Any] = int,
) -> Path:
    """Every alpha on the training rows of every fold, `epochs` passes of implicit dual averaging.

    Y is (n,) or (n, C): -1/+1 or targets; v (n,) are sample weights. `folds` is (n,), the fold that holds a row out, or
    (K, n) booleans, true where fold k learns from the row. `between` is called between slices of an epoch, and may raise.
    """
    rng = np.random.default_rng(seed)
    Y = np.ascontiguousarray(Y, dtype=float).reshape(rows.n, -1)
    folds = np.asarray(folds)
    train = folds if folds.ndim == 2 else folds != np.arange(folds.max() + 1)[:, None]
    v = np.asarray(v, dtype=float)
    v = v / v[v > 0].mean()
    grid, squares = np.asarray(alphas, dtype=float), np.empty(rows.n)
    row_squares(rows, squares)
    problem = PathProblem(rows, Y, v, squares, dual_form(loss).in_single_precision(), l1_ratio, dtype)
    steps = pilot(problem, grid, rng)
    K, C = len(train), Y.shape[1]
    models = [
        PathModel(k, alpha, c, step, a * C + c)
        for k in range(K)
        for a, (alpha, step) in enumerate(zip(grid, steps, strict=True))
        for c in range(C)
    ]
    W = np.empty((len(models), rows.width), dtype)
    f, low = np.empty(len(models)), np.empty(len(models))
    held_out = np.empty((rows.n, len(grid) * C), dtype=dtype)
    for first in range(0, rows.n, PIECE):  # Ctrl-C is not heard while an array is filled
        held_out[first : first + PIECE] = np.nan
        between()
    for part in batches(models, max(16, int(CACHE / (np.dtype(dtype).itemsize * (rows.d + 1))))):
        batch = [models[k] for k in part]
        count = min(epochs, enough_epochs(problem, batch))
        rests = len(part) < len(models) and l1_ratio == 0.0
        how = {"rests": rests, "between": between}
        W[part], f[part], low[part] = run_batch(problem, train, batch, count, rng, held_out, **how)
    axes = (K, len(grid), C)
    return Path(W.reshape(*axes, -1), f.reshape(axes), low.reshape(axes), held_out.reshape(rows.n, -1, C))


def batches(models: list[PathModel], size: int) -> list[list[int]]:
    """Which models share their epochs, `size` of them at most: all as they are, or by alpha, the largest first."""
    if len(models) <= size:
        return [list(range(len(models)))]
    order = sorted(range(len(models)), key=lambda k: -models[k].alpha)
    return [order[first : first + size] for first in range(0, len(models), size)]


def enough_epochs(problem: PathProblem, models: list[PathModel]) -> int:
    """So many that the model of the smallest alpha among these is near its solution."""
    mu = min(model.alpha for model in models) * (1.0 - problem.l1_ratio)
    needed = ENOUGH * problem.mean_square / max(mu * problem.v.sum(), 1e-300)
    return max(LEAST, int(min(needed, 1e9)) + 1)


def make_batch(problem: PathProblem, train: np.ndarray, models: list[PathModel]) -> tuple[ModelBatch, np.ndarray]:
    """A batch of the models (and idle ones up to whole vectors), and the pattern of every row."""
    rows, l1_ratio, dtype = problem.rows, problem.l1_ratio, problem.dtype
    used = sorted({model.fold for model in models})
    patterns, pattern = patterns_of(train[used])
    L, d = padded(len(models), dtype), rows.d + 1
    mask = zeros((len(patterns), L), dtype)
    mask[:, : len(models)] = patterns[:, [used.index(model.fold) for model in models]]
    alpha, step = np.ones(L), np.ones(L)
    alpha[: len(models)], step[: len(models)] = np.array([(model.alpha, model.step) for model in models]).T
    mu, sums, target = alpha * (1.0 - l1_ratio), np.zeros((4, L)), np.zeros(L, dtype=np.uint32)
    target[: len(models)] = [model.column for model in models]
    sums[ANCHOR] = problem.mean_square / (step * mu)
    batch = ModelBatch(
        h=zeros((d, L), dtype),
        mu=mu.astype(dtype),
        l1=(alpha * l1_ratio).astype(dtype),
        target=target,
        mask=mask,
        idle=np.array([idle_range(row) for row in mask]),
        G=(mu * sums[ANCHOR]).astype(dtype),
        cut=zeros(L, dtype),
        y=zeros(L, dtype),
        m=zeros(L, dtype),
        g=zeros(L, dtype),
        T=zeros(L, dtype),
        average=zeros((d, L), dtype),
        sums=sums,
        pattern_weight=np.zeros(len(patterns)),
    )
    return batch, pattern


def idle_range(mask: np.ndarray) -> tuple[int, int]:
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


def run_batch(problem: PathProblem, train, models, epochs, rng, held_out, order=None, rests=False, between=int):
    """The epochs of one batch: weights (L, width), objectives and lower bounds (L,) of its models."""
    rows, Y, v, q, loss, l1_ratio, dtype = problem
    batch, pattern = make_batch(problem, train, models)
    order, L = np.flatnonzero(v).astype(np.uint32) if order is None else order, len(models)
    learned = order[(batch.mask.sum(axis=1) > 0.0)[pattern[order]]]
    orders, t = orders_of(rows, learned, Y[:, 0]), 0
    rest = np.zeros(rows.n if rests else 0, dtype=np.uint8)
    stride = max(1, len(learned) // 32, 16 * rows.d * rows.n // max(1, len(rows.data)))
    for _ in range(epochs):
        drawn = orders.draw(rng)
        for part in slices(rows, len(drawn), batch.mu.shape[0]):
            what = (loss, l1_ratio > 0, batch, stride, rest, t)
            t = run_path_epoch(rows, Y, v, q, pattern, drawn, part.start, part.stop, *what)
            between()
    norms, losses, place = np.empty((3, batch.mu.shape[0])), np.zeros(batch.mu.shape[0]), [m.place for m in models]
    find_points(batch, norms)
    held = np.zeros((len(batch.mask), 0), dtype=np.uint32)
    if held_out is not None:
        out = batch.mask[:, :L] == 0
        held = np.sort(np.where(out, np.arange(L), len(losses)), axis=1)[:, : out.sum(axis=1).max()].astype(np.uint32)
    target = held_out if held_out is not None else np.zeros((0, 0), dtype=dtype)
    for part in slices(rows, len(order), len(losses)):
        evaluate_models(rows, Y, v, pattern, order[part], loss, batch, losses, held, target, np.array(place))
        between()
    weight = np.bincount(pattern[order], v[order], len(batch.mask)) @ batch.mask[:, :L]
    alpha, norms = np.array([model.alpha for model in models]), norms[:, :L]
    mu, l1 = alpha * (1.0 - l1_ratio), alpha * l1_ratio
    f = losses[:L] / weight + mu / 2.0 * norms[SQUARES] + l1 * norms[SIZES]
    low = lower_bounds(batch.sums[:, :L], norms[PLANES], mu, l1, dtype, len(learned) * epochs)
    return batch.average[: rows.width, :L].T, f, low


def lower_bounds(sums, square, mu, l1, dtype, steps) -> np.ndarray:
    """Each model's cutting plane, mixed with the plane 0 of non-negative losses (theta), less what rounding may have added."""
    c, eps = sums[CUT] / sums[A], float(np.finfo(dtype).eps)
    theta = 1.0
    if not l1.any():
        theta = np.clip(np.divide(mu * c, square, out=np.ones(len(mu)), where=square > 0), 0.0, 1.0)
    lost = eps * (512 * np.abs(c) + steps / 2 * square / mu)
    return np.maximum(0.0, theta * c - theta**2 * square / (2 * mu) - lost)


def pilot(problem: PathProblem, alphas: np.ndarray, rng) -> np.ndarray:
    """The step of each alpha: the best of the candidates after one epoch over a sample of the rows, at four alphas."""
    exist = np.flatnonzero(problem.v)
    size = sample_size(len(exist))
    sample = rng.choice(exist, size, replace=False).astype(np.uint32)
    tried = np.unique(np.quantile(np.log(alphas), np.linspace(0, 1, 4), method="nearest"))
    models = [PathModel(0, float(np.exp(alpha)), 0, float(step)) for alpha in tried for step in CANDIDATES]
    everyone = np.ones((1, problem.rows.n), dtype=bool)
    _, f, _ = run_batch(problem, everyone, models, 1, rng, None, sample)
    best = np.argmin(np.where(np.isfinite(f), f, np.inf).reshape(len(tried), -1), axis=1)
    logarithm = np.interp(np.log(alphas), tried, np.log(CANDIDATES[best]))
    return np.exp(logarithm) * (size / len(exist)) ** (1 / 3)
