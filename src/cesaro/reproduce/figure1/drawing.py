"""The panels of figure 1: means over the seeds and their range, on logarithmic axes."""

from typing import Any

import numpy as np

from cesaro.reproduce.figure1.runs import DEFAULT, SOLVERS, TABLE
from cesaro.reproduce.figure1.tunable_methods import METHODS
from cesaro.reproduce.results import Panel, Series, rounded


def gap_panel(name: str, setting: str, curves: dict[tuple[str, str], dict[str, Any]] | str) -> Panel:
    """One data set in one setting; a string instead of curves says why there are none."""
    title, y_label = f"{name}, {setting}", "f(w) - f*"
    if isinstance(curves, str):
        return Panel(title, y_label, note=curves)
    known = [(method, curves[method, setting]) for method in (*METHODS, *SOLVERS) if (method, setting) in curves]
    lines = [*dict(known).items(), (DEFAULT, curves[DEFAULT, "ours, with the anchor"])]
    return Panel(title, y_label, tuple(gap_series(*line) for line in lines), log_x=True, log_y=True)


def gap_series(method: str, curve: dict[str, Any]) -> Series:
    """Mean and range over the seeds, at epochs that are evenly spread on a logarithmic axis."""
    epochs = curve["epoch"]
    at = np.isin(epochs, shown_epochs(int(epochs[-1]), 16 if method == DEFAULT else 40))
    gap, seconds = curve["gap"][:, at], curve["seconds"][:, at]
    return Series(
        method,
        {"epochs": rounded(epochs[at]), "seconds": rounded(seconds.mean(axis=0))},
        rounded(gap.mean(axis=0)),
        rounded(gap.min(axis=0)),
        rounded(gap.max(axis=0)),
        dashed=method == DEFAULT or "," in method,
    )


def shown_epochs(epochs: int, points: int) -> list[int]:
    """About so many epochs from 1 to the last, evenly spread on a logarithmic axis; those of the table are among them."""
    spread = np.geomspace(1, epochs, points).round().astype(int)
    return [int(e) for e in np.unique([*spread, *(e for e in TABLE if e <= epochs)])]
