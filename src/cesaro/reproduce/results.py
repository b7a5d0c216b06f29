"""What an experiment leaves behind: numbers and words, never pictures. Drawings and the report are made from these alone."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


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


@dataclass(frozen=True)
class Figure:
    name: str  # also the name of its files: figure1, figure2, ...
    title: str
    caption: str
    panels: tuple[Panel, ...]
    claims: tuple[Claim, ...] = ()
    shortened: tuple[str, ...] = ()  # what was skipped or made smaller; drawn on the figure itself

    def save(self, folder: Path) -> Path:
        """Write `name`.json, whole or not at all."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        part = path.with_suffix(".part")
        part.write_text(json.dumps(asdict(self), indent=1) + "\n")
        os.replace(part, path)
        return path

    @classmethod
    def load(cls, path: Path) -> "Figure":
        known: dict[str, Any] = json.loads(path.read_text())
        panels = tuple(
            Panel(**{**panel, "series": tuple(Series(**series) for series in panel["series"])})
            for panel in known["panels"]
        )
        claims = tuple(Claim(**claim) for claim in known["claims"])
        return cls(**{**known, "panels": panels, "claims": claims, "shortened": tuple(known["shortened"])})
