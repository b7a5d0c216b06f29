"""reproduce(): which figures, what is left behind, what stands in the place of what cannot be made."""

import builtins
import json
import sys

import pytest

from cesaro.reproduce import run
from cesaro.reproduce.figure1 import experiment as figure1
from cesaro.reproduce.results import Claim, Figure, Panel

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install cesaro[report]")


@pytest.fixture
def sketch(monkeypatch):
    """figure1 in no time; the budgets it was asked to run with."""
    asked = []

    def sketched(budget):
        asked.append(budget)
        return Figure(
            "figure1", "A sketch", "", (Panel("a9a", "", note="nothing"),), (Claim("a", "b", "not"),), columns=1
        )

    monkeypatch.setattr(figure1, "run", sketched)
    return asked


def test_a_figure_leaves_its_numbers_and_its_pictures(sketch, tmp_path):
    run.reproduce(["figure1"], out=tmp_path / "new")
    assert {"figure1.json", "figure1.pdf", "figure1.png"} <= {path.name for path in (tmp_path / "new").iterdir()}
    assert json.loads((tmp_path / "new" / "figure1.json").read_text(encoding="utf-8"))["claims"][0]["verdict"] == "not"


def test_quick_is_a_smaller_budget_in_the_same_folder(sketch, tmp_path):
    run.reproduce(["figure1"], out=tmp_path)
    run.reproduce("figure1", quick=True, out=str(tmp_path))
    full, quick = sketch
    assert full.runs == quick.runs == tmp_path / "runs"
    assert (full.quick, quick.quick) == (False, True)
    assert quick.epochs < full.epochs
    assert quick.data_sets == ("a9a",)  # it is inside the package


def test_all_is_every_figure_in_the_paper_s_order_each_once():
    assert run.select_figures(("all",)) == ["figure1", "figure2", "figure3", "theorems"]
    assert run.select_figures(["theorems", "figure1", "figure1"]) == ["figure1", "theorems"]
    assert run.select_figures("figure2") == ["figure2"]


@pytest.mark.parametrize("names", [["figure4"], [], ["figure1", "figur2"]])
def test_an_unknown_figure_is_refused_with_the_known_ones(names, tmp_path):
    with pytest.raises(ValueError, match="figure1, figure2, figure3, theorems or all: got"):
        run.reproduce(names, out=tmp_path)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("library", ["matplotlib", "plotly"])
def test_a_library_that_is_missing_is_told_before_the_work_not_after_it(library, sketch, monkeypatch, tmp_path):
    monkeypatch.setattr(run, "find_spec", lambda name: None if name == library else name)
    with pytest.raises(ImportError, match=rf"{library}: pip install 'cesaro\[report\]'"):
        run.reproduce(["figure1"], out=tmp_path)
    assert sketch == []


def test_without_torch_the_figure_says_so_in_its_place(monkeypatch, tmp_path):
    for name in ("cesaro.reproduce.networks.figure2", "cesaro.reproduce.networks.training_loop", "torch"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    ordinary = builtins.__import__

    def without_torch(name, *rest, **more):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
        return ordinary(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_torch)
    figure = run.make_figure("figure2", run.make_budget(tmp_path / "runs", quick=True), tmp_path)
    notes = [panel.note for panel in figure.panels]
    assert any("pip install 'cesaro[torch]'" in note for note in notes)
    assert (tmp_path / "figure2.png").exists()


def test_a_broken_module_is_not_taken_for_a_missing_library(monkeypatch, tmp_path):
    def broken(name):
        raise ModuleNotFoundError("No module named 'nonsense'", name="nonsense")

    monkeypatch.setattr(run, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="nonsense"):
        run.make_figure("figure1", run.make_budget(tmp_path, quick=True), tmp_path)


def test_the_command_prints_the_table_and_the_path_of_the_report(small_budget, monkeypatch, tmp_path):
    from typer.testing import CliRunner

    from cesaro.cli import app

    monkeypatch.setattr(run, "make_budget", lambda runs, quick, time_limit: small_budget)
    out = tmp_path / "report"
    shown = CliRunner().invoke(app, ["reproduce", "figure1", "--quick", "--out", str(out)])
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.splitlines()
    assert [cell.strip() for cell in lines[0].split("  ") if cell] == [
        "method on a9a",
        "setting",
        "f - f* after 1",
        "f - f* after 3",
        "f - f* after 10",
        "proved gap after 10",
        "CPU seconds",
    ]
    assert [line.split()[0] for line in lines[2:15]][-2:] == ["SGDClassifier", "LinearSVC"]
    assert len(set(map(len, lines[:15]))) == 1
    assert lines[-1] == f"The report: {out / 'index.html'}"
    assert (out / "index.html").exists()
