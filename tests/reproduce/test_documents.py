"""The committed figures and the words about them belong together."""

import runpy
from pathlib import Path

import pytest

from cesaro.reproduce.figure1 import experiment as figure1
from cesaro.reproduce.results import Figure
from cesaro.reproduce.theorems import experiment as theorems

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def committed():
    return {name: Figure.load(ROOT / "docs" / "figures" / f"{name}.json") for name in ("figure1", "theorems")}


def test_the_page_about_the_experiments_is_made_from_the_committed_numbers():
    text = runpy.run_path(str(ROOT / "docs" / "experiments.py"))["text"]
    assert text() == (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8"), "run: python docs/experiments.py"


def test_the_committed_figures_are_whole(committed):
    assert [panel.title for panel in committed["figure1"].panels] == [
        f"{name}, {how}" for how in figure1.ROWS for name in ("a9a", "w8a", "covtype", "ijcnn1")
    ]
    for figure in committed.values():
        assert figure.shortened == ()
        assert all(panel.series for panel in figure.panels)
    assert committed["theorems"].caption == theorems.CAPTION
    assert committed["figure1"].caption.startswith(figure1.CAPTION)


def test_every_row_of_its_tables_has_as_many_cells_as_their_first():
    """Formulas have upright bars, which Markdown takes for the ends of cells."""
    before = ""
    for line in (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8").splitlines():
        if before.startswith("|") and line.startswith("|"):
            assert line.replace(r"\|", "").count("|") == before.replace(r"\|", "").count("|"), line
        before = line
