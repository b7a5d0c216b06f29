"""The table of the guide is what the committed runs say."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("schedulefree")

ROOT = Path(__file__).parents[2]


def test_the_table_of_the_guide_is_that_of_the_runs(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "optim")
    import train_cifar

    table = train_cifar.table(train_cifar.RESULTS / "20000x10x128", seeds=3)
    for name in ("contenders", "train_cifar"):
        sys.modules.pop(name)
    assert table.count("\n") >= 8
    assert table in (ROOT / "docs" / "networks.md").read_text(encoding="utf-8")
