"""The report: one HTML file with every figure, the paper's claims beside what was measured, and the numbers to take away.

It needs nothing but a browser: plotly, the style and the numbers are inside. The page itself is in page/.
"""

import base64
import csv
import io
import json
import math
import os
import platform
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from html import escape
from importlib import metadata
from pathlib import Path
from string import Template
from typing import Any

from cesaro.storage.atomic_write import whole_file
from cesaro.reproduce.report.colours import colour, on_dark
from cesaro.reproduce.report.drawing import OVER
from cesaro.reproduce.results import Claim, Figure, Panel

PAGE = Path(__file__).parent / "assets"
VERDICTS = {"reproduced": "reproduced", "partly": "partly reproduced", "not": "not reproduced"}
PACKAGES = ("cesaro", "numpy", "scipy", "numba", "scikit-learn", "torch", "plotly")


def write(figures: Sequence[Figure], folder: Path) -> Path:
    """Write folder/index.html, and link the figures' PDF and PNG files that are in the folder already.

    Raises ValueError for a verdict that is none of "reproduced", "partly", "not".
    """
    from plotly.offline import get_plotlyjs

    folder.mkdir(parents=True, exist_ok=True)
    page = Template((PAGE / "page.html").read_text()).substitute(
        style=(PAGE / "page.css").read_text(),
        script=(PAGE / "page.js").read_text(),
        plotly=get_plotlyjs(),
        overview=overview(figures),
        axes=axes(figures),
        figures="\n".join(section(i, figure, folder) for i, figure in enumerate(figures)),
        environment=definitions(environment()),
        data=data(figures),
    )
    path = folder / "index.html"
    with whole_file(path) as file:
        file.write(page.encode())
    return path


def environment() -> dict[str, str]:
    """What the numbers may depend on."""
    known = {
        "written": datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC"),
        "processor": processor(),
        "threads": f"{len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()} available",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            known[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            known[package] = "not installed"
    return known


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def numbers(figure: Figure) -> str:
    """The figure as CSV: one row per point of a line."""
    known = list(dict.fromkeys(axis for panel in figure.panels for series in panel.series for axis in series.x))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["panel", "method", *known, "mean", "low", "high"])
    for panel in figure.panels:
        for series in panel.series:
            for i, values in enumerate(zip(series.mean, series.low, series.high, strict=True)):
                positions = [series.x[axis][i] if axis in series.x else "" for axis in known]
                table.writerow([panel.title, series.method, *positions, *values])
    return text.getvalue()


def data(figures: Sequence[Figure]) -> str:
    """What the page draws from, safe inside a script element."""
    known: list[dict[str, Any]] = [asdict(figure) for figure in figures]
    for figure in known:
        for panel in figure["panels"]:
            for series in panel["series"]:
                method = series["method"]
                series |= {"colour": colour(method), "colour_on_dark": on_dark(method)}
                series["dash"] = dash(method, series.pop("dashed"))
    return json.dumps(finite(known), separators=(",", ":")).replace("<", "\\u003c")


def finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: a gap in a line is null."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def overview(figures: Sequence[Figure]) -> str:
    cards = []
    for figure in figures:
        counts = {verdict: sum(claim.verdict == verdict for claim in figure.claims) for verdict in VERDICTS}
        pills = "".join(pill(verdict, f"{count} {VERDICTS[verdict]}") for verdict, count in counts.items() if count)
        rest = pills or '<span class="none">no claim to judge</span>'
        cards.append(
            f'<li><span class="name">{escape(label(figure))}</span>'
            f'<a href="#{escape(figure.name)}">{escape(figure.title)}</a>{rest}</li>'
        )
    return f'<ul class="overview">{"".join(cards)}</ul>'


def axes(figures: Iterable[Figure]) -> str:
    """Buttons for the axes that some panel offers a choice of."""
    lines = [series for figure in figures for panel in figure.panels for series in panel.series]
    choices = list(dict.fromkeys(axis for series in lines if len(series.x) > 1 for axis in series.x))
    pressed = {axis: "true" if i == 0 else "false" for i, axis in enumerate(choices)}
    return "".join(
        f'<button type="button" data-x="{escape(axis)}" aria-pressed="{pressed[axis]}">{escape(axis)}</button>'
        for axis in choices
    )


def section(index: int, figure: Figure, folder: Path) -> str:
    """A figure with its words; one legend if its panels show the same methods, else one in each."""
    shared = len({frozenset(series.method for series in panel.series) for panel in figure.panels if panel.series}) == 1
    shortened = "".join(f"<li>{escape(line)}</li>" for line in figure.shortened)
    parts = [
        f'<section id="{escape(figure.name)}">',
        f'<p class="name">{escape(label(figure))}</p><h2>{escape(figure.title)}</h2>',
        f'<div class="shortened"><strong>Shortened here</strong><ul>{shortened}</ul></div>' if shortened else "",
        chips(figure.panels) if shared else "",
        f'<div class="panels" style="--across: {figure.columns if figure.columns <= 3 else 2}">',
        *(drawing(index, i, panel, legend=not shared) for i, panel in enumerate(figure.panels)),
        "</div>",
        f'<p class="caption">{escape(figure.caption)}</p>' if figure.caption else "",
        table(figure),
        f'<ul class="claims">{"".join(map(beside, figure.claims))}</ul>' if figure.claims else "",
        downloads(figure, folder),
        "</section>",
    ]
    return "\n".join(part for part in parts if part)


def label(figure: Figure) -> str:
    """figure1 is "Figure 1"."""
    return re.sub(r"(\d+)", r" \1", figure.name).capitalize()


def table(figure: Figure) -> str:
    if not figure.table:
        return ""
    head, *rows = figure.table
    sides = ["right" if any(cell[:1].isdigit() for cell in column) else "left" for column in zip(*rows, strict=True)]
    names = "".join(
        f'<th scope="col" class="{side}">{escape(name)}</th>' for name, side in zip(head, sides, strict=True)
    )
    cells = "".join(
        f"<tr>{''.join(f'<td class={side}>{escape(cell)}</td>' for cell, side in zip(row, sides, strict=True))}</tr>"
        for row in rows
    )
    return f'<div class="table"><table><thead><tr>{names}</tr></thead><tbody>{cells}</tbody></table></div>'


def chips(panels: Iterable[Panel]) -> str:
    """The legend, whose entries switch a method off and on in all figures."""
    lines = {series.method: dash(series.method, series.dashed) for panel in panels for series in panel.series}
    buttons = "".join(
        f'<button type="button" data-method="{escape(method)}" aria-pressed="true"'
        f' style="--colour: {colour(method)}; --colour-on-dark: {on_dark(method)}">'
        f'<i class="{style}"></i>{escape(method)}</button>'
        for method, style in lines.items()
    )
    return f'<div class="methods" role="group" aria-label="methods">{buttons}</div>'


def dash(method: str, dashed: bool) -> str:
    """How plotly calls the style of a line; as in the pictures, lines that lie upon others are dotted."""
    return "dash" if dashed else "dot" if method in OVER else "solid"


def drawing(figure: int, index: int, panel: Panel, legend: bool) -> str:
    title = f"<h3>{escape(panel.title)}</h3>"
    note = f'<p class="note">{escape(panel.note)}</p>' if panel.note else ""
    if not panel.series:
        return f'<figure>{title}<div class="missing">{note}</div></figure>'
    place = (
        f'<div class="drawing" data-figure="{figure}" data-panel="{index}" aria-label="{escape(panel.title)}"></div>'
    )
    return f"<figure>{title}{chips([panel]) if legend else ''}{place}{note}</figure>"


def beside(claim: Claim) -> str:
    return (
        f"<li><div><b>The paper</b><blockquote>{escape(claim.paper)}</blockquote></div>"
        f"<div><b>Measured here</b><p>{escape(claim.measured)}</p></div>{pill(claim.verdict)}</li>"
    )


def pill(verdict: str, text: str = "") -> str:
    if verdict not in VERDICTS:
        raise ValueError(f"a claim's verdict must be one of {', '.join(VERDICTS)}: got {verdict!r}.")
    return f'<span class="verdict {verdict}">{text or VERDICTS[verdict]}</span>'


def downloads(figure: Figure, folder: Path) -> str:
    texts = {
        "json": ("application/json", json.dumps(finite(asdict(figure))) + "\n"),
        "csv": ("text/csv", numbers(figure)),
    }
    links = [
        f'<a download="{escape(figure.name)}.{kind}" href="data:{media};base64,'
        f'{base64.b64encode(text.encode()).decode()}">{kind.upper()}</a>'
        for kind, (media, text) in texts.items()
    ]
    links += [
        f'<a href="{escape(figure.name)}.{kind}">{kind.upper()}</a>'
        for kind in ("pdf", "png")
        if (folder / f"{figure.name}.{kind}").is_file()
    ]
    return f'<p class="downloads">The numbers and the figure: {" ".join(links)}</p>'


def definitions(known: dict[str, str]) -> str:
    return f"<dl>{''.join(f'<dt>{escape(k)}</dt><dd>{escape(v)}</dd>' for k, v in known.items())}</dl>"
