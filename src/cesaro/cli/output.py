"""What a command prints: facts and tables on stdout, notes and errors on stderr, or one JSON object."""

import io
import json
import math
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDE = 140  # columns, where no terminal says how many there are


def replace_unprintable_characters() -> None:
    """Where the encoding of a stream has no ✓ or ≤ (consoles of Windows), print a question mark instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def console(stream: Any) -> Console:
    """A console on the stream of this moment; file names are not markup."""
    width = None if stream.isatty() else WIDE
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False, soft_wrap=False)


def print_note(message: str) -> None:
    """A remark, on stderr."""
    console(sys.stderr).print(Text.assemble(("note: ", "yellow"), message), soft_wrap=True)


def print_done(result: dict[str, Any], seconds: float) -> None:
    """The last line, on stderr: what a log should end with."""
    import numpy as np

    gap, epochs = float(np.max(result["relative_gap"])), pluralize(result["epochs"], "epoch")
    proved = f"certified relative gap {gap:.1e}" if math.isfinite(gap) else "no certificate"
    console(sys.stderr).print(Text.assemble(("done: ", "green"), f"{proved}, {epochs}, {format_seconds(seconds)}"))


def print_error(message: str, hint: str | None) -> None:
    """What went wrong and what to do, on stderr."""
    err = console(sys.stderr)
    err.print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)
    if hint is not None:
        err.print(Text.assemble(("hint: ", "bold cyan"), hint), soft_wrap=True)


def print_title(name: str, facts: str) -> None:
    """The first line of a result."""
    console(sys.stdout).print(Text.assemble((name, "bold"), (f"  {facts}", "dim")))


def print_facts(rows: Iterable[tuple[str, Any]]) -> None:
    """Names and values in two columns; an empty name continues the one above."""
    out = console(sys.stdout)
    for name, value in rows:
        out.print(Text.assemble((f"  {name:<12}", "cyan"), value))


def make_table(*names: str, right: bool = True) -> Table:
    """An empty table; its columns after the first are numbers, if so."""
    empty = Table(box=None, padding=(0, 1), header_style="cyan")
    for position, name in enumerate(names):
        empty.add_column(name, justify="right" if right and position else "left", no_wrap=right)
    return empty


def print_renderable(renderable: Any) -> None:
    """A table, on stdout."""
    console(sys.stdout).print(renderable)


def print_json(result: dict[str, Any]) -> None:
    """One object on one line; what JSON has no word for (inf, nan) is null."""
    sys.stdout.write(json.dumps(_plain(result), allow_nan=False) + "\n")
    sys.stdout.flush()


def _plain(value: Any) -> Any:
    """Only what JSON knows: arrays are lists, numbers are finite or null."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, bool | int | str | None) else str(value)  # a path


def format_percent(share: float) -> str:
    """0.5 is 50.00 %."""
    return f"{100 * share:.2f} %"


def pluralize(number: int, thing: str, things: str = "") -> str:
    """1 row, 32,561 rows."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def format_bytes(number: float) -> str:
    """Bytes as people say them."""
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def format_seconds(duration: float) -> str:
    """Seconds, or minutes from 100 seconds on."""
    return f"{duration:.2f} s" if duration < 100 else f"{duration / 60:.1f} min"


def describe_classes(result: dict[str, Any]) -> str:
    """Which labels there are, and how often."""
    names, rows = result.get("classes"), result.get("class_rows", [])
    if names is None:
        return ""
    if len(names) > 4:
        return f", {len(names)} classes"
    shares = (f"{name} ({100 * number / sum(rows):.1f} %)" for name, number in zip(names, rows, strict=True))
    return ", classes " + ", ".join(shares)


def describe_alpha(result: dict[str, Any]) -> str:
    """The value, and how it was found."""
    found = " by cross-validation" if result["alpha_searched"] else ""
    return f"alpha {result['alpha']:.3g}{found}"


def certificate_rows(result: dict[str, Any]) -> list[tuple[str, Any]]:
    """Objective and proved gap; of several one-vs-rest models the range and the worst."""
    import numpy as np

    objective, gap = np.atleast_1d(result["objective"]), np.atleast_1d(result["gap"])
    relative = float(np.max(result["relative_gap"]))
    value = f"{objective[0]:.9g}"
    if len(objective) > 1:
        value = f"{objective.min():.6g} to {objective.max():.6g} in {len(objective)} one-vs-rest models"
    if not np.isfinite(gap).all():
        return [("objective", value), ("gap", Text("nothing is proved yet", style="yellow"))]
    each = " each" if len(objective) > 1 else ""
    words = Text(f"proved: at most {gap.max():.2e} above the optimum{each}", style="bold green")
    asked = f", asked for {result['tol']:.2e}" if result["tol"] > 0.0 else ""
    return [("objective", value), ("gap", words), ("", f"relative {relative:.2e}{asked}")]


def score_rows(result: dict[str, Any]) -> list[tuple[str, Any]]:
    """Accuracy or R² on the rows learned from and on the test rows."""
    accuracy = "train_accuracy" in result
    key, name = ("accuracy", "accuracy") if accuracy else ("r2", "R²")
    rows: list[tuple[str, Any]] = [(name, f"{_format_score(result[f'train_{key}'], accuracy)} on the training rows")]
    if f"test_{key}" in result:
        where = f"{pluralize(result['test_rows'], 'test row')} ({result['test_note']})"
        rows.append(("", Text.assemble((_format_score(result[f"test_{key}"], accuracy), "bold"), f" on {where}")))
    return rows


def _format_score(value: float, accuracy: bool) -> str:
    return format_percent(value) if accuracy else f"{value:.4f}"
