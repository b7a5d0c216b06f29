"""The exact mode: the paper's methods, one synchronous step per batch, summed over the fixed tree of virtual blocks.

Which rows are a batch depends on the seed and the number of rows only: every block is shuffled by its own generator,
the position q of block j is the place q * blocks + j of the epoch, and a batch is a range of places. So neither the
workers nor the partitions can be told from the result. Tasks keep no state: a lost one is simply done again.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from cesaro.engines import reproducible_sum
from cesaro.engines.executors import ThisProcess
from cesaro.engines.partition_tasks import DistributedProblem, PartitionProblems
from cesaro.linear.problem.problem import Fit, History, Problem, objective
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers import driver
from cesaro.linear.solvers.averaging.evaluation_schedule import growing_evaluations
from cesaro.linear.solvers.averaging.synchronous import SynchronousSteps, add_slopes
from cesaro.linear.solvers.averaging.variants import variant_and_weights
from cesaro.linear.solvers.driver import Evaluation, Report
from cesaro.linear.solvers.initial_step import anchor_for_step, best_step
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import CheckpointSlot
from cesaro.storage.states import require_like

PILOT = 40  # steps of a candidate for the first step, on the sample
MANY = 2000  # rows from which on a step takes a twentieth of them


class Batch(NamedTuple):
    """Which rows: the places low .. high of an epoch; size None: all rows, as they lie."""

    seed: int
    epoch: int
    blocks: int
    low: int = 0
    size: int | None = None


class BatchRequest(NamedTuple):
    """What a step asks of every partition: the slopes of a batch at a point for each model."""

    batch: Batch
    points: dict[int, np.ndarray]


@lru_cache(maxsize=2 * reproducible_sum.BLOCKS)
def block_permutation(seed: int, epoch: int, block: int, n: int) -> np.ndarray:
    """The order of a block's rows in an epoch."""
    return np.random.default_rng((seed, epoch, block)).permutation(n).astype(np.uint32)


def chosen(part: PartitionProblems, j: int, batch: Batch) -> np.ndarray:
    """The rows of the partition's j-th block that are in the batch."""
    low, high, block = int(part.edges[j]), int(part.edges[j + 1]), part.first + j
    if batch.size is None:
        return np.arange(low, high, dtype=np.uint32)
    first = max(0, -((block - batch.low) // batch.blocks))
    last = max(0, -((block - batch.low - batch.size) // batch.blocks))
    return np.uint32(low) + block_permutation(batch.seed, batch.epoch, block, high - low)[first:last]


def slopes(part: PartitionProblems, order: BatchRequest) -> reproducible_sum.Nodes:
    """Blocks' sums, a row for each model: G, then the sums of v phi, of -v phi* and of v."""

    def leaves():
        for j in range(len(part.edges) - 1):
            rows = chosen(part, j, order.batch)
            block = np.zeros((len(order.points), part.problems[0].rows.d + 4))
            for row, (model, w) in zip(block, order.points.items(), strict=True):
                p = part.problems[model]
                row[-3:] = add_slopes(p.rows, p.y, p.v, rows, dual_form(p.loss), w, row[:-3])
            yield part.first + j, block

    return reproducible_sum.grow({}, leaves())


def weigh(part: PartitionProblems, order: tuple[Batch, int]) -> reproducible_sum.Nodes:
    """Blocks' sums of the weights of all batches of an epoch."""
    batch, count = order

    def leaves():
        for j in range(len(part.edges) - 1):
            size = batch.size or 0
            rows = [chosen(part, j, batch._replace(low=t * size)) for t in range(count)]
            yield part.first + j, np.array([part.problems[0].v[some].sum() for some in rows])

    return reproducible_sum.grow({}, leaves())


def squares(part: PartitionProblems, _) -> reproducible_sum.Nodes:
    """Blocks' sums: of v, of v |x|^2, and the number of rows with weight."""
    problem = part.problems[0]
    rows, v = problem.rows, problem.v
    each = np.add.reduceat(np.append(np.square(rows.data, dtype=float), 0.0), rows.ptr[:-1].astype(np.intp))
    each = np.where(rows.ptr[1:] > rows.ptr[:-1], each, 0.0) + rows.bias**2

    def leaves():
        for j in range(len(part.edges) - 1):
            mine = slice(part.edges[j], part.edges[j + 1])
            yield part.first + j, np.array([v[mine].sum(), (v * each)[mine].sum(), np.count_nonzero(v[mine])])

    return reproducible_sum.grow({}, leaves())


class DistributedRows:
    """All rows, as sums over them: the only thing that the solver below can ask."""

    def __init__(self, executor, parts: list, blocks: int, n: int, settings: Settings, batch_size=None):
        self.executor, self.parts, self.blocks, self.seed = executor, parts, blocks, settings.seed
        total, square, count = self._sum(squares, None)
        self.count, self.share, self.mean_square = int(count), count / total, float(square / total)
        lengths = np.diff(reproducible_sum.edges(n, blocks))
        last = int(((lengths - 1) * blocks + np.arange(blocks)).max())
        if batch_size == "auto":
            batch_size = n // 20 if n >= MANY else None
        self.size = None if batch_size is None or batch_size >= n else int(batch_size)
        self.batches = 1 if self.size is None else last // self.size + 1

    def _sum(self, function, order) -> np.ndarray:
        return reproducible_sum.root(self.executor.each(function, self.parts, order), self.blocks)

    def weights(self, epoch: int) -> np.ndarray:
        """Of an epoch's batches; rows have mean weight 1."""
        if self.size is None:
            return np.array([float(self.count)])
        batch = Batch(self.seed, epoch, self.blocks, 0, self.size)
        return self._sum(weigh, (batch, self.batches)) * self.share

    def slopes(self, points: dict[int, np.ndarray], epoch: int, t: int) -> dict[int, np.ndarray]:
        """G, loss and cut of an epoch's t-th batch, for every model's point."""
        batch = Batch(self.seed, epoch, self.blocks, t * (self.size or 0), self.size)
        return dict(zip(points, self._sum(slopes, BatchRequest(batch, points)) * self.share, strict=True))

    def losses(self, points: dict[int, np.ndarray]) -> dict[int, float]:
        """Mean losses at points."""
        found = self._sum(slopes, BatchRequest(Batch(self.seed, 0, self.blocks), points))
        return {model: row[-3] / row[-1] for model, row in zip(points, found, strict=True)}


def run_epoch(rows: DistributedRows, steps: dict[int, SynchronousSteps]) -> None:
    """One epoch of every model: its batches in turn."""
    for each in steps.values():
        each.begin_epoch()
    epoch = next(iter(steps.values())).epoch
    for t, a in enumerate(rows.weights(epoch)):
        found = rows.slopes({k: each.point_for(a) for k, each in steps.items()}, epoch, t)
        for k, each in steps.items():
            each.add_batch(found[k][:-3], found[k][-2])
    for each in steps.values():
        each.end_epoch()


class ExactModeSolver(driver.Solver):
    """All models by synchronous steps, in epochs of batches."""

    at_zero = None

    def __init__(self, rows: DistributedRows, samples: list[Problem], settings: Settings, fresh: bool):
        self.rows, self.settings, self.count, self.models = rows, settings, rows.count, len(samples)
        self.variant, self.weights = variant_and_weights(settings.solver, settings.averaging)
        self.width, self.least_unit = samples[0].rows.d + 1, samples[0].least_unit
        self.steps = dict(enumerate(self._begin(sample, fresh) for sample in samples))

    def _begin(self, sample: Problem, fresh: bool) -> SynchronousSteps:
        if self.settings.anchor != "auto":
            anchor = float(self.settings.anchor)
            return SynchronousSteps(sample, self.rows.count, self.variant, self.weights, anchor)
        return self._with_first_step(sample, self.rows, self._first_step(sample) if fresh else 1.0)

    def _with_first_step(self, problem: Problem, rows: DistributedRows, step: float) -> SynchronousSteps:
        """Steps of which the first has the length step / mean |x|^2."""
        anchor = rows.count / rows.batches * anchor_for_step(step, self.rows.mean_square, problem.mu)
        return SynchronousSteps(problem, rows.count, self.variant, self.weights, anchor)

    def _first_step(self, sample: Problem) -> float:
        """The best by short runs on the sample, in as many batches as an epoch of the whole has."""
        n = sample.rows.n
        part = PartitionProblems([sample], 0, np.array([0, n]))
        size = None if self.rows.size is None else max(1, n // self.rows.batches)
        here = DistributedRows(ThisProcess(), [part], 1, n, Settings(seed=self.rows.seed), size)

        def trial(step: float) -> float:
            steps = self._with_first_step(sample, here, step)
            with np.errstate(over="ignore", invalid="ignore"):
                for _ in range(-(-PILOT // here.batches)):
                    run_epoch(here, {0: steps})
                w = steps.output()
                return float(objective(here.losses({0: w})[0], w, sample.mu)) if np.isfinite(w).all() else np.inf

        return best_step(trial)

    def evaluation_due(self, history: History, tol: float) -> bool:
        return self.epoch == 0 or growing_evaluations(self.epoch, 0, history, tol)

    def evaluate(self, running: list[int], tol: float, last: bool) -> Evaluation:
        points = {k: self.steps[k].output() for k in running}
        losses = self.rows.losses(points)
        problems = [self.steps[k].problem for k in running]
        found = [objective(losses[k], points[k], p.mu, p.l1, -1) for k, p in zip(running, problems, strict=True)]
        bounds = [self.steps[k].planes.bound() if self.epoch else 0.0 for k in running]
        active = np.full(len(running), self.count)
        return Evaluation(np.stack(list(points.values())), np.array(found), np.array(bounds), active)

    def advance(self, running: list[int]) -> None:
        run_epoch(self.rows, {k: self.steps[k] for k in running})
        self.epoch += 1

    def state(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "steps": {k: steps.state() for k, steps in self.steps.items()}}

    def resume(self, state: dict[str, Any]) -> None:
        require_like(state, self.state())
        self.epoch = state["epoch"]
        for k, steps in self.steps.items():
            steps.resume(state["steps"][str(k)])


def solve(
    problem: DistributedProblem, settings: Settings, batch_size: int | str | None, report: Report, slot: CheckpointSlot
) -> list[Fit]:
    """Fits of all models: epochs until each has its proof, `max_iter` or the time is over."""
    executor, parts, whole, samples = problem
    rows = DistributedRows(executor, parts, whole.blocks, whole.rows, settings, batch_size)
    solver = ExactModeSolver(rows, samples, settings, fresh=slot.saved is None)
    width = samples[0].rows.width
    return [fit._replace(w=fit.w[:width]) for fit in driver.run_to_end(solver, settings, report, slot)]
