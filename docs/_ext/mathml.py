"""Formulas as MathML, which browsers draw themselves: no script, no network."""

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

BARS = re.compile(r"(?<!\\)(?<!Big)\|([^|]+)(?<!\\)(?<!Big)\|")  # |w|, but neither \|w\| nor \Big|


def markup(tex: str, display: str) -> str:
    """A formula of LaTeX as a math element."""
    drawn = str(convert(BARS.sub(r"\\left|\1\\right|", tex), display=display))
    if unknown := re.findall(r">(\\\w+|&amp;)<", drawn):
        raise ExtensionError(f"A formula has a command that is not known, {unknown[0]}: {tex}")
    return drawn


def visit_inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(markup(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.math_block) -> None:
    """A displayed formula, with its label in front: there a narrow screen shows it too."""
    label = node.get("label")
    writer.body.append(writer.starttag(node, "div", CLASS="math labelled" if label else "math"))
    writer.body.append(f'<span class="label">({label})</span>' if label else "")
    writer.body.append(markup(node.astext(), "block") + "</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
