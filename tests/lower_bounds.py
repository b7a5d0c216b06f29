"""The lowest versions that pyproject.toml promises, as constraints for pip: what `make test-oldest` installs."""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = ("dask", "report", "tables", "theorems")  # not torch, which is large
OF_THE_TIME = (
    "click<8.3",
    "pyparsing<3.3",
    "pytest<9",
)  # later ones warn about typer, matplotlib and scikit-learn's tests


def bounded(extras: tuple[str, ...] = EXTRAS) -> list[Requirement]:
    """The dependencies, and those of the extras."""
    optional = PROJECT["optional-dependencies"]
    return [Requirement(line) for line in [*PROJECT["dependencies"], *(line for e in extras for line in optional[e])]]


def lowest(requirement: Requirement) -> str:
    """name==version, from the one lower bound of a requirement."""
    (version,) = [each.version for each in requirement.specifier if each.operator == ">="]
    return f"{requirement.name}=={version}"


if __name__ == "__main__":
    print("\n".join([*map(lowest, bounded()), *OF_THE_TIME]))
