"""Pictures are made from the numbers alone."""

import pytest

from cesaro.reproduce.results import Figure, Panel, Series

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install cesaro[report]")

from cesaro.reproduce.report import drawing


def made(**change):
    x = {"epochs": [1.0, 10.0, 100.0], "seconds": [0.1, 1.0, 10.0]}
    lines = (
        Series("GDA", x, [1.0, 0.1, 0.01], [0.5, 0.05, 0.005], [2.0, 0.2, 0.02]),
        Series("default solver", x, [0.1, 0.01, 0.001], [0.1, 0.01, 0.001], [0.1, 0.01, 0.001], dashed=True),
    )
    panels = (
        Panel("a9a", "f(w) - f*", lines, log_x=True, log_y=True),
        Panel("w8a", "f(w) - f*", note="w8a is not here."),
    )
    return Figure(**{"name": "sketch", "title": "A sketch", "caption": "", "panels": panels} | change)


def words(figure, monkeypatch, tmp_path):
    """All text on the drawing."""
    from matplotlib.figure import Figure as Canvas

    seen = []
    monkeypatch.setattr(Canvas, "savefig", lambda canvas, path, **_: seen.append(canvas))
    drawing.draw(figure, tmp_path)
    return [text.get_text() for text in seen[0].findobj(matplotlib.text.Text) if text.get_text()]


def test_a_figure_is_drawn_as_pdf_and_png_and_always_the_same(tmp_path):
    paths = drawing.draw(made(), tmp_path)
    assert [path.name for path in paths] == ["sketch.pdf", "sketch.png"]
    first = [path.read_bytes() for path in paths]
    assert first[0].startswith(b"%PDF")
    assert first[1].startswith(b"\x89PNG")
    assert [path.read_bytes() for path in drawing.draw(made(), tmp_path)] == first


def test_a_drawing_from_the_saved_numbers_is_the_drawing_from_fresh_ones(tmp_path):
    fresh = [path.read_bytes() for path in drawing.draw(made(), tmp_path / "fresh")]
    saved = Figure.load(made().save(tmp_path))
    assert [path.read_bytes() for path in drawing.draw(saved, tmp_path / "saved")] == fresh


def test_other_numbers_give_another_drawing(tmp_path):
    changed = made(
        panels=(
            Panel("a9a", "f(w) - f*", (Series("GDA", {"epochs": [1.0, 2.0]}, [3.0, 4.0], [3.0, 4.0], [3.0, 4.0]),)),
        )
    )
    fresh = drawing.draw(made(), tmp_path / "one")[1].read_bytes()
    assert drawing.draw(changed, tmp_path / "other")[1].read_bytes() != fresh


def test_what_is_missing_or_shortened_is_written_on_the_drawing(monkeypatch, tmp_path):
    found = words(made(shortened=("30 epochs instead of 100",)), monkeypatch, tmp_path)
    assert "w8a is not here." in found
    assert "Shortened: 30 epochs instead of 100." in found


def test_panels_below_each_other_have_one_y_axis_where_the_figure_asks_for_it(monkeypatch, tmp_path):
    from matplotlib.figure import Figure as Canvas

    limits = {}
    line = made().panels[0]
    lower = Series("GDA", {"epochs": [1.0, 10.0]}, [1e-5, 1e-6], [1e-5, 1e-6], [1e-5, 1e-6])
    two = (line, Panel("below", "f(w) - f*", (lower,), log_y=True))
    for shared in (True, False):
        axes = limits.setdefault(shared, [])
        monkeypatch.setattr(Canvas, "savefig", lambda canvas, path, axes=axes, **_: axes.extend(canvas.axes))
        drawing.draw(made(panels=two, columns=1, shared_y=shared), tmp_path)
    above, below = (limits[True][k].get_ylim() for k in (0, 1))
    assert above == below
    assert below[0] < 1e-6 < 2.0 < above[1]
    assert limits[False][0].get_ylim() != limits[False][1].get_ylim()


def test_every_method_is_in_the_legend_once(monkeypatch, tmp_path):
    figure = made()
    found = words(made(panels=(figure.panels[0],) * 3), monkeypatch, tmp_path)
    assert found.count("GDA") == found.count("default solver") == 1
