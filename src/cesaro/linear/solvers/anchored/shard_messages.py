"""What the driver and the shards of the anchored solver tell each other, and what the replies of a round come to."""

import math
from typing import NamedTuple

import numpy as np

from cesaro.linear.bounds.free_intercept import Plane


class Request(NamedTuple):
    """What a shard is asked: evaluate the point w, then run epochs from the common g and the anchor."""

    w: np.ndarray
    g: np.ndarray
    center: np.ndarray
    kappa: float
    epochs: int  # 0: evaluate only
    first: bool
    tol: float


class Reply(NamedTuple):
    """What a shard says: about w and its dual values as they were, then what the epochs changed."""

    share: float  # sum of its rows' weights
    loss: float  # mean loss at w
    dual: float  # D_k, less what rounding may have added
    active: int  # rows
    lost: float  # bound on the rounding error of g_k
    held: np.ndarray  # g_k before the epochs
    changed: np.ndarray  # g_k after them, less g_k before
    average: np.ndarray  # of w over the last epoch
    moved: int  # rows whose dual values the first of the epochs changed
    unit: float  # of the prox weight, after the epochs
    constants: dict[float, Plane] | None  # of its rows, in the first round, where the intercept is free


class Sums(NamedTuple):
    """What the replies of a round come to: what the driver needs of them when it goes on."""

    changed: np.ndarray
    average: np.ndarray
    apart: float  # how far the shards' averages are from theirs
    moved: int
    unit: float
    shards: int


def shares(replies: list[Reply]) -> np.ndarray:
    """p_k."""
    p = np.array([reply.share for reply in replies])
    return p / p.sum()


def sums(replies: list[Reply]) -> Sums:
    """The sums over the shards."""
    p, averages = shares(replies), np.array([reply.average for reply in replies])
    average = p @ averages
    apart = math.sqrt(p @ np.square(averages - average).sum(axis=1))
    moved, here = sum(reply.moved for reply in replies), float(p @ [reply.unit for reply in replies])
    return Sums(p @ [reply.changed for reply in replies], average, apart, moved, here, len(replies))
