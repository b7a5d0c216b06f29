"""DATA in memory and DATA that is fitted from disk give the same."""

import numpy as np
import pytest

from cesaro.cli import sources


@pytest.mark.parametrize("loss", ["hinge", "squared_error"])
def test_a_large_file_is_fitted_from_disk_and_says_the_same(cesaro, loss, tmp_path, monkeypatch):
    path, rng = tmp_path / "rows.svm", np.random.default_rng(0)
    X = rng.integers(-4, 5, size=(300, 5)) / 4
    y = np.sign(X[:, 0] + rng.normal(size=300) + 1e-9)
    lines = (f"{int(t)} " + " ".join(f"{j + 1}:{x}" for j, x in enumerate(row)) for t, row in zip(y, X, strict=True))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked = ["fit", str(path), "--loss", loss, "--test", str(path), "--alpha", "0.01", "--json"]
    held = cesaro(*asked).json
    monkeypatch.setattr(sources, "LARGE", 100)
    from_disk = cesaro(*asked).json
    for name in ("rows", "features", "entries", "epochs"):
        assert from_disk[name] == held[name]
    score = "train_r2" if loss == "squared_error" else "train_accuracy"
    for name in ("objective", "lower_bound", score, score.replace("train", "test")):
        assert from_disk[name] == pytest.approx(held[name], rel=1e-6)


def test_alpha_is_not_searched_on_a_large_file(cesaro, tmp_path, monkeypatch):
    path = tmp_path / "rows.svm"
    path.write_text("1 1:1\n-1 1:-1\n" * 20, encoding="utf-8")
    monkeypatch.setattr(sources, "LARGE", 100)
    ended = cesaro("fit", path, "--alpha", "auto")
    assert ended.code == 2
    assert "too large to search" in ended.err


@pytest.mark.parametrize("largest", [1, 2**28])
def test_a_damaged_table_is_refused(cesaro, tmp_path, monkeypatch, largest):
    pytest.importorskip("pyarrow")
    (tmp_path / "some.parquet").write_bytes(b"PAR1" + bytes(100))
    monkeypatch.setattr(sources, "LARGE", largest)
    ended = cesaro("fit", tmp_path / "some.parquet")
    assert ended.code == 2
    assert "begins as a Parquet file, and is cut off or damaged" in ended.err
