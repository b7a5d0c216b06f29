"""The page api.rst, written when the site is built: every class and function that a module offers, none forgotten."""

import importlib
import inspect
from pathlib import Path
from typing import NamedTuple

GENERAL = ["minimize", "compare", "Comparison"]


class Section(NamedTuple):
    """A part of the reference: a module, or some of its names."""

    title: str
    module: str
    words: str = ""
    names: list[str] | None = None


SECTIONS = [
    Section("Linear models", "cesaro", "The same classes are in ``cesaro.linear``."),
    Section("Any convex function", "cesaro", "", GENERAL),
    Section("Methods", "cesaro.methods", "``cesaro.methods.ALL`` maps every name to its class."),
    Section("Weights", "cesaro.weights"),
    Section("Domains", "cesaro.domains"),
    Section(
        "Losses", "cesaro.losses", "``ALL``, ``CLASSIFICATION`` and ``REGRESSION`` map their names to their classes."
    ),
    Section("Outputs", "cesaro.outputs"),
    Section("PyTorch optimisers", "cesaro.optim"),
    Section("Dask", "cesaro.engines.dask"),
    Section("Data", "cesaro.data", "``cesaro.data.CATALOGUE`` has an ``Entry`` for every data set."),
    Section("The paper's experiments", "cesaro.reproduce.run"),
]
HEAD = """API reference
=============

Everything public; :doc:`what that means <policies>`. Every class and function is imported from the module whose name it stands
under.
"""


def public_names(module: str) -> list[str]:
    """The classes and functions that a module offers: those of its __all__, or those that are defined in it."""
    loaded = importlib.import_module(module)
    offered = getattr(loaded, "__all__", None) or [
        name for name, thing in vars(loaded).items() if getattr(thing, "__module__", None) == module
    ]
    things = {name: getattr(loaded, name) for name in offered if not name.startswith("_")}
    return [name for name, thing in things.items() if inspect.isclass(thing) or inspect.isfunction(thing)]


def listing(section: Section) -> list[str]:
    """The names of a section."""
    if section.names is not None:
        return section.names
    names = [name for name in public_names(section.module) if section.module != "cesaro" or name not in GENERAL]
    return sorted(names, key=lambda name: not name.startswith("DualAveraging"))  # estimators first, else as they are


def write(path: Path) -> None:
    """Write the page, if it has changed: else Sphinx would read it again."""
    parts = [HEAD]
    for section in SECTIONS:
        entries = "".join(f"   {name}\n" for name in listing(section))
        directive = f".. currentmodule:: {section.module}\n\n.. autosummary::\n   :toctree: api\n\n{entries}"
        parts.append(f"{section.title}\n{'-' * len(section.title)}\n\n{section.words}\n\n{directive}")
    text = "\n".join(parts)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
