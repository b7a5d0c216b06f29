"""The exact mode: the paper's methods, one synchronous step per batch, summed over the fixed tree of virtual blocks.

Which rows are a batch depends on the seed and the number of rows only: every block is shuffled by its own generator,
the position q of block j is the place q * blocks + j of the epoch, and a batch is a range of places. So neither the
workers nor the partitions can be told from the result. Tasks keep no state: a lost one is simply done again.
"""

import math
import time
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from cesaro.engines import reproducible_sum
from cesaro.engines.checkpoints import flat, nested
from cesaro.engines.executors import Here
from cesaro.engines.problems import Ready, Whole
from cesaro.linear.problem.problem import Fit, Problem
from cesaro.linear.problem.scalar_losses import code_of
from cesaro.linear.solvers.averaging.solver import method
from cesaro.linear.solvers.averaging.synchronous import Steps, add_slopes
from cesaro.linear.solvers.dispatch import Settings
from cesaro.storage.checkpoint import Place

ETAS = 4.0 ** np.arange(-3, 4)  # first steps tried on the sample, in units of 1 / mean |x|^2
PILOT = 40  # steps of each
MANY = 2000  # rows from which on a step takes a twentieth of them


class Batch(NamedTuple):
    """Which rows: the places low .. high of an epoch; size None: all rows, as they lie."""

    seed: int
    epoch: int
    blocks: int
    low: int = 0
    size: int | None = None


class Order(NamedTuple):
    """What a step asks of every partition: the slopes of a batch at a point for each model."""

    batch: Batch
    points: dict[int, np.ndarray]


@lru_cache(maxsize=2 * reproducible_sum.BLOCKS)
def shuffled(seed: int, epoch: int, block: int, n: int) -> np.ndarray:
    """The order of a block's rows in an epoch."""
    return np.random.default_rng((seed, epoch, block)).permutation(n).astype(np.uint32)


def chosen(ready: Ready, j: int, batch: Batch) -> np.ndarray:
    """The rows of the partition's j-th block that are in the batch."""
    low, high, block = int(ready.edges[j]), int(ready.edges[j + 1]), ready.first + j
    if batch.size is None:
        return np.arange(low, high, dtype=np.uint32)
    first = max(0, -((block - batch.low) // batch.blocks))
    last = max(0, -((block - batch.low - batch.size) // batch.blocks))
    return np.uint32(low) + shuffled(batch.seed, batch.epoch, block, high - low)[first:last]


def slopes(ready: Ready, order: Order) -> reproducible_sum.Nodes:
    """Blocks' sums, a row for each model: G, then the sums of v phi, of -v phi* and of v."""

    def leaves():
        for j in range(len(ready.edges) - 1):
            rows = chosen(ready, j, order.batch)
            block = np.zeros((len(order.points), ready.problems[0].rows.d + 4))
            for row, (model, w) in zip(block, order.points.items(), strict=True):
                p = ready.problems[model]
                row[-3:] = add_slopes(p.rows, p.y, p.v, rows, *code_of(p.loss), w, row[:-3])
            yield ready.first + j, block

    return reproducible_sum.grow({}, leaves())


def weigh(ready: Ready, order: tuple[Batch, int]) -> reproducible_sum.Nodes:
    """Blocks' sums of the weights of all batches of an epoch."""
    batch, count = order

    def leaves():
        for j in range(len(ready.edges) - 1):
            size = batch.size or 0
            rows = [chosen(ready, j, batch._replace(low=t * size)) for t in range(count)]
            yield ready.first + j, np.array([ready.problems[0].v[some].sum() for some in rows])

    return reproducible_sum.grow({}, leaves())


def squares(ready: Ready, _) -> reproducible_sum.Nodes:
    """Blocks' sums: of v, of v |x|^2, and the number of rows with weight."""
    problem = ready.problems[0]
    rows, v = problem.rows, problem.v
    each = np.add.reduceat(np.append(np.square(rows.data, dtype=float), 0.0), rows.ptr[:-1].astype(np.intp))
    each = np.where(rows.ptr[1:] > rows.ptr[:-1], each, 0.0) + rows.bias**2

    def leaves():
        for j in range(len(ready.edges) - 1):
            mine = slice(ready.edges[j], ready.edges[j + 1])
            yield ready.first + j, np.array([v[mine].sum(), (v * each)[mine].sum(), np.count_nonzero(v[mine])])

    return reproducible_sum.grow({}, leaves())


class Rows:
    """All rows, as sums over them: the only thing the loop below can ask."""

    def __init__(self, engine, parts: list, blocks: int, n: int, settings: Settings, batch_size=None):
        self.engine, self.parts, self.blocks, self.seed = engine, parts, blocks, settings.seed
        total, square, count = self._sum(squares, None)
        self.count, self.share, self.R = int(count), count / total, float(square / total)
        lengths = np.diff(reproducible_sum.edges(n, blocks))
        last = int(((lengths - 1) * blocks + np.arange(blocks)).max())
        if batch_size == "auto":
            batch_size = n // 20 if n >= MANY else None
        self.size = None if batch_size is None or batch_size >= n else int(batch_size)
        self.batches = 1 if self.size is None else last // self.size + 1

    def _sum(self, function, order) -> np.ndarray:
        return reproducible_sum.root(self.engine.each(function, self.parts, order), self.blocks)

    def weights(self, epoch: int) -> np.ndarray:
        """Of an epoch's batches; rows have mean weight 1."""
        if self.size is None:
            return np.array([float(self.count)])
        batch = Batch(self.seed, epoch, self.blocks, 0, self.size)
        return self._sum(weigh, (batch, self.batches)) * self.share

    def slopes(self, points: dict[int, np.ndarray], epoch: int, t: int) -> dict[int, np.ndarray]:
        """G, loss and cut of an epoch's t-th batch, for every model's point."""
        batch = Batch(self.seed, epoch, self.blocks, t * (self.size or 0), self.size)
        return dict(zip(points, self._sum(slopes, Order(batch, points)) * self.share, strict=True))

    def losses(self, points: dict[int, np.ndarray]) -> dict[int, float]:
        """Mean losses at points."""
        found = self._sum(slopes, Order(Batch(self.seed, 0, self.blocks), points))
        return {model: row[-3] / row[-1] for model, row in zip(points, found, strict=True)}


class Model:
    """One model's run: its steps, its best point, its history."""

    def __init__(self, problem: Problem, steps: Steps):
        self.problem, self.steps, self.status = problem, steps, ""
        self.best = np.zeros(problem.rows.d + 1)
        self.upper, self.lower, self.zero = math.inf, -math.inf, 0.0
        self.history: list[tuple] = []

    def state(self) -> dict[str, Any]:
        """Where the model stands between two epochs."""
        mine = {name: getattr(self, name) for name in ("status", "best", "upper", "lower", "zero")}
        return mine | {"history": np.array(self.history).reshape(-1, 5), "steps": self.steps.state()}

    def resume(self, state: dict[str, Any]) -> None:
        """Stand where an earlier run stood."""
        self.steps.resume(state.pop("steps"))
        vars(self).update(state | {"history": [tuple(row) for row in state["history"].tolist()]})

    def judge(self, w: np.ndarray, loss: float, seconds: float, settings: Settings, late: bool) -> None:
        """The output of so many epochs has this mean loss: keep it if it is better, and see whether it will do."""
        f = float(loss + self.problem.mu / 2.0 * (w @ w) + self.problem.l1 * np.abs(w[:-1]).sum())
        if f < self.upper:
            self.upper, self.best = f, w
        if not self.history:
            self.zero = f
        else:
            self.lower = max(self.lower, self.steps.cuts.bound())
        epoch = self.steps.epoch
        self.history.append((epoch, seconds, self.upper, self.lower, self.steps.count))
        if settings.tol > 0.0 and self.upper - self.lower <= settings.tol * max(self.upper, 1e-3 * self.zero):
            self.status = "converged"
        elif epoch >= settings.max_iter:
            self.status = "max_iter"
        elif late:
            self.status = "time_limit"

    def fit(self) -> Fit:
        names = ("epoch", "time", "objective", "lower_bound", "active")
        history = dict(zip(names, np.array(self.history, dtype=float).reshape(-1, 5).T, strict=True))
        width, status = self.problem.rows.width, self.status or "interrupted"
        return Fit(self.best[:width], self.upper, self.lower, self.steps.epoch, history, status)


def epoch(rows: Rows, models: dict[int, Any]) -> None:
    """One epoch of every model: its batches in turn."""
    for model in models.values():
        model.steps.begin()
    number = next(iter(models.values())).steps.epoch
    for t, a in enumerate(rows.weights(number)):
        found = rows.slopes({k: model.steps.ask(a) for k, model in models.items()}, number, t)
        for k, model in models.items():
            model.steps.tell(found[k][:-3], found[k][-2])
    for model in models.values():
        model.steps.end()


def first_step(sample: Problem, rows: Rows, make) -> float:
    """The best of ETAS by short runs on the sample, in as many batches as an epoch of the whole has."""
    n = sample.rows.n
    ready = Ready([sample], 0, np.array([0, n]))
    size = None if rows.size is None else max(1, n // rows.batches)
    here = Rows(Here(), [ready], 1, n, Settings(seed=rows.seed), size)
    found = []
    for eta in ETAS:
        model = Model(sample, make(here, eta))
        for _ in range(-(-PILOT // here.batches)):
            with np.errstate(over="ignore", invalid="ignore"):
                epoch(here, {0: model})
        w = model.steps.output()
        f = here.losses({0: w})[0] + sample.mu / 2.0 * (w @ w) if np.isfinite(w).all() else math.inf
        found.append(f if np.isfinite(f) else math.inf)
    return float(ETAS[int(np.argmin(found))])


def solve(
    engine, parts: list, whole: Whole, samples: list[Problem], settings: Settings, batch_size, report, slot: Place
) -> list[Fit]:
    """Fits of all models: epochs until each has its proof, `max_iter` or the time is over.

    `slot` keeps the state between epochs, and has that of a run to go on with.
    """
    began = time.perf_counter()
    limit = math.inf if settings.time_limit is None else began + settings.time_limit
    rows = Rows(engine, parts, whole.blocks, whole.rows, settings, batch_size)
    face, weights = method(settings.solver, settings.averaging)

    def make(those: Rows, eta: float, problem: Problem = samples[0]) -> Steps:
        """Steps of which the first has the length eta / R."""
        a = those.count / those.batches
        return Steps(problem, those.count, face, weights, a * max(0.0, rows.R / (eta * problem.mu) - 1.0))

    models = {}
    for k, sample in enumerate(samples):
        if slot.kept is not None:
            steps = make(rows, 1.0, sample)
        elif settings.anchor == "auto":
            steps = make(rows, first_step(sample, rows, lambda those, eta, s=sample: make(those, eta, s)), sample)
        else:
            steps = Steps(sample, rows.count, face, weights, float(settings.anchor))
        models[k] = Model(sample, steps)
    looked, before = 0, -1
    if slot.kept is not None:
        kept = nested(slot.kept)
        looked, before, began = kept["looked"], kept["epoch"], began - kept["seconds"]
        for k, model in models.items():
            model.resume(kept["models"][str(k)])
    left = {k: model for k, model in models.items() if not model.status}

    def state():
        here = {"looked": looked, "epoch": number, "seconds": time.perf_counter() - began}
        return flat(here | {"models": {k: model.state() for k, model in models.items()}})

    try:
        while left:
            number = next(iter(left.values())).steps.epoch
            late = number > before and time.perf_counter() >= limit
            if late or number in (0, settings.max_iter) or number >= (1.25 if settings.tol else 2.0) * looked:
                if late:
                    slot.save(state())  # not looked at, as it would be if time had not run out
                looked = number
                points = {k: model.steps.output() for k, model in left.items()}
                for k, loss in rows.losses(points).items():
                    left[k].judge(points[k], loss, time.perf_counter() - began, settings, late)
                    report(k, number, *left[k].history[-1][2:4])
                left = {k: model for k, model in left.items() if not model.status}
            if left:
                epoch(rows, left)
                number += 1
                slot.offer(state)
    except KeyboardInterrupt:
        if any(not model.history for model in models.values()):
            raise
    return [model.fit() for model in models.values()]
