"""How to solve, as opposed to what."""

import math
import threading
import time
from typing import Any, NamedTuple

# By name the module, below this package, whose `solve` it is: problem, settings, start, report, slot -> fit.
SOLVERS = {
    "anchored": "anchored.solver",
    "gda": "averaging.solver",
    "sc-pda": "averaging.solver",
    "pegasos": "averaging.solver",
    "pa-psg-sc": "averaging.solver",
    "sc-rda": "averaging.solver",
}


class Settings(NamedTuple):
    """The parameters of an estimator that a solver needs."""

    solver: str = "anchored"
    tol: float = 1e-3
    max_iter: int = 1000
    time_limit: float | None = None  # seconds from when a solver is called
    deadline: float = math.inf  # by time.perf_counter, whatever the limit
    seed: int = 0
    anchor: float | str = "auto"
    averaging: Any = "auto"
    batch_size: int = 1
    sampling: str = "reshuffle"
    n_jobs: int = 1
    interrupted: bool = False  # what came before was cut short
    searched: bool = False  # a search came before: with no time left for an epoch some rows have to do
    stop: threading.Event | None = None  # set by Ctrl-C

    @property
    def ends(self) -> float:
        """When a solver that is called now has to be done."""
        limit = math.inf if self.time_limit is None else self.time_limit
        return min(self.deadline, time.perf_counter() + limit)
