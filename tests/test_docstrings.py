"""Every public class, method and function says its parameters and what it returns, in numpydoc's form.

An override without a docstring has that of its interface, as in help(). Properties and constants need a line at most.
"""

import importlib
import inspect
from importlib.util import find_spec
from types import FunctionType, ModuleType

import pytest
from numpydoc.validate import validate

MODULES = [
    "",
    "linear",
    "methods",
    "domains",
    "weights",
    "losses",
    "outputs",
    "optim",
    "data",
    "reproduce.run",
    "engines.dask",
]
EXTRAS = {"optim": "torch", "engines": "dask", "reproduce": "matplotlib"}

# What is not asked for, and why.
LEFT_OUT = {
    "GL01": "a docstring begins on its first line",
    "GL02": "and a short one ends there",
    "SS02": "a formula may begin a summary",
    "SS03": "a formula may end a summary",
    "SS05": "the summary of a function that returns something is a noun",
    "SS06": "a formula may follow the summary",
    "ES01": "not everything needs more than a summary",
    "PR08": "symbols of the paper, and names, are not capitalised",
    "RT02": "results have names where they are several",
    "RT04": "as PR08",
    "SA01": "the module shows what else there is",
    "EX01": "examples are where they help; test_doctests runs them",
}


def public_names(module: ModuleType) -> list[str]:
    """What a module offers: its __all__, or the classes and functions that are defined in it."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__
    ]


def described(module: ModuleType) -> set[str]:
    """The classes, functions and methods of a module, each by the place where it is described."""
    found = set()
    for name in public_names(module):
        thing = getattr(module, name)
        if inspect.isclass(thing):
            found |= {f"{module.__name__}.{name}"} | {described_at(thing, each) for each in methods(thing)}
        elif inspect.isfunction(thing):
            found.add(f"{module.__name__}.{name}")
    return found


def methods(kind: type) -> set[str]:
    """The public methods of a class that are written here."""
    ours = [owner for owner in kind.__mro__ if owner.__module__.startswith("cesaro")]
    return {name for owner in ours for name in vars(owner) if not name.startswith("_") and function_of(owner, name)}


def function_of(owner: type, name: str) -> FunctionType | None:
    """The function behind a method of a class, also behind a classmethod or one that is there only at times."""
    thing = vars(owner).get(name)
    function = getattr(thing, "__func__", getattr(thing, "fn", thing))
    return function if isinstance(function, FunctionType) else None


def described_at(kind: type, method: str) -> str:
    """The first class that describes a method, as help() finds it; the class itself if none does."""
    for owner in kind.__mro__:
        function = function_of(owner, method)
        if function is not None and function.__doc__:
            return f"{owner.__module__}.{owner.__qualname__}.{method}"
    return f"{kind.__module__}.{kind.__qualname__}.{method}"


def collected() -> list[str]:
    found: set[str] = set()
    for part in MODULES:
        extra = EXTRAS.get(part.split(".")[0])
        if extra is None or find_spec(extra):
            found |= described(importlib.import_module(f"cesaro.{part}".rstrip(".")))
    return sorted(found)


NAMES = collected()


def test_there_are_docstrings_to_check():
    assert len(NAMES) > 100
    known = {"cesaro.minimize", "cesaro.linear.DualAveragingClassifier", "cesaro.domains.interface.Domain.project"}
    assert known <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_docstring_has_the_sections_that_apply(name):
    assert [f"{code}: {said}" for code, said in validate(name)["errors"] if code not in LEFT_OUT] == []
