"""From chunks to a fitted ordinary estimator, on any executor: partitions, classes or centres, a sample, the solve."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from cesaro.engines import exact_mode, local_mode, partition_tasks, partitions, reproducible_sum
from cesaro.engines.checkpoints import checkpoint_of
from cesaro.engines.inputs import Source
from cesaro.linear.estimators import problem_factories
from cesaro.linear.estimators.problem_factories import ClassProblems, ProblemFactory, TargetProblems
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Fit
from cesaro.linear.solvers.finished_fits import load_or_solve
from cesaro.linear.solvers.progress import begin
from cesaro.storage.checkpoint import NULL_SLOT, CheckpointSlot

SAMPLE = 30_000  # rows at most that the driver looks at to choose the anchor


class EngineOptions(NamedTuple):
    """What the distributed estimators know beyond the ordinary ones."""

    mode: str = "local"
    passes: int = 3  # over its rows that a partition makes in a round
    shuffle: bool = True
    batch_size: int | str | None = "auto"


class Work(NamedTuple):
    """What a solve needs: the partitions, what is known of all rows, the factory of problems, the settings."""

    parts: list
    whole: partition_tasks.WholeFacts
    factory: ProblemFactory
    settings: Any
    slot: CheckpointSlot


def fit(model: Any, executor: Any, source: Source, options: EngineOptions) -> Any:
    """Fit the ordinary estimator `model` to the chunks; returns it."""
    work = _prepare(model, executor, source, options)
    fits, sample = _solve(model, executor, work, options)
    problem_factories.publish(model, fits, sample, work.whole.rows, work.whole.largest)
    return model


def _prepare(model: Any, executor: Any, source: Source, options: EngineOptions) -> Work:
    """Chunks to partitions, and what must be known of all rows before a worker can make a problem."""
    chunks = executor.load(source.chunks)
    known = _accepted(executor.each(partitions.facts, chunks, None))
    n, width, largest = _checked(source, known)
    settings = problem_factories.settings_of(model)
    slot: CheckpointSlot = NULL_SLOT
    if model.checkpoint is not None:
        checkpoint = checkpoint_of(model, options, executor, chunks, width, settings.seed)
        settings, slot = settings._replace(seed=checkpoint.seed), checkpoint.slot("rounds")
    shuffled = partitions.shuffled if options.shuffle else partitions.as_they_are
    cut = partitions.aligned if options.mode == "exact" else shuffled
    parts, blocks = cut(executor, chunks, known, width, settings.seed)
    model.n_features_in_ = width
    if source.names is not None:
        model.feature_names_in_ = source.names
    make = _class_problems if problem_factories.is_classifier(model) else _target_problems
    factory, counts = make(model, executor, parts, blocks)
    if options.mode == "exact":  # the paper's methods
        factory = factory._replace(facts=factory.facts._replace(penalize_intercept=True))
    if options.mode == "local":
        parts = [part for part, count in zip(parts, counts, strict=True) if count]
    return Work(parts, partition_tasks.WholeFacts(sum(counts), n, blocks, largest), factory, settings, slot)


def _solve(model: Any, executor: Any, work: Work, options: EngineOptions) -> tuple[list[Fit], Any]:
    """The fits, and a problem of the sample for its width."""
    parts, whole, factory, settings, slot = work
    size = min(SAMPLE, max(3000, whole.rows // 40))
    share = (min(1.0, size / whole.rows), settings.seed)
    X, y, v = partition_tasks.stacked(executor.each(partition_tasks.sample, parts, share))
    samples = factory.problems(make_rows(X, factory.facts.bias), y, v)
    made = [executor.make(partition_tasks.partition_problems, part, factory, place=k) for k, part in enumerate(parts)]
    progress = begin(len(samples), settings.max_iter, settings.tol, 0.0, model.verbose)
    problem = partition_tasks.DistributedProblem(executor, made, whole, samples)
    try:
        if options.mode == "local":
            fits = load_or_solve(
                slot, samples, lambda _: local_mode.solve(problem, settings, options.passes, progress, slot)
            )
        else:
            batches = options.batch_size
            fits = load_or_solve(slot, samples, lambda _: exact_mode.solve(problem, settings, batches, progress, slot))
    finally:
        progress.close()
    return fits, samples[0]


def _accepted(known: list) -> list[partitions.Facts]:
    """What is known of the chunks; the first error, if some are refused, which says how many."""
    errors = [each for each in known if isinstance(each, Exception)]
    if errors:
        if len(errors) > 1:
            errors[0].add_note(f"{len(errors)} of {len(known)} chunks are refused; this is the first of them.")
        raise errors[0]
    return known


def _checked(source: Source, known: list[partitions.Facts]) -> tuple[int, int, float]:
    """Rows, columns and the largest |x| of all; refused if none, or of a scale whose squares overflow or vanish."""
    n, largest = sum(fact.n for fact in known), max(fact.largest for fact in known)
    width = max((fact.width for fact in known if fact.n), default=0)  # a chunk without rows may be of any
    other = next((fact.width for fact in known if fact.n and fact.width != source.width), None)
    if source.width is not None and other is not None:
        raise ValueError(f"X has {source.width} columns, but a chunk of it has {other}.")
    if n == 0:
        raise ValueError("Found no rows: X has 0 samples, at least 1 is required.")
    if not (largest == 0.0 or 1e-20 <= largest <= 1e20):
        raise ValueError(f"the largest value in X is {largest:.1e}: scale the columns, so that it is near 1.")
    return n, width, largest


def _class_problems(model: Any, executor: Any, parts: list, blocks: int) -> tuple[ClassProblems, list[int]]:
    """The factory for the classes of all rows; how many rows with weight each partition has."""
    found = [some for some in executor.each(partition_tasks.labels, parts, None) if len(some)]
    if not found:
        raise ValueError("Sample weights must contain at least one non-zero number.")
    classes = np.unique(np.concatenate(found))
    check_classification_targets(classes)
    if len(classes) < 2:
        raise ValueError(f"The number of classes has to be at least two: got one class, {classes[0]!r}.")
    sums = executor.each(partition_tasks.weigh_classes, parts, classes)
    totals = reproducible_sum.root(sums, blocks)[: len(classes)]
    factory = problem_factories.class_problems(model, classes, totals)
    exist = np.ones(len(classes)) if factory.factors is None else factory.factors > 0.0  # a class may weigh nothing
    return factory, [int(sum(node[len(classes) :] @ exist for node in nodes.values())) for nodes in sums]


def _target_problems(model: Any, executor: Any, parts: list, blocks: int) -> tuple[TargetProblems, list[int]]:
    """The factory for centred targets; how many rows with weight each partition has."""
    sums = executor.each(partition_tasks.moments, parts, None)
    *weighted, total, n = reproducible_sum.root(sums, blocks)
    if n == 0:
        raise ValueError("Sample weights must contain at least one non-zero number.")
    mean = np.array(weighted) / total
    squares = executor.each(partition_tasks.squared_deviations, parts, mean)
    spread = np.sqrt(reproducible_sum.root(squares, blocks) / total)
    single = executor.each(partition_tasks.dimensions, parts[:1], None)[0] == 1
    counts = [int(sum(node[-1] for node in nodes.values())) for nodes in sums]
    return problem_factories.target_problems(model, mean[0] if single else mean, spread), counts
