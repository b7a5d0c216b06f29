"""The parameters that the Dask estimators have beside the ordinary ones, and how help() shows them all."""

import re
from inspect import Parameter, Signature, cleandoc
from typing import Any

OWN = {"mode": "local", "client": None, "passes": 3, "shuffle": True, "solver": "auto", "batch_size": "auto"}
TEXT = """
mode : {"local", "exact"}
    "local": every partition makes `passes` anchored epochs over its rows against the common state, then the changes are
    added. "exact": the paper's methods with full gradients or mini-batches.
client : dask.distributed.Client or None
    None: the current one.
passes : int
    Epochs of a partition in a round (mode "local").
shuffle : bool
    Shuffle the rows over all partitions first (mode "local"). False saves that; do it if the rows lie in random order.
solver : "auto" or as in the ordinary estimator
    "auto" is "anchored" in mode "local" and "sc-pda" in mode "exact".
batch_size : "auto", int or None
    Rows per step in mode "exact"; None: all of them, full gradients; "auto": a twentieth of them, if they are many.
"""


def show_parameters(kind: Any, ordinary: type, defaults: dict[str, Any]) -> None:
    """Give a class the signature of these defaults, and a Parameters section: the ordinary class's words, then ours."""
    names = [Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in defaults.items()]
    kind.__signature__ = Signature(names)
    if kind.__doc__ is None:  # python -OO
        return
    said = _entries(cleandoc(ordinary.__doc__ or "").split("\nAttributes\n")[0]) | _entries(TEXT)
    before, after = cleandoc(kind.__doc__).split("\nAttributes\n")
    section = "\nParameters\n----------\n" + "".join(said[name] for name in defaults)
    kind.__doc__ = f"{before}{section}\nAttributes\n{after}\n"


def _entries(text: str) -> dict[str, str]:
    """The entries of a numpydoc section by name: a line `name : type`, and the indented lines below it."""
    found = re.findall(r"^((\w+) : .*\n(?:    .*\n?)+)", text + "\n", re.MULTILINE)
    return {name: entry.rstrip("\n") + "\n" for entry, name in found}
