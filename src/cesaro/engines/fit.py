"""From chunks to a fitted ordinary estimator, on any engine: partitions, classes or centres, a sample, the solve."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from cesaro.engines import exact_mode, local_mode, partitions, problems, reproducible_sum
from cesaro.engines.checkpoints import checkpoint_of
from cesaro.engines.inputs import Source
from cesaro.linear.estimators.base import Last
from cesaro.linear.estimators.one_vs_rest import LinearClassifier, class_factors
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.dispatch import honest, once
from cesaro.linear.solvers.progress import begin
from cesaro.storage.checkpoint import NOWHERE, Place

SAMPLE = 30_000  # rows at most that the driver looks at to choose the anchor


class How(NamedTuple):
    """What the distributed estimators know beyond the ordinary ones."""

    mode: str = "local"
    passes: int = 3  # over its rows that a partition makes in a round
    shuffle: bool = True
    batch_size: int | str | None = "auto"


class Labelled(NamedTuple):
    """Problems of labels: one for two classes, else one for each; `factors` are the class weights."""

    model: Any
    factors: np.ndarray | None

    @property
    def bias(self) -> float:
        return self.model._bias

    def problems(self, rows: Rows, y, v) -> list[Problem]:
        code = np.minimum(np.searchsorted(self.model.classes_, y), len(self.model.classes_) - 1)
        v = v if self.factors is None else v * self.factors[code]
        return [self.model._problem(rows, column, v, self.model.alpha) for column in self.model._columns(code)]


class Targeted(NamedTuple):
    """Problems of targets, one for each column; the model knows their centre."""

    model: Any

    @property
    def bias(self) -> float:
        return self.model._bias

    def problems(self, rows: Rows, y, v) -> list[Problem]:
        return self.model._columns(rows, y.astype(np.float64) - self.model._center, v, self.model.alpha)


def fit(model, engine, source: Source, how: How):
    """Fit the ordinary estimator `model` to the chunks; returns it."""
    chunks = engine.load(source.chunks)
    known = engine.each(partitions.facts, chunks, None)
    n, width = sum(fact.n for fact in known), _width(source, known)
    if n == 0:
        raise ValueError("Found no rows: X has 0 samples, at least 1 is required.")
    largest = max(fact.largest for fact in known)
    if not (largest == 0.0 or 1e-20 <= largest <= 1e20):
        raise ValueError(f"the largest value in X is {largest:.1e}: scale the columns, so that it is near 1.")
    cut = {"exact": partitions.aligned, "local": partitions.mixed if how.shuffle else partitions.unmixed}[how.mode]
    settings = model._settings()
    slot: Place = NOWHERE
    if model.checkpoint is not None:
        checkpoint = checkpoint_of(model, how, engine, chunks, width, settings.seed)
        settings, slot = settings._replace(seed=checkpoint.seed), checkpoint.slot("rounds")
    parts, blocks = cut(engine, chunks, known, width, settings.seed)
    del chunks
    model.n_features_in_ = width
    if source.names is not None:
        model.feature_names_in_ = source.names
    classes = isinstance(model, LinearClassifier)
    recipe, counts = (_classes if classes else _centre)(model, engine, parts, blocks)
    if how.mode == "local":
        parts = [part for part, count in zip(parts, counts, strict=True) if count]
    whole = problems.Whole(sum(counts), n, blocks)
    size = min(SAMPLE, max(3000, n // 40))
    drawn = problems.stacked(engine.each(problems.sample, parts, (min(1.0, size / n), settings.seed)))
    samples = recipe.problems(problems.make_rows(drawn[0], recipe.bias), *drawn[1:])
    ready = [engine.make(problems.ready, part, recipe, place=k) for k, part in enumerate(parts)]
    del parts
    progress = begin(len(samples), settings.max_iter, settings.tol, 0.0, model.verbose)
    try:
        what = (engine, ready, whole, samples, settings)
        if how.mode == "local":
            fits = once(slot, lambda: local_mode.solve(*what, how.passes, progress, slot))
        else:
            fits = once(slot, lambda: exact_mode.solve(*what, how.batch_size, progress, slot))
    finally:
        progress.close()
    return _publish(model, fits, samples[0], n, not classes and np.ndim(model._center) == 0)


def _width(source: Source, known: list[partitions.Facts]) -> int:
    width = max(fact.width for fact in known)
    if source.width is not None and any(fact.width != source.width for fact in known):
        raise ValueError(f"X has {source.width} columns, but a chunk of it has {width}.")
    return width


def _classes(model, engine, parts: list, blocks: int) -> tuple[Labelled, list[int]]:
    """The classes of all rows, and the weights of theirs; how many rows with weight each partition has."""
    found = [some for some in engine.each(problems.labels, parts, None) if len(some)]
    if not found:
        raise ValueError("Sample weights must contain at least one non-zero number.")
    model.classes_ = classes = np.unique(np.concatenate(found))
    check_classification_targets(classes)
    if len(classes) < 2:
        raise ValueError(f"The number of classes has to be at least two: got one class, {classes[0]!r}.")
    sums = engine.each(problems.weights, parts, classes)
    factors = None
    if model.class_weight is not None:
        total = reproducible_sum.root(sums, blocks)[:-1]
        factors = class_factors(model.class_weight, classes, np.arange(len(classes)), total)
    return Labelled(model, factors), _counts(sums)


def _centre(model, engine, parts: list, blocks: int) -> tuple[Targeted, list[int]]:
    """The mean of the targets, which an intercept takes over; how many rows with weight each partition has."""
    sums = engine.each(problems.moments, parts, None)
    *weighted, total, n = reproducible_sum.root(sums, blocks)
    if n == 0:
        raise ValueError("Sample weights must contain at least one non-zero number.")
    centre = np.array(weighted) / total if model.fit_intercept else np.zeros(len(weighted))
    single = engine.each(problems.dimensions, parts[:1], None)[0] == 1
    model._center = centre[0] if single else centre
    return Targeted(model), _counts(sums)


def _counts(sums: list[reproducible_sum.Nodes]) -> list[int]:
    return [int(sum(node[-1] for node in nodes.values())) for nodes in sums]


def _publish(model, fits: list, sample: Problem, n: int, single: bool):
    """The fitted attributes of an ordinary fit to n rows; a warning if the proof that was asked for is not there."""
    at_zero = [float(fit.history["objective"][0]) for fit in fits]
    fits = [honest(zero, fit) for zero, fit in zip(at_zero, fits, strict=True)]
    rows = sample.rows._replace(ptr=np.broadcast_to(np.uint32(0), n + 1), data=sample.rows.data[:0])
    problem = sample._replace(rows=rows)
    model._publish(fits, at_zero, problem)
    model._last = Last(problem, model.solver, np.stack([fit.w for fit in fits]), [])
    if not isinstance(model, LinearClassifier):
        model._shape(single)
    model._warn(fits)
    return model
