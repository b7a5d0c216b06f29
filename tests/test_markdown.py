"""What a wrapped line may not begin with: Markdown would take it for a quotation or an item, in the middle of a formula."""

import itertools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
DISPLAYED = re.compile(r"^\s*\$\$.*?\$\$", re.M | re.S)
ITEM = re.compile(r"\n(?=[ ]*(?:[-+*]|\d+[.)]) )")


def prose(page: Path) -> str:
    """Without code and displayed formulas."""
    return DISPLAYED.sub("", CODE.sub("code", page.read_text(encoding="utf-8")))


def test_there_are_pages():
    assert len(PAGES) > 15


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_quotation_begins_after_an_empty_line(page):
    lines = prose(page).splitlines()
    cut = [line for before, line in itertools.pairwise(lines) if line[:1] == ">" != before[:1] and before]
    assert cut == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_formula_is_cut_by_an_item_or_the_end_of_a_paragraph(page):
    parts = [part for paragraph in prose(page).split("\n\n") for part in ITEM.split(paragraph)]
    assert [part for part in parts if part.replace("\\$", "").count("$") % 2] == []
