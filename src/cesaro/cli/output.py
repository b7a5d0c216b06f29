"""What a command shows: facts and tables on stdout, notes and errors on stderr, or one JSON object."""

import json
import math
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDE = 140  # columns, where no terminal says how many there are


def console(stream: Any) -> Console:
    """A console on the stream of this moment; file names are not markup."""
    width = None if stream.isatty() else WIDE
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False, soft_wrap=False)


def note(message: str) -> None:
    """A remark, on stderr."""
    console(sys.stderr).print(Text.assemble(("note: ", "yellow"), message), soft_wrap=True)


def error(message: str, hint: str) -> None:
    """What went wrong and what to do, on stderr."""
    err = console(sys.stderr)
    err.print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)
    err.print(Text.assemble(("hint: ", "bold cyan"), hint), soft_wrap=True)


def title(name: str, facts: str) -> None:
    """The first line of an answer."""
    console(sys.stdout).print(Text.assemble((name, "bold"), (f"  {facts}", "dim")))


def facts(rows: Iterable[tuple[str, Any]]) -> None:
    """Names and values in two columns; an empty name continues the one above."""
    out = console(sys.stdout)
    for name, value in rows:
        out.print(Text.assemble((f"  {name:<12}", "cyan"), value))


def table(*names: str, right: bool = True) -> Table:
    """An empty table; its columns after the first are numbers, if so."""
    empty = Table(box=None, padding=(0, 1), header_style="cyan")
    for place, name in enumerate(names):
        empty.add_column(name, justify="right" if right and place else "left", no_wrap=right)
    return empty


def show(renderable: Any) -> None:
    console(sys.stdout).print(renderable)


def as_json(answer: dict) -> None:
    """One object on one line; what JSON has no word for (inf, nan) is null."""
    sys.stdout.write(json.dumps(_plain(answer), allow_nan=False) + "\n")
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


def percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def count(number: int, thing: str, things: str = "") -> str:
    """1 row, 32,561 rows."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def size(number: float) -> str:
    """Bytes as people say them."""
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def seconds(duration: float) -> str:
    return f"{duration:.2f} s" if duration < 100 else f"{duration / 60:.1f} min"
