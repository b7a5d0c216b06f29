"""reproduce(): the paper's experiments, their drawings and the report, in one folder.

A figure is one module with `run(budget) -> Figure` and `draw(figure, folder)`. Finished runs are saved in `out`/runs, so that
an interrupted command continues where it was and drawing again costs nothing.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from cesaro.reproduce.budget import Budget, make_budget
from cesaro.reproduce.report import html
from cesaro.reproduce.results import NO_TORCH, Figure, Panel

FIGURES = {  # a name, its title, and the module below this package that runs and draws it
    "figure1": ("Support vector machines", "figure1.experiment"),
    "figure2": ("A small convolutional network", "networks.figure2"),
    "figure3": ("VGG-16", "networks.figure3"),
    "theorems": ("The theorems", "theorems.experiment"),
}


def reproduce(
    names: Sequence[str] = ("all",),
    quick: bool = False,
    out: str | os.PathLike[str] = "report",
    time_limit: float | None = None,
) -> Path:
    """Run the figures of these names and write numbers, pictures and the report.

    Parameters
    ----------
    names : sequence of {"figure1", "figure2", "figure3", "theorems", "all"}, default=("all",)
        Which figures; "all" is all of them.
    quick : bool, default=False
        Take about a minute on two cores; the figures say what is left out.
    out : path-like, default="report"
        The folder, made if it does not exist; runs that are saved in it are not run again.
    time_limit : float, optional
        Seconds after which no further network is trained, in each figure; it is drawn from the runs that are finished, and the
        same call continues it.

    Returns
    -------
    Path
        The report, an HTML file.

    Raises
    ------
    ValueError
        If there is no figure of a name.
    ImportError
        If matplotlib or plotly is not installed.

    Examples
    --------
    `reproduce(["theorems"], quick=True, out="report")` takes a few seconds and returns `Path("report/index.html")`.
    """
    chosen, folder = select_figures(names), Path(out)
    missing = [name for name in ("matplotlib", "plotly") if find_spec(name) is None]
    if missing:
        raise ImportError(f"figures and report need {' and '.join(missing)}: pip install 'cesaro[report]'.")
    budget = make_budget(folder / "runs", quick, time_limit)
    figures = []
    for name in chosen:
        print(f"{name}: {FIGURES[name][0]}", file=sys.stderr, flush=True)
        figures.append(make_figure(name, budget, folder))
    return html.write_report(figures, folder)


def saved_figures(out: str | os.PathLike[str]) -> dict[str, Figure]:
    """The figures that have been run into a folder.

    Parameters
    ----------
    out : path-like
        The folder of the report.

    Returns
    -------
    dict of str to Figure
        By name, in the paper's order.
    """
    paths = {name: Path(out) / f"{name}.json" for name in FIGURES}
    return {name: Figure.load(path) for name, path in paths.items() if path.exists()}


def select_figures(names: Sequence[str]) -> list[str]:
    """The figures that are meant, in the paper's order, each once.

    Parameters
    ----------
    names : sequence of str
        Names of figures, or "all".

    Returns
    -------
    list of str
        Names of figures.

    Raises
    ------
    ValueError
        If there is no figure of a name, or no name at all.
    """
    names = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in names if name not in (*FIGURES, "all")]
    if unknown or not names:
        given = ", ".join(map(repr, unknown)) or "none"
        raise ValueError(f"figures are named {', '.join(FIGURES)} or all: got {given}.")
    return [name for name in FIGURES if name in names or "all" in names]


def make_figure(name: str, budget: Budget, out: Path) -> Figure:
    """Run one figure and write its numbers as JSON and its drawings.

    Parameters
    ----------
    name : str
        A name in `FIGURES`.
    budget : Budget
        How much may be run.
    out : Path
        The folder to write to.

    Returns
    -------
    Figure
        Its numbers; without torch a figure that needs it says only that.
    """
    try:
        module = import_module(f"cesaro.reproduce.{FIGURES[name][1]}")
    except ModuleNotFoundError as error:
        from cesaro.reproduce.report import drawing as module

        figure = _placeholder_figure(name, error)
    else:
        figure = module.run(budget)
    figure.save(out)
    module.draw(figure, out)
    return figure


def _placeholder_figure(name: str, error: ModuleNotFoundError) -> Figure:
    """What stands in the place of a figure whose library is not installed."""
    if error.name != "torch":
        raise error
    note = NO_TORCH
    title, _ = FIGURES[name]
    return Figure(name, title, "", (Panel(title, "", note=note),), shortened=(note,), columns=1)
