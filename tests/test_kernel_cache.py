"""Compiled kernels are kept where that can be done; where it cannot, or what was kept is damaged, they are compiled anew."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cesaro

FIT = """
import sys, warnings
if len(sys.argv) > 1:
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
import numpy as np
from cesaro.compiled.flags import KERNEL
from cesaro.linear.problem import row_order
order = np.arange(50, dtype=np.uint32)
row_order.shuffled_in_place(order, 3)
assert sorted(order) == list(range(50)), order
print(*order)
"""


def run(package, *arguments, **environment):
    env = os.environ | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    done = subprocess.run([sys.executable, "-c", FIT, *arguments], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def elsewhere(tmp_path):
    """The package without anything compiled, and the folder that it lies in."""
    ignored = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc", "*.xz")
    shutil.copytree(Path(cesaro.__file__).parent, tmp_path / "lib" / "cesaro", ignore=ignored)
    return tmp_path / "lib"


def nowhere(package):
    """An environment in which Numba finds no folder for a package like this one: files lie where folders should be."""
    for folder in [package / "cesaro", *(package / "cesaro").rglob("*")]:
        if folder.is_dir():
            (folder / "__pycache__").write_text("")
    (package / "home").write_text("")
    return {"HOME": str(package / "home"), "XDG_CACHE_HOME": str(package / "home"), "NUMBA_CACHE_DIR": ""}


@pytest.mark.skipif(os.name != "posix", reason="homes are elsewhere")
def test_where_nothing_can_be_written_the_import_works_with_one_warning(elsewhere):
    numbers, said = run(elsewhere, **nowhere(elsewhere))
    assert said.count("RuntimeWarning: compiled kernels cannot be kept") == 1
    assert "NUMBA_CACHE_DIR" in said
    assert len(numbers.split()) == 50


@pytest.mark.parametrize("damage", ["cut", "other", "empty"])
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_damaged_files_are_made_again(kind, damage, elsewhere, tmp_path):
    kept = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    first, said = run(elsewhere, **kept)
    assert said == ""
    files = list((tmp_path / "kept").rglob(f"*.{kind}"))
    assert files
    for file in files:
        content = file.read_bytes()
        file.write_bytes({"cut": content[: len(content) // 2], "other": b"not a pickle", "empty": b""}[damage])
    again, said = run(elsewhere, **kept)
    assert again == first
    assert said.count("RuntimeWarning: compiled kernels cannot be read") == 1
    assert run(elsewhere, **kept) == (first, "")


@pytest.mark.skipif(os.name != "posix", reason="needs limits of a process")
def test_a_full_disk_is_a_warning(elsewhere, tmp_path):
    numbers, said = run(elsewhere, "100", NUMBA_CACHE_DIR=str(tmp_path / "kept"))
    assert said.count("RuntimeWarning: compiled kernels cannot be written") == 1
    assert len(numbers.split()) == 50


def test_functions_of_others_keep_numbas_own_cache():
    from numba import njit
    from numba.core.caching import FunctionCache

    from cesaro.compiled.kernel_cache import KernelCache
    from cesaro.linear.problem.row_order import shuffle_parts

    assert type(njit(cache=True)(run)._cache) is FunctionCache
    assert type(shuffle_parts._cache) is KernelCache
