"""The table of the guide is what the committed runs say."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("schedulefree")

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "networks.md"
VERDICT = {  # the rows of the guide's first table
    "`averaged_adamw`": "Averaged(AdamW), ahead 2",
    "AdamW, cosine": "AdamW, cosine, beta2 0.99",
    "AdamW, linear decay": "AdamW, linear, beta2 0.99",
    "AdamW, WSD": "AdamW, WSD, beta2 0.99",
    "AdamW, EMA": "AdamW, EMA, beta2 0.99",
    "NAdam, WSD": "NAdam, WSD, beta2 0.99",
    "AdamWScheduleFree": "AdamWScheduleFree, beta 0.9",
    "Muon, WSD": "Muon, WSD, beta2 0.99",
}


def test_the_table_of_the_guide_is_that_of_the_runs(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "optim")
    import train_cifar

    table = train_cifar.table(train_cifar.RESULTS / "20000x10x128", seeds=3)
    for name in ("contenders", "train_cifar"):
        sys.modules.pop(name)
    assert table.count("\n") >= 8
    assert table in GUIDE.read_text(encoding="utf-8")


def test_the_table_of_the_transformer_is_that_of_the_runs(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "optim")
    import switch_text
    import train_text

    assert switch_text.table() in GUIDE.read_text(encoding="utf-8")
    tables = [train_text.table(steps, seeds=3) for steps in (1000, 5000)]
    for name in ("text_task", "text_contenders", "train_text", "switch_text"):
        sys.modules.pop(name)
    for table in tables:
        assert table.count("\n") >= 4
        assert table in GUIDE.read_text(encoding="utf-8")
    for shown, name in VERDICT.items():
        losses = [losses_of(table)[name] for table in tables]
        assert f"| {shown} | {' | '.join(losses)} |" in GUIDE.read_text(encoding="utf-8")


def losses_of(table):
    """The mean loss of each row, as printed."""
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    return {row[0].strip("| *"): row[2].split(" ")[0] for row in rows}


@pytest.mark.slow
def test_the_contenders_on_the_transformer_train(monkeypatch):
    """Every contender takes steps, and the task is learnt."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "optim")
    import text_task
    import train_text

    monkeypatch.setattr(text_task, "EVALUATED", 1)
    found = [train_text.train(contender, 12, contender.guess, seed=0) for contender in train_text.CONTENDERS]
    for name in ("text_task", "text_contenders", "train_text"):
        sys.modules.pop(name)
    assert len(found) >= 12
    assert all(run["validation"] < 4.5 for run in found)
