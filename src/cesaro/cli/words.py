"""Numbers as sentences: what several commands say about a model."""

from typing import Any

import numpy as np
from rich.text import Text

from cesaro.cli.output import count, percent


def class_words(answer: dict) -> str:
    """Which labels there are, and how often."""
    names, rows = answer.get("classes"), answer.get("class_rows", [])
    if names is None:
        return ""
    if len(names) > 4:
        return f", {len(names)} classes"
    shares = (f"{name} ({100 * number / sum(rows):.1f} %)" for name, number in zip(names, rows, strict=True))
    return ", classes " + ", ".join(shares)


def alpha_words(answer: dict) -> str:
    found = " by cross-validation" if answer["alpha_searched"] else ""
    return f"alpha {answer['alpha']:.3g}{found}"


def proof_rows(answer: dict) -> list[tuple[str, Any]]:
    """Objective and gap; of several one-vs-rest models the range and the worst."""
    objective, gap = np.atleast_1d(answer["objective"]), np.atleast_1d(answer["gap"])
    relative = float(np.max(answer["relative_gap"]))
    value = f"{objective[0]:.9g}"
    if len(objective) > 1:
        value = f"{objective.min():.6g} to {objective.max():.6g} in {len(objective)} one-vs-rest models"
    if not np.isfinite(gap).all():
        return [("objective", value), ("gap", Text("nothing is proved yet", style="yellow"))]
    each = " each" if len(objective) > 1 else ""
    words = Text(f"proved: at most {gap.max():.2e} above the optimum{each}", style="bold green")
    asked = f", asked for {answer['tol']:.2e}" if answer["tol"] > 0.0 else ""
    return [("objective", value), ("gap", words), ("", f"relative {relative:.2e}{asked}")]


def score_rows(answer: dict) -> list[tuple[str, Any]]:
    """Accuracy or R² on the rows learned from and on the test rows."""
    accuracy = "train_accuracy" in answer
    key, name = ("accuracy", "accuracy") if accuracy else ("r2", "R²")
    rows: list[tuple[str, Any]] = [(name, f"{_score(answer[f'train_{key}'], accuracy)} on the training rows")]
    if f"test_{key}" in answer:
        where = f"{count(answer['test_rows'], 'test row')} ({answer['test_note']})"
        rows.append(("", Text.assemble((_score(answer[f"test_{key}"], accuracy), "bold"), f" on {where}")))
    return rows


def _score(value: float, accuracy: bool) -> str:
    return percent(value) if accuracy else f"{value:.4f}"
