"""Which kernel runs the epochs of a solver: chosen once, when it begins."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from cesaro.linear.solvers.averaging.elastic_net import run_epoch_elastic_net
from cesaro.linear.solvers.averaging.kernels import GAMMA, run_epoch, specialised
from cesaro.linear.solvers.averaging.minibatch import run_epoch_minibatch

if TYPE_CHECKING:
    from cesaro.linear.solvers.averaging.solver import AveragingSolver

Epoch = Callable[["AveragingSolver", np.ndarray], None]


def choose_kernel(solver: "AveragingSolver") -> Epoch:
    """The epoch that its problem and its batches need."""
    if solver.problem.l1 > 0:
        return elastic_net
    return single_rows if solver.single else minibatches


def single_rows(solver: "AveragingSolver", order: np.ndarray) -> None:
    """A step for every row; the kernel is compiled without what there is not: weights, a ball, slopes to recall."""
    s = solver
    v, recalled = s.v if len(s.v) > 1 else None, s.slope_sums if len(s.slope_sums) else None
    what = (s.config, *specialised(s.config), s.zr, s.scalars, recalled, s.orders.grouped)
    s.orders.still = int(run_epoch(s.rows, s.targets, v, order, s.scalars[GAMMA], *what))


def minibatches(solver: "AveragingSolver", order: np.ndarray) -> None:
    """A step for every batch of rows."""
    s, p = solver, solver.problem
    run_epoch_minibatch(p.rows, p.y, s.v, order, s.scalars[GAMMA], s.config, s.zr, s.scalars, s.slope_sums, s.slopes)


def elastic_net(solver: "AveragingSolver", order: np.ndarray) -> None:
    """With an L1 term."""
    s, p = solver, solver.problem
    state = (s.zr, s.scalars, s.slope_sums, s.slopes, s.sums, s.flushed)
    run_epoch_elastic_net(p.rows, p.y, s.v, order, s.scalars[GAMMA], s.config, *state)
