"""The anchor gamma_0 of the paper's methods, chosen from the data: which first step it should give.

Candidates run an epoch of the method itself, a row a step, over a sample of the rows (`initial_step.best_step`);
`initial_step.anchor_for_step` makes gamma_0 of the best.
"""

from typing import TYPE_CHECKING

import numpy as np

from cesaro.linear.problem.csr import compacted, rows_at
from cesaro.linear.problem.mean_loss import mean_square
from cesaro.linear.solvers.initial_step import anchor_for_step, best_step, sample_size

if TYPE_CHECKING:
    from cesaro.linear.solvers.averaging.solver import AveragingSolver

FEW = 100  # rows that say too little about steps above 1


def first_step(solver: "AveragingSolver") -> tuple[float, float]:
    """(step, mean |x|^2) of a solver that has not begun."""
    problem, share, rng = solver.problem, solver.share, solver.rng
    R = float(mean_square(problem.rows, share))
    exist = np.flatnonzero(share)
    size = sample_size(len(exist))
    sample = rng.choice(exist, size, replace=False, shuffle=True)
    rows, _ = compacted(rows_at(problem.rows, sample))
    part = problem._replace(rows=rows, y=problem.y[sample], v=share[sample], layout=None)
    seed = rng.integers(2**32)
    run = type(solver)(part, solver.variant, solver.weights, False, rng)

    def trial(step: float) -> float:
        run.rng = np.random.default_rng(seed)
        run.begin(None, anchor_for_step(step, R, problem.mu))
        run.advance()
        return float(run.objectives(run.output()[None])[0])

    step, shorter = best_step(trial), size / len(exist)
    # a longer run wants smaller steps, all the more if they are averaged where they start
    return (step if size >= FEW else min(step, 1.0)) * (shorter if solver.variant.primal else shorter**0.5), R
