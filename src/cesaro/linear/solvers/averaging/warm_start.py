"""What a fit leaves for the next, and when that may go on from it."""

from typing import NamedTuple

import numpy as np

from cesaro.linear.problem.problem import Problem


class AveragingWarmStart(NamedTuple):
    """What the next fit may go on from."""

    zr: np.ndarray  # z and r side by side
    scalars: np.ndarray
    epoch: int
    w: np.ndarray
    kind: tuple  # of `run_kind`: the recursion goes on where it is the same, else it begins at w


def run_kind(problem: Problem, solver: str) -> tuple:
    """What must be the same for a recursion to go on."""
    return (solver, problem.loss, problem.mu, problem.l1, problem.radius)
