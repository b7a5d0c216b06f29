"""The examples in the docstrings run and print what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

import cesaro

ROOT = Path(cesaro.__file__).parent
EXTRAS = {"optim": "torch", "engines": "dask", "reproduce": "matplotlib"}
WITH_EXAMPLES = [
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    for path in sorted(ROOT.rglob("*.py"))
    if ">>> " in path.read_text()
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_print_what_they_say(name):
    if extra := EXTRAS.get(name.split(".")[1]):
        pytest.importorskip(extra, reason=f"{extra} is not installed")
    module = importlib.import_module(name.removesuffix(".__init__"))
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert found.attempted > 0
    assert found.failed == 0
