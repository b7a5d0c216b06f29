"""Runs of figure 1: f(w) = mu/2 |w|^2 + mean hinge loss, no intercept, after every epoch of one method with one seed.

CPU time is counted, and not while the objective is evaluated. Every run is saved as a file (results.load_or_compute).
"""

import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from cesaro.data import load
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.mean_loss import objective_at
from cesaro.linear.problem.problem import Fit, Problem
from cesaro.linear.solvers import parallel
from cesaro.linear.solvers.averaging.solver import AveragingSolver
from cesaro.linear.solvers.averaging.variants import VARIANTS
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import Hinge
from cesaro.reproduce.figure1 import printed_with_proof
from cesaro.reproduce.results import load_or_compute
from cesaro.weights import Linear, Uniform

MU = 1e-4  # the paper prints none
PROOF = 1e-9  # relative gap to which the optimum is proved
TABLE = (1, 3, 10)  # epochs of the table; the proofs are compared after the last
DEFAULT = "default solver"  # of the linear models
SOLVERS = {"GDA": "gda", "SC-PDA": "sc-pda", "Pegasos": "pegasos", "PA-PSG": "pa-psg-sc", "SC-RDA": "sc-rda"}


@lru_cache(maxsize=1)
def load_problem(name: str) -> Problem:
    """The data set of that name; DataError where it cannot be had."""
    data = load(name)
    return Problem(make_rows(data.X), np.where(data.y == data.y.max(), 1.0, -1.0), np.ones(len(data.y)), Hinge(), MU)


def optimum(folder: Path, name: str, mu: float = MU) -> dict[str, float]:
    """The minimum, enclosed: objective and lower_bound."""

    def make() -> dict[str, float]:
        fit = parallel.solve(load_problem(name)._replace(mu=mu), Settings(tol=PROOF, max_iter=20_000))
        return {"objective": fit.objective, "lower_bound": fit.lower_bound}

    return load_or_compute(folder / f"{name}_optimum_mu{mu:g}.json", {"mu": mu, "tol": PROOF}, make)


def trajectory(folder: Path, name: str, method: str, printed: bool, seed: int, epochs: int) -> dict[str, Any]:
    """epoch, seconds and objective after every epoch, and the lower bound that the run had proved when the table asks."""
    setting = "printed" if printed else "ours"

    def make() -> dict[str, Any]:
        p, run = load_problem(name), _start_run(load_problem(name), method, printed, seed)
        seconds, elapsed, objective, lower = [], 0.0, [], -np.inf
        for epoch in range(1, epochs + 1):
            started = time.process_time()
            run.advance()
            elapsed += time.process_time() - started
            seconds.append(elapsed)
            objective.append(objective_at(p, run.output()))
            if epoch <= TABLE[-1]:
                lower = max(lower, run.bound())
        return {
            "epoch": list(range(1, epochs + 1)),
            "seconds": seconds,
            "objective": objective,
            "lower_bound": lower,
        }

    path = folder / f"{name}_{method}_{setting}_{epochs}epochs_seed{seed}.json"
    return load_or_compute(path, {"mu": MU, "method": method, "setting": setting, "seed": seed, "epochs": epochs}, make)


def _start_run(p: Problem, method: str, printed: bool, seed: int) -> printed_with_proof.PrintedRun | AveragingSolver:
    """As printed, or the solver of that name at its defaults."""
    if printed:
        return printed_with_proof.PrintedRun(p, method, seed)
    variant = VARIANTS[SOLVERS[method]]
    run = AveragingSolver(p, variant, Linear() if variant.power else Uniform(), False, np.random.default_rng(seed))
    run.begin(None, "auto")
    return run


def default_solver_run(folder: Path, name: str, seed: int, epochs: list[int]) -> dict[str, Any]:
    """The default solver: every point is a fit that ends after so many epochs."""

    def make() -> dict[str, Any]:
        seconds, objective, lower = [], [], -np.inf
        for limit in epochs:
            started = time.process_time()
            fit: Fit = parallel.solve(load_problem(name), Settings(tol=0.0, max_iter=limit, seed=seed))
            seconds.append(time.process_time() - started)
            objective.append(fit.objective)
            if limit <= TABLE[-1]:
                lower = fit.lower_bound
        return {"epoch": epochs, "seconds": seconds, "objective": objective, "lower_bound": lower}

    path = folder / f"{name}_default_ours_{epochs[-1]}epochs_seed{seed}.json"
    return load_or_compute(path, {"mu": MU, "method": DEFAULT, "seed": seed, "epochs": epochs}, make)
