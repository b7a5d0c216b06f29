"""Figure 1: support vector machines by the paper's five methods, f(w_t) - f* against epochs.

Above as printed, below as the linear models run them (with the anchor, rows reshuffled); the models' default solver is dashed.
f* is enclosed to a relative 1e-9 by the default solver, and its proved lower end is what is subtracted, so
that no line can lie below the truth.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from cesaro.data import DataError
from cesaro.reproduce.budget import Budget
from cesaro.reproduce.figure1.claims import figure1_claims
from cesaro.reproduce.figure1.drawing import gap_panel, shown_epochs
from cesaro.reproduce.figure1.methods_table import methods_table
from cesaro.reproduce.figure1.runs import DEFAULT, MU, SOLVERS, TABLE, default_solver_run, optimum, trajectory
from cesaro.reproduce.report import drawing
from cesaro.reproduce.results import Figure

ROWS = {True: "as printed", False: "ours, with the anchor"}
CAPTION = (
    f"f(w) - f* on support vector machines, f = mu/2 |w|^2 + mean hinge loss, mu = {MU:g}, no intercept: means over the "
    "seeds and their range. As printed: a_t = gamma_t = t (Pegasos and SC-RDA: 1) at every sample, independent samples, no "
    "anchor. Then mu fixes every step; the paper prints neither its mu nor the grid of its step size search, so no step is "
    "tuned. PA-PSG has eta_t = 2/(mu t) and the averaging weights that its rate needs: equation (13) leaves a_t open. Ours: "
    "the linear models' solvers of these names at their defaults, the anchor chosen from the data, the rows reshuffled; "
    "without a ball SC-PDA and PA-PSG are then the same recursion. Dashed: the default solver of the linear models, which "
    "is not one of the paper's. Every method is shown at the point that its theorem is about."
)


def run(budget: Budget) -> Figure:
    """All data sets, methods and seeds; runs that are saved in `budget.runs` are not run again."""
    folder, panels = budget.runs / "figure1", []
    curves: dict[str, Any] = {}
    for name in budget.data_sets:
        try:
            curves[name] = data_set_curves(folder, name, budget)
        except DataError as error:
            show_progress("")
            print(error, file=sys.stderr)
            curves[name] = f"{name} is not here: cesaro data fetch {name}, or set CESARO_DATA to a folder that has it."
    for printed, how in ROWS.items():
        panels += [gap_panel(name, how, curves[name], printed) for name in budget.data_sets]
    found = {name: curve for name, curve in curves.items() if not isinstance(curve, str)}
    return Figure(
        "figure1",
        "Support vector machines: suboptimality against epochs",
        CAPTION,
        tuple(panels),
        figure1_claims(found),
        _shortened(budget, curves),
        columns=max(2, len(budget.data_sets)),
        shared_y=len(budget.data_sets) > 1,
        table=methods_table(folder, found, budget.seeds),
    )


def draw(figure: Figure, folder: Path) -> list[Path]:
    """Write its PDF and PNG."""
    return drawing.draw(figure, folder)


def data_set_curves(folder: Path, name: str, budget: Budget) -> dict[tuple[str, bool], dict[str, Any]]:
    """(method, printed) -> epoch, seconds and gap, the last two with a row per seed."""
    show_progress(f"{name}: minimum")
    best, curves, seeds = optimum(folder, name), {}, range(budget.seeds)
    for method in SOLVERS:
        for printed in ROWS:
            show_progress(f"{name}: {method}, {ROWS[printed]}")
            found = [trajectory(folder, name, method, printed, seed, budget.epochs) for seed in seeds]
            curves[method, printed] = gaps(found, best)
    show_progress(f"{name}: {DEFAULT}")
    epochs = shown_epochs(budget.epochs, 16)
    curves[DEFAULT, False] = gaps([default_solver_run(folder, name, seed, epochs) for seed in seeds], best)
    show_progress("")
    return curves


def gaps(runs: list[dict[str, Any]], best: dict[str, float]) -> dict[str, Any]:
    """Of one method: its runs above the proved lower end of the minimum."""
    epoch, objective = np.array(runs[0]["epoch"]), np.array([run["objective"] for run in runs])
    lower = np.array([run["lower_bound"] for run in runs])
    return {
        "epoch": epoch,
        "seconds": np.array([run["seconds"] for run in runs]),
        "gap": objective - best["lower_bound"],
        "proof": objective[:, epoch <= TABLE[-1]][:, -1] - lower,
    }


def _shortened(budget: Budget, curves: dict[str, Any]) -> tuple[str, ...]:
    """What is not the whole experiment, in words."""
    full, notes = Budget(budget.runs), []
    left_out = [name for name in full.data_sets if name not in budget.data_sets]
    missing = [name for name, curve in curves.items() if isinstance(curve, str)]
    if left_out:
        notes.append(f"without {', '.join(left_out)}")
    if missing:
        notes.append(f"{', '.join(missing)} could not be had")
    if budget.epochs < full.epochs:
        notes.append(f"{budget.epochs} epochs instead of {full.epochs}")
    if budget.seeds < full.seeds:
        notes.append(f"{budget.seeds} seeds instead of {full.seeds}")
    return (*notes, "the verdicts are about this much alone") if notes else ()


def show_progress(what: str) -> None:
    """One line on stderr that rewrites itself; nothing where stderr is no terminal."""
    if sys.stderr.isatty():
        print(f"\r  {what:<60}", end="" if what else "\r", file=sys.stderr, flush=True)
