"""The parameters that the Dask estimators have beside the ordinary ones, and how help() shows them all."""

from inspect import Parameter, Signature
from typing import Any

from cesaro.docstrings import complete

OWN = {"mode": "local", "client": None, "passes": 3, "shuffle": True, "solver": "auto", "batch_size": "auto"}
TEXT = """
Parameters
----------
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
COLLECTIONS = """
Parameters
----------
X : dask array or data frame of shape (n_samples, n_features)
    The rows.
sample_weight : dask array or series of shape (n_samples,) or None
    Not negative; None: all 1.

Returns
-------
dask array
    Lazy, cut as X.
"""
SCORED = """
Parameters
----------
X : dask array or data frame of shape (n_samples, n_features)
    The rows, which stay where they are.
y : dask array or series of shape (n_samples,)
    Their labels or targets, which come to this process.

Returns
-------
float
    The score.
"""


def show_parameters(kind: Any, ordinary: type, defaults: dict[str, Any]) -> None:
    """Give a class the signature of these defaults, and a Parameters section: the ordinary class's words, then ours."""
    names = [Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in defaults.items()]
    kind.__signature__ = Signature(names)
    complete(ordinary, TEXT)(kind)
