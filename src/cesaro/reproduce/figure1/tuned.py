"""Figure 1 as the paper made it: the step size chosen by a grid search, and here the anchor too, separately.

Each is chosen on one seed, by the level of f - f* over the second half of the epochs, and reported on other seeds. Sampling and
anchor are also changed one at a time. One file for each data set, mu, method and setting.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cesaro.linear.problem.mean_loss import objective_at
from cesaro.linear.problem.problem import Problem
from cesaro.reproduce.figure1.drawing import shown_epochs
from cesaro.reproduce.figure1.runs import load_problem, optimum
from cesaro.reproduce.figure1.tunable_methods import METHODS, PlainRun
from cesaro.reproduce.results import load_or_compute

STEPS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)  # c, the step size in units of 1/mu
FIRST_STEPS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)  # the anchor's grid: its largest step, in units of 1/mean |x|^2
TUNING_SEED = 1000  # of the grid search alone
SAMPLES = 3_300_000  # at most so many a run: 101 epochs of a9a, 66 of w8a and ijcnn1, 5 of covtype
SHORTER = 0.3  # of those epochs for the values of mu that are not drawn
SETTINGS = ("as printed", "step tuned", "anchor tuned")
ONE_AT_A_TIME = ("reshuffled", "anchor tuned, reshuffled")  # what sampling alone does, and both


def mus(n: int) -> dict[str, float]:
    return {"1e-2": 1e-2, "1e-4": 1e-4, "1/n": 1.0 / n}


def anchor_for_first_step(method: str, mu: float, scale: float, first: float) -> float:
    """gamma_0 for which the largest step is first/scale, scale = mean |x|^2 (docs/paper.md has the formulas)."""
    inverse = scale / (first * mu)
    if METHODS[method].linear:
        return float(max(0.0, inverse - 0.5) ** 2 / 2)
    return float(max(0.0, inverse - 1.0))


def epochs_of(n: int, epochs: int) -> int:
    return max(2, min(epochs, SAMPLES // n))


def tuned_curve(folder: Path, name: str, mu_name: str, method: str, setting: str, budget: Any) -> dict[str, Any]:
    """epoch, seconds and gap (a row per seed) of a method in a setting, and the parameter that the search chose."""
    mu = mus(load_problem(name).rows.n)[mu_name]
    p = load_problem(name)._replace(mu=mu)
    share = 1.0 if mu_name == budget.mus[0] else SHORTER
    epochs = epochs_of(p.rows.n, round(share * budget.tuned_epochs))
    grid = list(STEPS if setting == "step tuned" else FIRST_STEPS)[:: budget.grid_stride]
    best, at = optimum(folder, name, mu), evaluated_epochs(epochs)
    settings = {"mu": mu, "method": method, "setting": setting, "epochs": epochs, "seeds": budget.tuned_seeds} | {
        "grid": grid
    }

    def make() -> dict[str, Any]:
        start = starter(p, method, setting)
        scores = {}
        if setting != "as printed" and setting != "reshuffled":
            for value in grid:
                _, found = trajectory_of(start(value, TUNING_SEED), p, searched_epochs(epochs))
                scores[f"{value:g}"] = geometric_mean(np.array(found) - best["lower_bound"])
        chosen = float(min(scores, key=lambda value: scores[value])) if scores else 1.0
        runs = [trajectory_of(start(chosen, seed), p, at) for seed in range(budget.tuned_seeds)]
        seconds, objective = ([list(part) for part in parts] for parts in zip(*runs, strict=True))
        return {"chosen": chosen, "scores": scores, "objective": objective, "seconds": seconds}

    known = load_or_compute(folder / f"{name}_mu{mu_name.replace('/', 'over')}_{method}_{setting}.json", settings, make)
    return {
        "epoch": np.array(at),
        "seconds": np.array(known["seconds"]),
        "gap": np.maximum(np.array(known["objective"]) - best["lower_bound"], 1e-300),
        "chosen": known["chosen"],
        "edge": bool(known["scores"]) and known["chosen"] in (grid[0], grid[-1]),
    }


def starter(p: Problem, method: str, setting: str) -> Callable[[float, int], PlainRun]:
    """A function of the tuned value and the seed."""
    scale, reshuffled = float(np.dot(p.rows.data, p.rows.data)) / p.rows.n, setting.endswith("reshuffled")

    def start(value: float, seed: int) -> PlainRun:
        if setting == "step tuned":
            return PlainRun(p, method, seed, step=value)
        if setting.startswith("anchor tuned"):
            return PlainRun(
                p, method, seed, anchor=anchor_for_first_step(method, p.mu, scale, value), reshuffled=reshuffled
            )
        return PlainRun(p, method, seed, reshuffled=reshuffled)

    return start


def evaluated_epochs(epochs: int) -> list[int]:
    """Evenly on a logarithmic axis, and the last quarter one by one, to see whether f rises."""
    return sorted({*shown_epochs(epochs, 40), *range(epochs - epochs // 4, epochs + 1)})


def searched_epochs(epochs: int) -> list[int]:
    """Ten of the second half."""
    return sorted({int(e) for e in np.linspace(epochs / 2, epochs, 10).round()})


def trajectory_of(run: PlainRun, p: Problem, at: list[int]) -> tuple[list[float], list[float]]:
    """CPU seconds and the objective after these epochs."""
    seconds, elapsed, objective = [], 0.0, []
    for epoch in range(1, at[-1] + 1):
        started = time.process_time()
        run.advance()
        elapsed += time.process_time() - started
        if epoch in at:
            seconds.append(float(f"{elapsed:.6g}"))
            objective.append(float(objective_at(p, run.output())))
    return seconds, objective


def geometric_mean(gap: np.ndarray) -> float:
    return float(np.exp(np.log(np.maximum(gap, 1e-300)).mean()))
