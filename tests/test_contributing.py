"""CONTRIBUTING.md is true of the tree: every file and name that it gives is there, and every package is on its map."""

import ast
import re
from functools import cache
from itertools import takewhile
from pathlib import Path

import pytest

import cesaro

ROOT = Path(__file__).resolve().parent.parent
SRC = Path(cesaro.__file__).parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PLACEHOLDERS = {"methods/name.py"}  # what the reader will write
PATHS = [path for path in re.findall(r"`([\w/]+\.(?:py|md))`", TEXT) if path not in PLACEHOLDERS]
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n)+)", TEXT, re.MULTILINE))


def files_of(path: str) -> list[Path]:
    """The files that a path means: from the root of the project, or the end of one below src/cesaro."""
    inside = [each for each in SRC.rglob("*.py") if f"/{each.relative_to(SRC).as_posix()}".endswith(f"/{path}")]
    return inside + [ROOT / path] * (ROOT / path).is_file()


@cache
def names_of(file: Path) -> set[str]:
    """What a file defines: functions, classes, their methods as `Class.method`, fields and constants."""
    found: set[str] = set()

    def collect(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.update((node.name, prefix + node.name))
            if isinstance(node, ast.ClassDef):
                collect(node.body, f"{node.name}.")
            for target in getattr(node, "targets", [getattr(node, "target", None)]):
                if isinstance(target, ast.Name):
                    found.update((target.id, prefix + target.id))

    collect(ast.parse(file.read_text(encoding="utf-8")).body, "")
    return found


def pairs() -> list[tuple[str, str]]:
    """Files, and the names that the text says are in them."""
    after = re.findall(r"`([\w/]+\.py)`[:,] `([\w.]+)`", TEXT)
    before = [(path, name) for name, path in re.findall(r"`([\w.]+)` in `([\w/]+\.py)`", TEXT)]
    return [pair for pair in after + before if not pair[1].endswith(".py")]


def on_the_map() -> list[str]:
    """Files and folders of the map, from the root."""
    found, above = [], [(-1, "")]
    for line in SECTIONS["The map"].splitlines():
        if not line.startswith("    ") or "<-" in line:
            continue
        tokens = line.split()
        here = list(takewhile(lambda token: token.endswith(("/", ".py")), tokens))
        depth, words = len(line) - len(line.lstrip()), " ".join(tokens[len(here) :])
        while above[-1][0] >= depth:
            above.pop()
        here = [above[-1][1] + name for name in here]
        found += here + [here[0] + name for name in re.findall(r"\b\w+\.py\b", words) if here[0].endswith("/")]
        above.append((depth, here[0]))
    return found


def test_there_is_something_to_check():
    assert len(PATHS) > 40
    assert len(pairs()) > 12
    assert len(on_the_map()) > 30
    assert len(SECTIONS) >= 4


@pytest.mark.parametrize("path", sorted(set(PATHS)))
def test_a_file_that_is_named_is_there(path):
    assert files_of(path)


@pytest.mark.parametrize(("path", "name"), pairs())
def test_a_name_is_in_the_file_that_it_is_said_to_be_in(path, name):
    assert any(name in names_of(file) for file in files_of(path)), f"{name} is not in {path}"


def test_a_name_without_a_file_is_somewhere_in_the_package():
    names = set(re.findall(r"`([A-Za-z_]+(?:\.[A-Za-z_]+)*)(?:\(.*?\).*?)?`", TEXT)) - {"src", "v"}
    known = {part for file in SRC.rglob("*.py") for part in (file.stem, file.parent.name, *names_of(file))}
    assert len(names) > 40
    assert {name for name in names if not name.endswith(".py") and name.rpartition(".")[2] not in known} == set()


@pytest.mark.parametrize("name", on_the_map())
def test_what_is_on_the_map_is_in_the_tree(name):
    assert (ROOT / name).exists()


def test_every_package_is_on_the_map():
    listed = {name.rstrip("/") for name in on_the_map()}
    packages = [SRC, SRC / "linear", SRC / "linear" / "solvers"]
    folders = {each for package in packages for each in package.iterdir() if (each / "__init__.py").is_file()}
    assert len(folders) > 20
    assert {f"src/cesaro/{folder.relative_to(SRC).as_posix()}" for folder in folders} <= listed


def test_the_path_from_fit_to_a_kernel_can_be_followed():
    """Five files, each of which has the function that is named and calls that of the next."""
    steps = re.findall(r"^\d\. `([\w/]+\.py)`, `(\w+)`", SECTIONS["The path of data"], re.MULTILINE)
    files = [SRC / "linear" / path for path, _ in steps]
    names = [name for _, name in steps]
    assert len(set(files)) == 5
    for file, name, following in zip(files, names, [*names[1:], None], strict=True):
        tree = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        assert name in {node.name for node in tree if isinstance(node, ast.FunctionDef)}
        called = {
            getattr(each.func, "attr", getattr(each.func, "id", "")) for each in tree if isinstance(each, ast.Call)
        }
        assert following is None or following in called
