"""What the package says of itself is true: its version, its types, and what it needs to be installed."""

import ast
import importlib.metadata
import re
import sys
from pathlib import Path

import pytest
from lower_bounds import PROJECT, bounded, lowest
from packaging.requirements import Requirement

import cesaro

ROOT = Path(cesaro.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
IMPORTED_AS = {"scikit-learn": "sklearn"}  # where the name on PyPI is another
ALREADY_THERE = {"IPython"}  # imported only in a notebook, which runs in it
CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"
NEEDED = [Requirement(line) for line in PROJECT["dependencies"]]
OPTIONAL = {extra: [Requirement(line) for line in lines] for extra, lines in PROJECT["optional-dependencies"].items()}


def module_of(requirement: Requirement) -> str:
    """The name under which a requirement is imported."""
    return IMPORTED_AS.get(requirement.name, requirement.name)


def imports(tree: ast.AST) -> set[str]:
    """The other packages that are imported in a tree, by their first names."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name.split(".")[0] for name in names} - {"cesaro"} - set(sys.stdlib_module_names)


def imported() -> dict[str, list[str]]:
    """The packages that src/ imports, and where."""
    found: dict[str, list[str]] = {}
    for path in FILES:
        for name in imports(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(name, []).append(str(path.relative_to(ROOT)))
    return found


def test_the_version_is_the_installed_one():
    try:
        installed = importlib.metadata.version("cesaro")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("cesaro is on the path, not installed")
    assert installed == cesaro.__version__


def test_the_version_stands_in_one_place():
    assert PROJECT["dynamic"] == ["version"]
    again = [path.name for path in FILES if re.search(r"^__version__ *=", path.read_text(encoding="utf-8"), re.M)]
    assert again == ["version.py"]


def test_the_types_are_for_everybody():
    assert (ROOT / "py.typed").exists()


def test_everything_that_is_imported_is_declared_and_the_other_way_round():
    runtime = {extra: kinds for extra, kinds in OPTIONAL.items() if extra not in ("test", "docs", "frameworks")}
    declared = {module_of(each) for each in [*NEEDED, *(each for kinds in runtime.values() for each in kinds)]}
    found = imported()
    assert len(found) > 10
    assert {name: places for name, places in found.items() if name not in declared | ALREADY_THERE} == {}
    assert declared - set(found) == set()


def test_what_needs_an_extra_is_imported_when_it_is_used_or_in_the_package_of_that_extra():
    extras = {module_of(each) for kinds in OPTIONAL.values() for each in kinds} - {module_of(each) for each in NEEDED}
    at_once = {}
    for path in FILES:
        body = ast.parse(path.read_text(encoding="utf-8")).body
        top = ast.Module([node for node in body if isinstance(node, ast.Import | ast.ImportFrom)], [])
        at_once[path.relative_to(ROOT).as_posix()] = imports(top) & extras
    assert any(at_once.values())
    allowed = ("optim/", "engines/", "reproduce/")
    assert {place: names for place, names in at_once.items() if names and not place.startswith(allowed)} == {}


@pytest.mark.parametrize("requirement", bounded(), ids=str)
def test_every_dependency_has_one_lower_bound_and_the_tested_version_keeps_it(requirement):
    assert lowest(requirement)
    pinned = dict(
        line.split("#")[0].strip().split("==") for line in CONSTRAINTS.read_text().splitlines() if "==" in line
    )
    assert requirement.specifier.contains(pinned[requirement.name])


def test_the_hooks_have_no_versions_of_their_own():
    hooks = (CONSTRAINTS.parent / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert "entry: make check" in hooks
    assert "rev:" not in hooks
