"""Figure 1: support vector machines by the paper's five methods, f(w_t) - f* against epochs.

As printed, with the step size tuned as the paper did, with the anchor tuned instead, and as the linear models run them; the
models' default solver is dashed. f* is enclosed to a relative 1e-9 by the default solver, and its proved lower end is what is
subtracted, so that no line can lie below the truth.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from cesaro.data import DataError
from cesaro.reproduce.budget import Budget
from cesaro.reproduce.figure1 import tuned
from cesaro.reproduce.figure1.claims import figure1_claims
from cesaro.reproduce.figure1.drawing import gap_panel, shown_epochs
from cesaro.reproduce.figure1.methods_table import methods_table, tuned_table
from cesaro.reproduce.figure1.runs import DEFAULT, MU, SOLVERS, TABLE, default_solver_run, optimum, trajectory
from cesaro.reproduce.figure1.tunable_methods import METHODS
from cesaro.reproduce.report import drawing
from cesaro.reproduce.results import Figure

OURS = "ours, with the anchor"
ROWS = (*tuned.SETTINGS, OURS)
CAPTION = (
    f"f(w) - f* on support vector machines, f = mu/2 |w|^2 + mean hinge loss, mu = {MU:g} in the drawings, no intercept: means "
    "over the seeds and their range. As printed: a_t = gamma_t = t (Pegasos and SC-RDA: 1) at every sample, independent "
    "samples, no anchor; then mu fixes every step. Step tuned, as the paper says it did: a_t = c gamma_t, c from "
    f"{tuned.STEPS[0]:g} to {tuned.STEPS[-1]:g}. Anchor tuned: c = 1 and gamma_0 so that the largest step is "
    f"{tuned.FIRST_STEPS[0]:g} to {tuned.FIRST_STEPS[-1]:g} over mean |x|^2. Both are chosen on a seed of their own, by f - f* "
    f"over the second half of the epochs, and shown on others, in runs of at most {tuned.SAMPLES:,} samples. The paper "
    "prints neither its mu nor its grid; the claims are "
    "about mu = 1e-2, 1e-4 and 1/n, over 30 epochs at most where it is not drawn. PA-PSG has eta_t = 2c/(mu t) and the "
    "averaging weights that its rate needs. Ours: the "
    "linear models' solvers of these names at their defaults, the anchor chosen from the data, the rows reshuffled; without a "
    "ball SC-PDA and PA-PSG are then the same recursion. The default solver of the linear models is not one of the paper's. "
    "Every method is shown at the point that its theorem is about, GDA also at the uniform average of Definition 3."
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
    for setting in ROWS:
        panels += [
            gap_panel(name, setting, found if isinstance(found, str) else found[budget.mus[0]])
            for name, found in curves.items()
        ]
    found = {name: known for name, known in curves.items() if not isinstance(known, str)}
    problems = {f"{name}, mu = {mu}": known for name, by_mu in found.items() for mu, known in by_mu.items()}
    drawn = {name: by_mu[budget.mus[0]] for name, by_mu in found.items()}
    return Figure(
        "figure1",
        "Support vector machines: suboptimality against epochs",
        CAPTION + tuned_table(drawn),
        tuple(panels),
        figure1_claims(problems),
        _shortened(budget, curves),
        columns=max(2, len(budget.data_sets)),
        shared_y=len(budget.data_sets) > 1,
        table=methods_table(folder, drawn, budget.seeds),
    )


def draw(figure: Figure, folder: Path) -> list[Path]:
    """Write its PDF and PNG."""
    return drawing.draw(figure, folder)


def data_set_curves(folder: Path, name: str, budget: Budget) -> dict[str, dict[tuple[str, str], dict[str, Any]]]:
    """mu -> (method, setting) -> epoch, seconds and gap, the last two with a row per seed."""
    found = {mu: tuned_curves(folder, name, mu, budget) for mu in budget.mus}
    first = found[budget.mus[0]]
    for setting in tuned.ONE_AT_A_TIME:
        for method in ("GDA", "SC-PDA"):
            show_progress(f"{name}: {method}, {setting}")
            first[method, setting] = tuned.tuned_curve(folder, name, budget.mus[0], method, setting, budget)
    best, seeds = optimum(folder, name), range(budget.seeds)
    for method in SOLVERS:
        show_progress(f"{name}: {method}, {OURS}")
        if name == budget.data_sets[0]:  # the table has proofs of these, too
            runs = [trajectory(folder, name, method, True, seed, max(TABLE)) for seed in seeds]
            first[method, "table"] = gaps(runs, best)
        runs = [trajectory(folder, name, method, False, seed, budget.epochs) for seed in seeds]
        first[method, OURS] = gaps(runs, best)
    show_progress(f"{name}: {DEFAULT}")
    epochs = shown_epochs(budget.epochs, 16)
    first[DEFAULT, OURS] = gaps([default_solver_run(folder, name, seed, epochs) for seed in seeds], best)
    show_progress("")
    return found


def tuned_curves(folder: Path, name: str, mu: str, budget: Budget) -> dict[tuple[str, str], dict[str, Any]]:
    """Every method as printed, with a tuned step, with a tuned anchor."""
    found = {}
    for setting in tuned.SETTINGS:
        for method in METHODS:
            show_progress(f"{name}, mu = {mu}: {method}, {setting}")
            found[method, setting] = tuned.tuned_curve(folder, name, mu, method, setting, budget)
    return found


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
    if budget.mus != full.mus:
        notes.append(f"mu = {' and '.join(budget.mus)} only")
    if budget.grid_stride > full.grid_stride:
        epochs, seeds, values = budget.tuned_epochs, budget.tuned_seeds, len(tuned.STEPS[:: budget.grid_stride])
        notes.append(f"tuned over {values} values, {epochs} epochs, {seeds} seeds")
    return (*notes, "the verdicts are about this much alone") if notes else ()


def show_progress(what: str) -> None:
    """One line on stderr that rewrites itself; nothing where stderr is no terminal."""
    if sys.stderr.isatty():
        print(f"\r  {what:<60}", end="" if what else "\r", file=sys.stderr, flush=True)
