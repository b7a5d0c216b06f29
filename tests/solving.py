"""Solvers with their settings as keywords, for tests."""

from cesaro.linear.solvers.anchored import solver as anchored_solver
from cesaro.linear.solvers.averaging import multi_target
from cesaro.linear.solvers.averaging import solver as averaging_solver
from cesaro.linear.solvers.coordinate_descent import solver as coordinate_descent_solver
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import NULL_SLOT


def by_anchored(problem, *, start=None, report=None, **settings):
    """The fit of the anchored solver by epochs alone; `report(epoch, objective, lower_bound)`."""
    told = None if report is None else lambda model, *rest: report(*rest)
    return anchored_solver.run_epochs(problem, Settings(**settings), start, told, NULL_SLOT)


def by_averaging(problem, *, start=None, report=None, **settings):
    """The fit of one of the paper's solvers."""
    told = None if report is None else lambda model, *rest: report(*rest)
    return averaging_solver.solve(problem, Settings(**{"solver": "gda"} | settings), start, told, NULL_SLOT)


def by_multi_target(problems, **settings):
    """The fits of problems that differ in their targets only."""
    return multi_target.solve(problems, Settings(**{"solver": "gda"} | settings))


def by_coordinate_descent(problem, **settings):
    """The fit of the solver for L1."""
    return coordinate_descent_solver.solve(problem, Settings(**settings), None, None, NULL_SLOT)
