"""From partitions to problems: labels and targets need sums over all rows before a worker can make its own."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from cesaro.engines import reproducible_sum
from cesaro.engines.partitions import Partition
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem


class PartitionProblems(NamedTuple):
    """A partition as the kernels want it: a problem for each model on shared rows, and where its blocks are."""

    problems: list[Problem]
    first: int
    edges: np.ndarray


class WholeFacts(NamedTuple):
    """What is known of all rows together."""

    n: int  # with weight
    rows: int  # with or without
    blocks: int
    largest: float  # |x|


class DistributedProblem(NamedTuple):
    """What either mode solves: the problems of all partitions, what is known of the whole, a sample for each model."""

    executor: Any
    parts: list
    whole: WholeFacts
    samples: list[Problem]


def labels(part: Partition, _) -> np.ndarray:
    """The labels of the rows with weight."""
    return np.unique(part.rows.y[part.rows.v > 0.0])


def weigh_classes(part: Partition, classes) -> reproducible_sum.Nodes:
    """Blocks' sums: the weight of each class, then its number of rows with weight."""

    def sums(low, high):
        some = np.flatnonzero(part.rows.v[low:high] > 0.0) + low
        code = np.searchsorted(classes, part.rows.y[some])
        return np.append(np.bincount(code, part.rows.v[some], len(classes)), np.bincount(code, minlength=len(classes)))

    return reproducible_sum.grow({}, _leaves(part, sums))


def moments(part: Partition, _) -> reproducible_sum.Nodes:
    """Blocks' sums: v y for each column of y, then v and the number of rows with weight."""

    def sums(low, high):
        v, y = part.rows.v[low:high], part.rows.y[low:high].astype(np.float64)
        columns = v[:, None] * y.reshape(len(v), -1)  # no BLAS: its bits depend on its threads
        return np.append(columns.sum(axis=0), [v.sum(), np.count_nonzero(v)])

    return reproducible_sum.grow({}, _leaves(part, sums))


def squared_deviations(part: Partition, mean: np.ndarray) -> reproducible_sum.Nodes:
    """Blocks' sums: v (y - mean)^2 for each column of y."""

    def sums(low, high):
        v, y = part.rows.v[low:high], part.rows.y[low:high].astype(np.float64)
        return (v[:, None] * (y.reshape(len(v), -1) - mean) ** 2).sum(axis=0)

    return reproducible_sum.grow({}, _leaves(part, sums))


def _leaves(part: Partition, sums):
    for j in range(len(part.edges) - 1):
        yield part.first + j, sums(part.edges[j], part.edges[j + 1])


def sample(part: Partition, order: tuple[float, int]):
    """A random share of the rows of each block: (X, y, v) of a partition."""
    share, seed = order
    rows = [np.zeros(0, dtype=np.intp)]
    for j in range(len(part.edges) - 1):
        low, high = part.edges[j], part.edges[j + 1]
        size = int(np.ceil(share * (high - low)))
        rows.append(low + np.random.default_rng((seed, part.first + j)).permutation(high - low)[:size])
    these = np.concatenate(rows)
    return part.rows.X[these], part.rows.y[these], part.rows.v[these]


def stacked(samples: list) -> tuple[Any, np.ndarray, np.ndarray]:
    """The samples of all partitions, in the order of the blocks."""
    X, y, v = zip(*samples, strict=True)
    return sp.csr_array(sp.vstack(X, format="csr")), np.concatenate(y), np.concatenate(v)


def partition_problems(part: Partition, factory) -> PartitionProblems:
    """The partition's problems; the factory makes them of rows, labels or targets, and weights."""
    rows = part.rows
    made = factory.problems(make_rows(rows.X, factory.facts.bias), rows.y, rows.v)
    return PartitionProblems(made, part.first, part.edges)


def dimensions(part: Partition, _) -> int:
    """1 for targets (n,), 2 for (n, m)."""
    return part.rows.y.ndim
