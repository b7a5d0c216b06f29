"""Where a loss with kinks has L1 and L2: epochs over rows, which need few; if they do not end, coordinate descent."""

import time
from collections.abc import Callable

from cesaro.linear.problem.problem import Fit, Problem
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.coordinate_descent import solver
from cesaro.linear.solvers.driver import Report
from cesaro.linear.solvers.dual_warm_start import DualWarmStart
from cesaro.linear.solvers.expected_time import ENTRY
from cesaro.linear.solvers.joined_fits import continued
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import CheckpointSlot

PATIENCE = 150  # epochs


def solve_with_l1(
    run_epochs: Callable[..., Fit],
    problem: Problem,
    settings: Settings,
    start: DualWarmStart | None,
    report: Report | None,
    slot: CheckpointSlot,
) -> Fit:
    """By coordinate descent, at once or after some epochs.

    The strong convexity of an L2 term is what makes epochs over the rows of a loss with kinks fast. Columns of very
    different scales are what makes them slow.
    """
    if problem.mu == 0.0 or not dual_form(problem.loss).linear:
        return solver.solve(problem, settings, start, report, slot)
    if settings.tol == 0.0 or settings.max_iter <= PATIENCE:
        return run_epochs(problem, settings, start, report, slot)
    ends = settings.ends
    fit = run_epochs(problem, settings._replace(max_iter=PATIENCE), start, report, slot)
    if fit.status != "max_iter":
        return fit
    if time.perf_counter() + ENTRY * len(problem.rows.col) > ends:  # to begin takes some passes over the rows
        return fit._replace(status="time_limit")
    rest = settings._replace(max_iter=settings.max_iter - fit.n_iter, time_limit=None, deadline=ends)
    return continued(fit, lambda: solver.solve(problem, rest, fit.state, report, slot.subslot("columns")))
