"""The tree keeps its promises: who imports whom, how long files and functions are, and what `import cesaro` costs."""

import ast
import importlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import cesaro

ROOT = Path(cesaro.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
GROUND = {"weights", "domains", "losses", "dual_form", "outputs", "vectors", "docstrings"}
LINEAR = {f"linear.{part}" for part in ("problem", "bounds", "solvers", "model_selection", "out_of_core", "estimators")}

# What each part may import beside itself. A part that is not named here is a mistake: the map is complete.
MAY_IMPORT: dict[str, set[str]] = {
    **dict.fromkeys(GROUND, GROUND),
    "docstrings": set(),
    "methods": GROUND,
    "certificate": GROUND | {"methods"},
    "oracle": set(),
    "trace": set(),
    "arguments": GROUND | {"methods", "certificate", "oracle", "trace"},
    "minimization": GROUND | {"methods", "certificate", "oracle", "trace", "arguments"},
    "comparison": GROUND | {"methods", "certificate", "oracle", "trace", "arguments", "minimization"},
    "compiled": set(),
    "storage": {"compiled", "version"},
    "data": {"docstrings", "compiled", "storage"},
    "linear.problem": {"losses", "dual_form", "compiled"},
    "linear.bounds": {"losses", "dual_form", "compiled", "linear.problem"},
    "linear.solvers": {"losses", "dual_form", "weights", "compiled", "storage", "linear.problem", "linear.bounds"},
    "linear.model_selection": {"losses", "dual_form", "compiled", "linear.problem", "linear.bounds", "linear.solvers"},
    "linear.out_of_core": {"compiled", "storage", "data", "linear.problem"},
    "linear.estimators": {"docstrings", "losses", "weights", "compiled", "storage", "version"} | LINEAR,
    "linear": {"linear.estimators", "linear.problem"},
    "engines": {"docstrings", "losses", "compiled", "storage", "data", "linear", "version"} | LINEAR,
    "optim": {"docstrings", "weights", "compiled"},
    "reproduce": {
        *GROUND,
        "methods",
        "certificate",
        "minimization",
        "comparison",
        "data",
        "linear",
        "optim",
        "storage",
        *LINEAR,
    },
    "cli": {"data", "linear", "storage", "reproduce", "losses", "weights", "cesaro", *LINEAR},
    "cesaro": {
        *GROUND,
        "methods",
        "comparison",
        "minimization",
        "linear",
        "linear.estimators",
        "linear.problem",
        "storage",
        "version",
    },
    "version": set(),
}


def part_of(dotted: str) -> str:
    """The part of the tree that a module below cesaro belongs to."""
    names = dotted.split(".")
    if not dotted:
        return "cesaro"
    return ".".join(names[:2]) if names[0] == "linear" and len(names) > 1 else names[0]


@cache
def imports(path: Path) -> frozenset[str]:
    """The modules of cesaro that a file imports, wherever in it, as dotted names below cesaro."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {
                alias.name.removeprefix("cesaro").lstrip(".")
                for alias in node.names
                if alias.name.split(".")[0] == "cesaro"
            }
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            if (node.module or "").split(".")[0] != "cesaro":
                continue
            below = (node.module or "").removeprefix("cesaro").lstrip(".")
            for alias in node.names:
                full = f"{below}.{alias.name}".lstrip(".")
                is_module = (ROOT / full.replace(".", "/")).is_dir() or (ROOT / f"{full.replace('.', '/')}.py").exists()
                found.add(full if is_module else below)
    return frozenset(found)


def name_of(path: Path) -> str:
    """A file as a dotted name below cesaro; of a package, the package."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix("__init__").rstrip(".")


def test_there_are_files_to_check():
    assert len(FILES) > 100
    assert {part_of(name_of(path)) for path in FILES} == set(MAY_IMPORT)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_what_its_part_may(path):
    part = part_of(name_of(path))
    assert {part_of(name) for name in imports(path)} - {part} <= MAY_IMPORT[part]


def test_no_two_parts_import_each_other():
    graph: dict[str, set[str]] = {part: set() for part in MAY_IMPORT}
    for path in FILES:
        part = part_of(name_of(path))
        graph[part] |= {part_of(name) for name in imports(path)} - {part}
    assert sum(map(len, graph.values())) > 50
    done: set[str] = set()
    while ready := {part for part in graph if part not in done and graph[part] <= done}:
        done |= ready
    # the package itself and the command line name what they offer on first use
    assert set(graph) - done <= {"cesaro", "cli"}, {part: graph[part] - done for part in set(graph) - done}


def test_import_cesaro_loads_nothing_heavy():
    code = "import sys, cesaro; print([m for m in ('numba', 'sklearn', 'matplotlib', 'torch', 'dask') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_parts_are_there_by_their_names_after_import_cesaro():
    code = "import cesaro; print(cesaro.data.load.__name__, cesaro.linear.__name__, cesaro.engines.__name__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["load", "cesaro.linear", "cesaro.engines"]


INTERFACE = {  # names that several modules define because they mean the same there
    "State": "of a method: what `step` takes and returns",
    "GDA": "the method, and the optimiser that is the method",
    "SCPDA": "likewise",
    "solve": "a problem by one solver: problem, settings, start, report, slot",
    "run": "a figure of the paper, as numbers",
    "draw": "a figure, as pictures",
    "run_epoch": "one epoch of a solver",
    "mean_square": "mean |x|^2",
    "scatter": "+= delta x_i",
    "blocks": "rows of a file, a block at a time",
    "load": "a data set by name, a model from a file: public",
}
MODULES = {  # names of a module and of what another module defines
    "compare": "the command, and the function",
    "dual_form": "DualForm, and the function that asks a loss for its own",
    "elastic_net": "the kernel, and the choice of it",
    "run": "the state of the loop of minimize, all the figures, and one",
    "solve": "the loop of minimize, and the solvers of the linear models",
}
KERNEL_LINES, FUNCTION_LINES, MODULE_LINES = 80, 60, 250


def definitions(path: Path) -> set[str]:
    """Classes and public functions of a module."""
    found = ast.parse(path.read_text(encoding="utf-8")).body
    functions = {each.name for each in found if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    return {each.name for each in found if isinstance(each, ast.ClassDef)} | {f for f in functions if f[0] != "_"}


def homes() -> dict[str, set[str]]:
    """The modules that define a name."""
    found: dict[str, set[str]] = {}
    for path in FILES:
        for name in definitions(path):
            found.setdefault(name, set()).add(name_of(path))
    assert len(found) > 500
    return found


def test_no_two_things_have_one_name():
    twice = {name: modules for name, modules in homes().items() if len(modules) > 1}
    assert {name: modules for name, modules in twice.items() if name not in INTERFACE} == {}
    assert set(INTERFACE) <= set(twice), "these are explained and need not be"


def test_no_thing_has_the_name_of_a_module_that_is_not_its_home():
    modules: dict[str, set[str]] = {}
    for name in map(name_of, FILES):
        modules.setdefault(name.rpartition(".")[2], set()).add(name)
    found = {}
    for name, where in homes().items():
        own = any(f"{home}.".startswith(f"{module}.") for home in where for module in modules.get(name, ()))
        if name in modules and not own:
            found[name] = where | modules[name]
    assert set(found) == set(MODULES), found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_and_functions_are_short(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= MODULE_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            words = ast.get_docstring(node, clean=False)
            lines = node.end_lineno - node.lineno + 1 - (words.count("\n") + 1 if words else 0)
            kernel = any("njit" in ast.unparse(each) for each in node.decorator_list)
            assert lines <= (KERNEL_LINES if kernel else FUNCTION_LINES), node.name


def test_private_names_of_scikit_learn_are_imported_in_one_module():
    """sklearn_compat says of each what it is for: when one moves or goes, that is the file to change."""
    found: dict[str, set[str]] = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sklearn":
                inside = any(part.startswith("_") for part in node.module.split("."))
                names = {alias.name for alias in node.names if inside or alias.name.startswith("_")}
                if names:
                    found.setdefault(name_of(path), set()).update(names)
            elif isinstance(node, ast.Attribute) and node.attr in ("_validate_params", "_init_callback_context"):
                found.setdefault(name_of(path), set()).add(node.attr)
    (module,) = found
    assert module == "linear.estimators.sklearn_compat"
    explained = importlib.import_module(f"cesaro.{module}").__doc__
    assert found[module]
    for name in found[module]:
        assert name in explained, f"{name}: say what it is for"
