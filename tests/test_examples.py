"""Every script of the gallery runs, without a warning, and draws something."""

import ast
import runpy
from pathlib import Path

import pytest

plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")

SCRIPTS = sorted((Path(__file__).parents[1] / "examples").glob("plot_*.py"))


def imports(script: Path) -> set[str]:
    """The packages that a script imports."""
    tree = ast.walk(ast.parse(script.read_text(encoding="utf-8")))
    names = [alias.name for node in tree if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]
    return {name.split(".")[0] for name in names}


def test_the_gallery_has_its_scripts():
    assert len(SCRIPTS) >= 10


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_runs_and_draws(script, monkeypatch, tmp_path):
    for extra in imports(script) & {"torch", "dask"}:
        pytest.importorskip(extra, reason=f"{extra} is not installed")
    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.extend(plt.get_fignums()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    plt.switch_backend("agg")
    runpy.run_path(str(script))
    assert shown
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_uses_what_is_public(script):
    public = {"cesaro", "cesaro.data", "cesaro.engines.dask", "cesaro.optim", "cesaro.domains", "cesaro.weights"}
    tree = ast.parse(script.read_text(encoding="utf-8"))
    used = {
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module.startswith("cesaro")
    }
    assert used <= public
    assert not [
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and node.attr != "__all__"
    ]
