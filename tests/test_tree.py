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
        if isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            module = (node.module or "").split(".") if node.module else []
            if not node.level:
                if not module or module[0] != "cesaro":
                    continue
                module = module[1:]
            full = [*base, *module] or [alias.name for alias in node.names][:1]
            found.add(full[0])
    return found


def test_the_ground_imports_only_itself():
    for name in GROUND:
        assert imports(ROOT / f"{name}.py") <= GROUND


def test_methods_import_only_the_ground():
    for path in (ROOT / "methods").glob("*.py"):
        assert imports(path) <= GROUND | {"methods"}


def test_methods_and_kernels_never_meet():
    for path in (ROOT / "linear").glob("*.py"):
        assert "methods" not in imports(path), path
    for path in (ROOT / "methods").glob("*.py"):
        assert "linear" not in imports(path), path


def test_import_cesaro_loads_nothing_heavy():
    code = "import sys, cesaro; print([m for m in ('numba', 'sklearn', 'matplotlib', 'torch', 'dask') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
