"""The tree keeps its promises: who imports whom, and what `import cesaro` costs."""

import ast
import subprocess
import sys
from pathlib import Path

import cesaro

ROOT = Path(cesaro.__file__).parent
GROUND = {"weights", "domains", "losses", "outputs", "vectors"}


def imports(path):
    """The parts of cesaro that a file imports, by their first name below cesaro."""
    package = path.relative_to(ROOT).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("cesaro.")}
        if isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            module = (node.module or "").split(".") if node.module else []
            if not node.level:
                if not module or module[0] != "cesaro":
                    continue
                module = module[1:]
            full = [*base, *module]
            found |= {full[0]} if full else {alias.name for alias in node.names}
    return found


def test_the_ground_imports_only_itself():
    for name in GROUND:
        assert imports(ROOT / f"{name}.py") <= GROUND


def test_methods_import_only_the_ground():
    for path in (ROOT / "methods").glob("*.py"):
        assert imports(path) <= GROUND | {"methods"}


def test_the_certificate_knows_the_methods_and_the_loop_knows_both():
    assert imports(ROOT / "certificate.py") <= GROUND | {"methods"}
    for name in ("certificate", "oracle", "trace", "door"):
        assert not imports(ROOT / f"{name}.py") & {"solve", "comparison", "linear", "reproduce"}


def test_methods_and_kernels_never_meet():
    for path in (ROOT / "linear").glob("*.py"):
        assert "methods" not in imports(path), path
    for path in (ROOT / "methods").glob("*.py"):
        assert "linear" not in imports(path), path


def test_import_cesaro_loads_nothing_heavy():
    code = "import sys, cesaro; print([m for m in ('numba', 'sklearn', 'matplotlib', 'torch', 'dask') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_parts_are_there_by_their_names_after_import_cesaro():
    code = "import cesaro; print(cesaro.data.load.__name__, cesaro.linear.__name__, cesaro.engines.__name__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["load", "cesaro.linear", "cesaro.engines"]
