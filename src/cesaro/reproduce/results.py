"""What an experiment leaves behind: numbers and words, never pictures. Drawings and the report are made from these alone."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cesaro.storage.atomic_write import whole_file

NO_TORCH = "Not run: torch is not installed. pip install 'cesaro[torch]', then run again."


@dataclass(frozen=True)
class Series:
    """One line: a method, its mean and its spread over the seeds, against one or more axes."""

    method: str
    x: dict[str, list[float]]  # axis -> positions, such as "epochs" and "seconds"
    mean: list[float]
    low: list[float]
    high: list[float]
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    """One drawing: several lines over the same axes; where the data cannot be had there are none, and `note` says so."""

    title: str
    y_label: str
    series: tuple[Series, ...] = ()
    log_x: bool = False
    log_y: bool = False
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and what became of it here."""

    paper: str
    measured: str
    verdict: str  # "reproduced", "partly", "not"


def verdict(holds: list[bool], partly: bool = False) -> str:
    """Of a claim in several parts: all of them hold, some, or none."""
    if all(holds):
        return "reproduced"
    return "partly" if any(holds) or partly else "not"


def rounded(values: Iterable[float]) -> list[float]:
    """To six significant digits."""
    return [float(f"{value:.6g}") for value in values]


@dataclass(frozen=True)
class Figure:
    """One figure: its panels, the claims about it, and what was shortened."""

    name: str  # also the name of its files: figure1, figure2, ...
    title: str
    caption: str
    panels: tuple[Panel, ...]
    claims: tuple[Claim, ...] = ()
    shortened: tuple[str, ...] = ()  # what was skipped or made smaller; drawn on the figure itself
    columns: int = 2  # panels side by side
    shared_y: bool = False  # panels below each other have the same y axis
    table: tuple[tuple[str, ...], ...] = ()  # numbers in words beside the drawing: a header, then rows

    def save(self, folder: Path) -> Path:
        """Write `name`.json."""
        return write_json(folder / f"{self.name}.json", asdict(self))

    @classmethod
    def load(cls, path: Path) -> "Figure":
        """Read what `save` has written."""
        known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        panels = tuple(
            Panel(**{**panel, "series": tuple(Series(**series) for series in panel["series"])})
            for panel in known["panels"]
        )
        claims = tuple(Claim(**claim) for claim in known["claims"])
        words = {"shortened": tuple(known["shortened"]), "table": tuple(tuple(row) for row in known["table"])}
        return cls(**{**known, "panels": panels, "claims": claims, **words})


def write_json(path: Path, numbers: Any) -> Path:
    """As JSON, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(f"{json.dumps(numbers, indent=1)}\n".encode())
    return path


def load_or_compute(path: Path, settings: dict[str, Any], compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The numbers of one run: loaded from `path` if a run with these settings has saved them, else computed and saved."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        if known["settings"] == settings:
            numbers: dict[str, Any] = known["numbers"]
            return numbers
    except (FileNotFoundError, ValueError, KeyError, TypeError):  # none, or damaged: it is computed again
        pass
    numbers = compute()
    write_json(path, {"settings": settings, "numbers": numbers})
    return numbers
