"""Docstrings whose parts are written once: what several of them would repeat is filled in, so that help() shows it in each."""

import re
from collections.abc import Callable
from inspect import cleandoc, isclass, signature
from types import FunctionType
from typing import Any, TypeVar

Described = TypeVar("Described", bound=Callable[..., Any])

ORDER = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "References", "Examples")  # numpydoc's
SHARED_BY_CLASSES = ("Attributes", "Raises", "References")
SHARED_BY_FUNCTIONS = ("Returns", "Raises")


def complete(*sources: Any) -> Callable[[Described], Described]:
    """Decorator: fill in what a function's docstring lacks, or those of a class and its public methods, from the sources'.

    A parameter of the signature that is not described is taken from the last source that describes it. What is given one
    is given the sections of SHARED_BY_CLASSES or SHARED_BY_FUNCTIONS too, where it has none; Attributes are added.

    Parameters
    ----------
    *sources : str, class or function
        Numpydoc sections, or what has them as its docstring.

    Returns
    -------
    callable
        Returns its argument.
    """
    shared: dict[str, str] = {}
    entries: dict[str, str] = {}
    for source in sources:
        shared |= _split(source if isinstance(source, str) else source.__doc__)
        entries |= _entries(shared.get("Parameters", ""))

    def decorate(described: Described) -> Described:
        if not isclass(described):
            _fill(described, entries, {title: shared[title] for title in SHARED_BY_FUNCTIONS if title in shared})
            return described
        _fill(described, entries, {title: shared[title] for title in SHARED_BY_CLASSES if title in shared})
        for name, member in vars(described).items():
            function = _function_of(member)
            if not name.startswith("_") and isinstance(function, FunctionType):
                decorate(function)
        return described

    return decorate


def _fill(described: Any, entries: dict[str, str], shared: dict[str, str]) -> None:
    if not described.__doc__:  # an override that has its interface's words; python -OO
        return
    sections = _split(described.__doc__)
    own = _entries(sections.get("Parameters", ""))
    names = [name for name in signature(described).parameters if name in entries | own]
    if set(names) <= set(own):
        return
    sections["Parameters"] = "\n".join(dict.fromkeys((entries | own)[name] for name in names))
    if "Attributes" in sections and "Attributes" in shared:
        sections["Attributes"] += "\n" + shared["Attributes"]
    sections = shared | sections
    summary = sections.pop("")
    parts = [f"{title}\n{'-' * len(title)}\n{sections[title]}" for title in sorted(sections, key=ORDER.index)]
    described.__doc__ = "\n\n".join([summary, *parts]) + "\n"


def _function_of(member: Any) -> Any:
    """What is behind a classmethod, or behind a method that is there only at times (scikit-learn's available_if)."""
    return getattr(member, "__func__", getattr(member, "fn", member))


def _split(doc: str | None) -> dict[str, str]:
    """The sections of a docstring by title; what stands before the first has the title ""."""
    before, *rest = re.split(r"^([A-Z]\w+)\n-+\n", cleandoc(doc or ""), flags=re.MULTILINE)
    titled = dict(zip(rest[::2], rest[1::2], strict=True))
    return {title: body.rstrip() for title, body in {"": before, **titled}.items()}


def _entries(section: str) -> dict[str, str]:
    """The entries of a section by name: a line `name : type`, or `name, name : type`, and the indented lines below it."""
    found = re.findall(r"^(([\w, *]+) : .*(?:\n .*)+)", section, re.MULTILINE)
    return {name.strip(" *"): entry for entry, names in found for name in names.split(",")}
