"""Charts of the tables in benchmarks/RESULTS.md, drawn when the site is built: one for light pages, one for dark ones."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

Table = list[dict[str, str]]
THEMES = {"light": ("#222832", "#dfe3e8", "#0072B2", "#D55E00"), "dark": ("#ced6dd", "#3a424d", "#56B4E9", "#FF9A5C")}
GREY = "#8b95a1"


def tables(text: str) -> dict[str, list[Table]]:
    """The tables of a Markdown text, by the heading that they stand under."""
    found: dict[str, list[Table]] = {}
    heading, rows = "", []
    for line in [*text.splitlines(), ""]:
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if line.startswith("|"):
            rows.append([cell.strip().replace("\\*", "*") for cell in line.strip().strip("|").split("|")])
        elif rows:
            head, _, *body = rows
            found.setdefault(heading, []).append([dict(zip(head, row, strict=True)) for row in body])
            rows = []
    return found


def number(cell: str) -> float:
    """A cell as a number; not a number where there is a dash."""
    return float(cell) if re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?", cell) else float("nan")


def name(row: dict[str, str]) -> str:
    return f"{row['data']}, {row['mu']}"


def bars(ax: Any, names: list[str], columns: dict[str, np.ndarray], colours: list[str]) -> None:
    """Horizontal bars, one group a name, on a logarithmic axis."""
    height = 0.8 / len(columns)
    for k, (label, values) in enumerate(columns.items()):
        ax.barh(
            np.arange(len(names)) + (k - (len(columns) - 1) / 2) * height, values, height, label=label, color=colours[k]
        )
    ax.set(yticks=np.arange(len(names)), yticklabels=names, xscale="log")
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)


def proof(found: dict[str, list[Table]], ours: str, other: str) -> plt.Figure:
    """A default fit with its proof beside LinearSVC."""
    rows = next(table for table in found["Time to accuracy and to a proof, hinge"] if "proof (ms)" in table[0])
    figure, ax = plt.subplots(figsize=(7.5, 5.2))
    columns = {
        "cesaro, with a certified gap of 1e-3": np.array([number(row["proof (ms)"]) for row in rows]),
        "LinearSVC at its defaults, no certificate": np.array([number(row["LinearSVC (ms)"]) for row in rows]),
    }
    bars(ax, [name(row) for row in rows], columns, [ours, GREY])
    ax.set_xlabel("CPU milliseconds of a fit")
    ax.legend(loc="upper center", bbox_to_anchor=(0.4, 1.1), ncols=2)
    return figure


def accuracy(found: dict[str, list[Table]], ours: str, other: str, heading: str) -> plt.Figure:
    """CPU time to 1e-3 of every contender, over all cells of the tables below a heading."""
    rows = next(table for table in found[heading] if "snapml" in table[0])
    left_out = {"data", "mu", "ratio to the fastest peer", "no anchor", "memoryless"}
    contenders = [column for column in rows[0] if column not in left_out]
    figure, ax = plt.subplots(figsize=(7.5, 4.6))
    for contender in contenders:
        times = [number(row[contender].split()[1]) for row in rows]
        mine = contender == "cesaro"
        style = {"color": ours, "lw": 2.6, "zorder": 3} if mine else {"color": GREY, "lw": 1.0, "alpha": 0.8}
        ax.plot(times, np.arange(len(rows)), marker="o", ms=7 if mine else 4, label=contender, **style)
    last = next(plot for plot in ax.lines if plot.get_label() != "cesaro")
    last.set_label("other solvers")
    ax.set(yticks=np.arange(len(rows)), yticklabels=[name(row) for row in rows], xscale="log")
    ax.set_xlabel("CPU milliseconds to relative suboptimality 1e-3")
    ax.invert_yaxis()
    handles = [next(plot for plot in ax.lines if plot.get_label() == "cesaro"), last]
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.4, 1.12), ncols=2)
    return figure


def classes(found: dict[str, list[Table]], ours: str, other: str) -> plt.Figure:
    """Default fits with many classes."""
    rows, figure = found["Many classes at the defaults"][0], plt.figure(figsize=(7.5, 3.2))
    names = {
        "cesaro": "cesaro: CPU s, accuracy, MB at most",
        "SGDClassifier": "SGDClassifier",
        "LinearSVC": "LinearSVC",
    }
    columns = {k: np.array([number(row[column].split(",")[0]) for row in rows]) for k, column in names.items()}
    ax = figure.subplots()
    bars(ax, [f"{row['data']}, {row['classes']} classes" for row in rows], columns, [ours, GREY, other])
    ax.set_xlabel("CPU seconds of a fit at its defaults")
    ax.legend(loc="lower right")
    return figure


def losses(found: dict[str, list[Table]], ours: str, other: str) -> plt.Figure:
    """Other losses: time to 1e-3 over that of the fastest of the others."""
    figure, axes = plt.subplots(1, 2, figsize=(7.5, 4.4), sharey=True)
    for ax, rows, title in zip(axes, found["Other losses"], ["log_loss", "squared_error"], strict=False):
        peers = [column for column in rows[0] if column not in {"data", "mu", "cesaro"}]
        for k, label in enumerate(["1e-3", "1e-6"]):
            best = [np.nanmin([number(row[peer].split()[k]) for peer in peers]) for row in rows]
            ratio = np.array([number(row["cesaro"].split()[k]) for row in rows]) / best
            ax.plot(ratio, np.arange(len(rows)), "o", color=[ours, other][k], label=f"to {label}")
        ax.axvline(1.0, color=GREY, lw=1.5)
        ax.set(title=title, xscale="log", xlabel="time over the fastest peer's", xlim=(0.09, 4))
        ax.set(xticks=[0.1, 0.3, 1, 3], xticklabels=["0.1", "0.3", "1", "3"])
    axes[0].set(yticks=np.arange(len(rows)), yticklabels=[name(row) for row in rows])
    axes[0].invert_yaxis()
    axes[0].legend(loc="lower left")
    return figure


def epochs(found: dict[str, list[Table]], ours: str, other: str) -> plt.Figure:
    """What an epoch and a search over alpha cost."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.5, 3.2), width_ratios=[3, 2])
    rows = [row for row in found["Cost of an epoch"][0] if row["gda, ms"]]
    columns = {
        "cesaro": np.array([number(row["gda, ms"]) for row in rows]),
        "SGDClassifier": np.array([number(row["SGDClassifier, ms"]) for row in rows]),
    }
    bars(left, [row["data"] for row in rows], columns, [ours, GREY])
    left.set(title="one epoch", xlabel="CPU milliseconds")
    rows = found["Cross-validated path"][0]
    columns = {
        "cesaro": np.array([number(row["path, s"]) for row in rows]),
        "scikit-learn": np.array([number(row["GridSearchCV, s"]) for row in rows]),
    }
    bars(right, [row["data"] for row in rows], columns, [ours, GREY])
    right.set(title="search over alpha", xlabel="CPU seconds")
    for ax in (left, right):
        ax.legend(loc="lower right", fontsize=9)
    return figure


CHARTS: dict[str, Callable[..., plt.Figure]] = {
    "proof": proof,
    "accuracy": partial(accuracy, heading="Time to accuracy and to a proof, hinge"),
    "wide": partial(accuracy, heading="Wide rows"),
    "classes": classes,
    "losses": losses,
    "epochs": epochs,
}


def draw_all(results: Path, folder: Path) -> None:
    """Every chart in both themes, as SVG files in a folder."""
    found = tables(results.read_text(encoding="utf-8"))
    folder.mkdir(exist_ok=True)
    for theme, (ink, grid, ours, other) in THEMES.items():
        style = {f"{part}.color": ink for part in ("text", "xtick", "ytick")} | {
            "axes.labelcolor": ink, "axes.edgecolor": grid, "grid.color": grid, "axes.grid": True, "axes.axisbelow": True,
            "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "font.size": 10.5,
            "figure.constrained_layout.use": True, "svg.fonttype": "path", "svg.hashsalt": "cesaro",
        }  # fmt: skip
        for chart, draw in CHARTS.items():
            with plt.rc_context(style):
                figure = draw(found, ours, other)
                figure.savefig(folder / f"{chart}-{theme}.svg", transparent=True, metadata={"Date": None})
                plt.close(figure)
