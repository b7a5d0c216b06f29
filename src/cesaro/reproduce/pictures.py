"""A Figure as PDF and PNG (matplotlib): panels in a grid, one legend, and what was left out written on the drawing itself."""

import textwrap
from pathlib import Path
from typing import Any

from .colours import colour
from .results import Figure, Panel, Series

STYLE: Any = {
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.titlelocation": "left",
    "grid.alpha": 0.25,
    "grid.linewidth": 0.5,
    "pdf.fonttype": 42,  # letters stay letters
    "svg.hashsalt": "cesaro",
}
OVER = {"PA-PSG": (0, (1.2, 1.8))}  # dotted, for it lies upon SC-PDA where the two are the same recursion
FEW = 12  # points up to which a line shows them


def draw(figure: Figure, folder: Path) -> list[Path]:
    """`name`.pdf and `name`.png in the folder; the same figure gives the same bytes."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context(STYLE):
        columns = min(figure.columns, len(figure.panels))
        rows = -(-len(figure.panels) // columns)
        canvas = Canvas(figsize=(max(2.35 * columns, 6.4), 2.1 * rows + 0.7), layout="constrained")
        axes = canvas.subplots(rows, columns, squeeze=False)
        handles: dict[str, Any] = {}
        for k, ax in enumerate(axes.flat):
            if k < len(figure.panels):
                draw_panel(
                    ax, figure.panels[k], handles, last_row=k + columns >= len(figure.panels), first=k % columns == 0
                )
            else:
                ax.set_axis_off()
        if handles:
            canvas.legend(
                handles.values(), handles, loc="outside lower center", ncols=min(len(handles), 6), frameon=False
            )
        if figure.shortened:
            words = textwrap.fill("Shortened: " + "; ".join(figure.shortened) + ".", 130)
            canvas.suptitle(words, fontsize=8, x=0.01, ha="left", color="#a04000")
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{figure.name}.{kind}" for kind in ("pdf", "png")]
        for path in paths:
            fixed = {"CreationDate": None} if path.suffix == ".pdf" else {"Software": None}
            canvas.savefig(path, dpi=200, metadata=fixed)
    return paths


def draw_panel(ax: Any, panel: Panel, handles: dict[str, Any], last_row: bool, first: bool) -> None:
    """Its lines, or the note in their place."""
    ax.set_title(panel.title)
    if not panel.series:
        ax.text(0.5, 0.5, textwrap.fill(panel.note, 34), ha="center", va="center", transform=ax.transAxes, color="#666")
        ax.set(xticks=[], yticks=[])
        return
    for series in panel.series:
        handles.setdefault(series.method, draw_series(ax, series))
    if panel.log_x:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
    if panel.log_y:
        ax.set_yscale("log")
    if last_row:
        ax.set_xlabel(next(iter(panel.series[0].x)))
    if first:
        ax.set_ylabel(panel.y_label)
    if panel.note:
        ax.text(0.98, 0.96, textwrap.fill(panel.note, 40), ha="right", va="top", transform=ax.transAxes, fontsize=7)
    ax.grid(True, which="major")


def draw_series(ax: Any, series: Series) -> Any:
    """A line and the band of its spread; returns what the legend shows."""
    x, hue = next(iter(series.x.values())), colour(series.method)
    few = len(x) <= FEW
    style = (0, (4, 2)) if series.dashed else OVER.get(series.method, "-")
    (handle,) = ax.plot(
        x, series.mean, color=hue, linestyle=style, linewidth=1.4, marker="o" if few else "", markersize=3
    )
    if series.low != series.high:
        ax.fill_between(x, series.low, series.high, color=hue, alpha=0.15, linewidth=0)
    return handle
