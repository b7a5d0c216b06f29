"""The lowest versions that pyproject.toml promises, as constraints for pip: what `make test-oldest` installs."""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = ("dask", "report", "parquet", "theorems")  # torch is large, and its own suite is not about versions


def lower_bounds() -> list[str]:
    """One line for each dependency: name==lowest."""
    declared = [
        *PROJECT["dependencies"],
        *(line for extra in EXTRAS for line in PROJECT["optional-dependencies"][extra]),
    ]
    return [
        f"{name}=={lowest(specifier)}"
        for name, specifier in ((r.name, r.specifier) for r in map(Requirement, declared))
    ]


def lowest(specifier) -> str:
    """The version of a specifier's >=; there is exactly one."""
    (bound,) = [each.version for each in specifier if each.operator == ">="]
    return bound


if __name__ == "__main__":
    print("\n".join(lower_bounds()))
