"""After the solver: how far the intercepts of a classifier's models may be from the optimum's, for `predict_certified`."""

import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from cesaro.linear.bounds.intercept_interval import intercept_reaches, reach_seconds
from cesaro.linear.problem.problem import Fit, InterceptBound, Problem
from cesaro.linear.solvers.settings import Settings

PATIENCE = 0.03  # seconds for that after Ctrl-C, or where the time is over
TOGETHER = 8  # models that share a look at the rows: a cache line of doubles


def intercept_bounds(problems: list[Problem], fits: list[Fit], settings: Settings) -> list[InterceptBound]:
    """Of all models, some at a time in `n_jobs` threads.

    Of a fit that was cut short, of those for which there is time; the others are infinite.
    """
    until = max(settings.deadline, time.perf_counter() + PATIENCE)
    if settings.interrupted or any(fit.status == "interrupted" for fit in fits):
        until = time.perf_counter() + PATIENCE
    none = np.zeros(problems[0].rows.d)

    def reaches(group: list[int]) -> list[float]:
        if time.perf_counter() + len(group) * reach_seconds(problems[0]) > until:
            return [math.inf for _ in group]
        return intercept_reaches([problems[k] for k in group], [fits[k] for k in group])

    asked = [k for k, fit in enumerate(fits) if fit.intercept is None and _is_whole(fit)]
    size = 1 if math.isfinite(until) or problems[0].layout is not None else TOGETHER
    groups = [asked[k : k + size] for k in range(0, len(asked), size)]
    if (jobs := min(settings.n_jobs, len(groups))) > 1:
        with ThreadPoolExecutor(jobs) as pool:
            parts = list(pool.map(reaches, groups))
    else:
        parts = [reaches(group) for group in groups]
    found = dict(zip(asked, (reach for part in parts for reach in part), strict=True))
    return [fit.intercept or InterceptBound(none, found.get(k, math.inf)) for k, fit in enumerate(fits)]


def _is_whole(fit: Fit) -> bool:
    """Whether it was not cut short before anything was proved."""
    return fit.lower_bound > 0.0 or fit.status in ("converged", "max_iter")
