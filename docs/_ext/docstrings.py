"""Docstrings on their way to the site: they are written for a terminal, with |w| for a norm and formulas that are indented."""

import re
from typing import Any

from sphinx.application import Sphinx

QUOTED = re.compile(r"(`+[^`]*`+)")
ROLE = re.compile(r":(?:ref|term):`([^<`]+?)\s*(?:<[^>]*>)?`")  # of scikit-learn's own site
STAR = re.compile(r"(?<![\w*\\])\*(?=\w)")


def prepare(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Show the formulas of a summary as they are; a bar is a bar, not a substitution."""
    sections = next((k - 1 for k, line in enumerate(lines) if re.match(r"\s*-{3,}$", line)), len(lines))
    shown: list[str] = []
    inside = False  # a block of formulas
    for k, line in enumerate(lines):
        if line.strip():
            formula = k < sections and line.startswith("    ")
            if formula and not inside:
                shown += ["::", ""]
            inside = formula
        shown.append(line if inside or line.lstrip().startswith((">>>", "...")) else escape(line))
    lines[:] = shown


def escape(line: str) -> str:
    """A line without markup outside of backticks."""
    parts = QUOTED.split(ROLE.sub(r"\1", line))
    if not re.match(r"\*{0,2}\w+( :|$)", line):  # the name of a parameter may have stars, which numpydoc knows
        parts[::2] = [STAR.sub(r"\\*", part) for part in parts[::2]]
    parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
    return "".join(parts)


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", prepare, priority=100)  # before numpydoc
    return {"parallel_read_safe": True, "parallel_write_safe": True}
