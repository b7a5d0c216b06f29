"""The report: one HTML file with every figure, the paper's claims beside what was measured, and the numbers to take away.

It needs nothing but a browser: plotly, the style and the numbers are inside. The page itself is in assets/.
"""

import base64
import csv
import io
import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from cesaro.reproduce.report.colours import colour, on_dark
from cesaro.reproduce.report.drawing import OVER
from cesaro.reproduce.report.environment import environment
from cesaro.reproduce.results import Claim, Figure, Panel
from cesaro.reproduce.verdicts import HEADER, first_sentence, verdict_rows
from cesaro.reproduce.verdicts import VERDICTS as WORDS
from cesaro.storage.atomic_write import whole_file

ASSETS = Path(__file__).parent / "assets"
BADGES = {words: verdict for verdict, words in WORDS.items()}
VERDICTS = {"reproduced": "reproduced", "partly": "partly reproduced", "not": "not reproduced"}


def write_report(figures: Sequence[Figure], folder: Path) -> Path:
    """Write folder/index.html, and link the figures' PDF and PNG files that are in the folder already.

    Raises ValueError for a verdict that is none of "reproduced", "partly", "not".
    """
    from plotly.offline import get_plotlyjs

    folder.mkdir(parents=True, exist_ok=True)
    page = Template((ASSETS / "page.html").read_text(encoding="utf-8")).substitute(
        style=(ASSETS / "page.css").read_text(encoding="utf-8"),
        script=(ASSETS / "page.js").read_text(encoding="utf-8"),
        plotly=get_plotlyjs(),
        overview=overview(figures),
        axes=axis_buttons(figures),
        statements=statements_table(figures),
        figures="\n".join(section(i, figure, folder) for i, figure in enumerate(figures)),
        environment=definitions(environment()),
        data=page_data(figures),
    )
    path = folder / "index.html"
    with whole_file(path) as file:
        file.write(page.encode("utf-8"))
    return path


def figure_csv(figure: Figure) -> str:
    """The figure as CSV: one row per point of a line."""
    known = list(dict.fromkeys(axis for panel in figure.panels for series in panel.series for axis in series.x))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["panel", "method", *known, "mean", "low", "high"])
    for panel in figure.panels:
        for series in panel.series:
            for i, values in enumerate(zip(series.mean, series.low, series.high, strict=True)):
                positions = [series.x[axis][i] if axis in series.x else "" for axis in known]
                writer.writerow([panel.title, series.method, *positions, *values])
    return text.getvalue()


def page_data(figures: Sequence[Figure]) -> str:
    """What the page draws from, safe inside a script element."""
    known: list[dict[str, Any]] = [asdict(figure) for figure in figures]
    for figure in known:
        for panel in figure["panels"]:
            for series in panel["series"]:
                method = series["method"]
                series |= {"colour": colour(method), "colour_on_dark": on_dark(method)}
                series["dash"] = dash(method, series.pop("dashed"))
    return json.dumps(without_nonfinite(known), separators=(",", ":")).replace("<", "\\u003c")


def without_nonfinite(value: Any) -> Any:
    """JSON has no NaN and no infinity: a gap in a line is null."""
    if isinstance(value, dict):
        return {key: without_nonfinite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [without_nonfinite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def overview(figures: Sequence[Figure]) -> str:
    cards = []
    for figure in figures:
        counts = {verdict: sum(claim.verdict == verdict for claim in figure.claims) for verdict in VERDICTS}
        badges = "".join(
            verdict_badge(verdict, f"{count} {VERDICTS[verdict]}") for verdict, count in counts.items() if count
        )
        rest = badges or '<span class="none">no claim to judge</span>'
        cards.append(
            f'<li><span class="name">{escape(figure_label(figure))}</span>'
            f'<a href="#{escape(figure.name)}">{escape(figure.title)}</a>{rest}</li>'
        )
    return f'<ul class="overview">{"".join(cards)}</ul>'


def statements_table(figures: Sequence[Figure]) -> str:
    """Every statement of the paper: its verdict, the number it rests on, the command."""
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in HEADER)
    rows = "".join(
        f"<tr><td>{escape(statement)}</td><td><span class='verdict {BADGES.get(found, 'none')}'>{escape(found)}</span></td>"
        f"<td>{escape(first_sentence(number))}</td><td><code>{escape(command)}</code></td></tr>"
        for statement, found, number, command in verdict_rows(figures)
    )
    return f'<div class="table statements"><table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table></div>'


def axis_buttons(figures: Iterable[Figure]) -> str:
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
        f'<p class="name">{escape(figure_label(figure))}</p><h2>{escape(figure.title)}</h2>',
        f'<div class="shortened"><strong>Shortened here</strong><ul>{shortened}</ul></div>' if shortened else "",
        legend_buttons(figure.panels) if shared else "",
        f'<div class="panels" style="--across: {figure.columns if figure.columns <= 3 else 2}">',
        *(panel_html(index, i, panel, legend=not shared) for i, panel in enumerate(figure.panels)),
        "</div>",
        f'<p class="caption">{escape(figure.caption)}</p>' if figure.caption else "",
        html_table(figure),
        f'<ul class="claims">{"".join(map(claim_html, figure.claims))}</ul>' if figure.claims else "",
        download_links(figure, folder),
        "</section>",
    ]
    return "\n".join(part for part in parts if part)


def figure_label(figure: Figure) -> str:
    """figure1 is "Figure 1"."""
    return re.sub(r"(\d+)", r" \1", figure.name).capitalize()


def html_table(figure: Figure) -> str:
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


def legend_buttons(panels: Iterable[Panel]) -> str:
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


def panel_html(figure: int, index: int, panel: Panel, legend: bool) -> str:
    title = f"<h3>{escape(panel.title)}</h3>"
    note = f'<p class="note">{escape(panel.note)}</p>' if panel.note else ""
    if not panel.series:
        return f'<figure>{title}<div class="missing">{note}</div></figure>'
    container = (
        f'<div class="drawing" data-figure="{figure}" data-panel="{index}" aria-label="{escape(panel.title)}"></div>'
    )
    return f"<figure>{title}{legend_buttons([panel]) if legend else ''}{container}{note}</figure>"


def claim_html(claim: Claim) -> str:
    return (
        f"<li><div><b>The paper</b><blockquote>{escape(claim.paper)}</blockquote></div>"
        f"<div><b>Measured here</b>{measured(claim.measured)}</div>{verdict_badge(claim.verdict)}</li>"
    )


def measured(words: str) -> str:
    """The first sentence; what follows unfolds."""
    first = first_sentence(words)
    rest = words[len(first) :].lstrip(". ")
    more = f"<details><summary>more</summary><p>{escape(rest)}</p></details>" if rest else ""
    return f"<p>{escape(first)}.</p>{more}"


def verdict_badge(verdict: str, text: str = "") -> str:
    if verdict not in VERDICTS:
        raise ValueError(f"a claim's verdict must be one of {', '.join(VERDICTS)}: got {verdict!r}.")
    return f'<span class="verdict {verdict}">{text or VERDICTS[verdict]}</span>'


def download_links(figure: Figure, folder: Path) -> str:
    texts = {
        "json": ("application/json", json.dumps(without_nonfinite(asdict(figure))) + "\n"),
        "csv": ("text/csv", figure_csv(figure)),
    }
    links = [
        f'<a download="{escape(figure.name)}.{kind}" href="data:{media};base64,'
        f'{base64.b64encode(text.encode("utf-8")).decode()}">{kind.upper()}</a>'
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
