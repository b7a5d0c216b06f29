"""A Figure as PDF and PNG (matplotlib): panels in a grid, one legend, and what was left out written on the drawing itself."""

import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from cesaro.reproduce.report.colours import colour
from cesaro.reproduce.results import Figure, Panel, Series

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
WIDTHS = {1: 5.6, 2: 3.7, 3: 3.2}  # of a panel, in inches, by the number of columns


def draw(figure: Figure, folder: Path) -> list[Path]:
    """`name`.pdf and `name`.png in the folder; the same figure gives the same bytes."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context(STYLE):
        columns = min(figure.columns, len(figure.panels))
        rows = -(-len(figure.panels) // columns)
        canvas = Canvas(figsize=(WIDTHS.get(columns, 2.5) * columns, 2.25 * rows + 0.6), layout="constrained")
        axes = canvas.subplots(rows, columns, squeeze=False, sharey="col" if figure.shared_y else False)
        drawn = [draw_panel(ax, panel) for ax, panel in zip(axes.flat, figure.panels, strict=False)]
        for ax in axes.flat[len(figure.panels) :]:
            ax.set_axis_off()
        tidy(axes, figure.panels)
        legend(canvas, axes, drawn)
        if figure.shortened:
            words = textwrap.fill(
                "Shortened: " + "; ".join(figure.shortened).rstrip(".") + ".", round(16 * canvas.get_figwidth())
            )
            canvas.suptitle(words, fontsize=8, x=0.01, ha="left", color="#a04000")
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{figure.name}.{kind}" for kind in ("pdf", "png")]
        for path in paths:
            fixed = {"CreationDate": None} if path.suffix == ".pdf" else {"Software": None}
            canvas.savefig(path, dpi=160, metadata=fixed)
    return paths


def legend(canvas: Any, axes: Any, drawn: list[dict[str, Any]]) -> None:
    """One below all panels where one of them shows all methods, else one in each."""
    most = max(drawn, key=len)
    if most and all(handles.keys() <= most.keys() for handles in drawn):
        canvas.legend(most.values(), most, loc="outside lower center", ncols=min(len(most), 6), frameon=False)
        return
    for ax, handles in zip(axes.flat, drawn, strict=False):
        if handles:
            raise_ceiling(ax, 0.1 * len(handles))
            ax.legend(
                handles.values(),
                handles,
                loc="upper right",
                fontsize=7,
                frameon=False,
                handlelength=1.8,
                borderaxespad=0,
            )


def raise_ceiling(ax: Any, share: float) -> None:
    """Room above the lines, as a share of what they take."""
    scale = ax.yaxis.get_transform()
    low, high = scale.transform(np.array(ax.get_ylim()))
    ax.set_ylim(top=float(scale.inverted().transform(high + share * (high - low))))


def tidy(axes: Any, panels: tuple[Panel, ...]) -> None:
    """A label stands only where it says something new: at the left end of a row, below a column."""
    columns = axes.shape[1]
    for k, panel in enumerate(panels):
        row, column = divmod(k, columns)
        left = panels[k - 1] if column else None
        below = panels[k + columns] if k + columns < len(panels) else None
        if panel.series and left is not None and left.series and left.y_label == panel.y_label:
            axes[row, column].set_ylabel("")
        if panel.series and below is not None and below.series and first_axis(below) == first_axis(panel):
            axes[row, column].set_xlabel("")


def first_axis(panel: Panel) -> str:
    return next(iter(panel.series[0].x))


def draw_panel(ax: Any, panel: Panel) -> dict[str, Any]:
    """Its lines, or the note in their place; returns what a legend shows."""
    ax.set_title(panel.title)
    if not panel.series:
        words = textwrap.fill(panel.note, 34, break_long_words=False)
        style = {"ha": "center", "va": "center", "color": "#666", "fontsize": 8, "in_layout": False}
        ax.text(0.5, 0.5, words, transform=ax.transAxes, **style)  # however long, the other panels keep their size
        ax.set(xticks=[], yticks=[])
        return {}
    if panel.log_x:
        ax.set_xscale("log")
        if max(max(next(iter(series.x.values()))) for series in panel.series) < 1e4:
            ax.xaxis.set_major_formatter("{x:g}")
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)  # epochs and steps are whole
    if panel.log_y:
        ax.set_yscale("log")
    ax.set(xlabel=first_axis(panel), ylabel=panel.y_label)
    if panel.note:
        ax.text(0.98, 0.96, textwrap.fill(panel.note, 40), ha="right", va="top", transform=ax.transAxes, fontsize=7)
    ax.grid(True, which="major")
    return {series.method: draw_series(ax, series) for series in panel.series}


def draw_series(ax: Any, series: Series) -> Any:
    """A line and the band of its spread; returns what the legend shows."""
    x, hue = next(iter(series.x.values())), colour(series.method)
    few = 2 < len(x) <= FEW
    style = (0, (4, 2)) if series.dashed else OVER.get(series.method, "-")
    (handle,) = ax.plot(
        x, series.mean, color=hue, linestyle=style, linewidth=1.4, marker="o" if few else "", markersize=3
    )
    if series.low != series.high:
        ax.fill_between(x, series.low, series.high, color=hue, alpha=0.15, linewidth=0)
    return handle
