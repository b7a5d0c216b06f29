"""States as files have them: one flat dictionary; and whether what a file says can be a state at all.

A checksum tells damage. A file that somebody made with a right checksum can still say anything: before a kernel sees an
array from it, that must have the shape, the type and, where it names rows, the range of one that was written.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np


class CheckpointError(ValueError):
    """A checkpoint that cannot be gone on from."""


def flatten(state: Mapping[Any, Any], path: str = "") -> dict[str, Any]:
    """Dictionaries in dictionaries as one, with paths for names: the form of a file."""
    found: dict[str, Any] = {}
    for name, value in state.items():
        found |= flatten(value, f"{path}{name}/") if isinstance(value, Mapping) else {f"{path}{name}": value}
    return found


def unflatten(state: Mapping[str, Any]) -> dict[str, Any]:
    """What `flatten` was given; names are words again."""
    found: dict[str, Any] = {}
    for path, value in state.items():
        *folders, name = path.split("/")
        inside = found
        for folder in folders:
            inside = inside.setdefault(folder, {})
        inside[name] = value
    return found


def require_like(
    found: Mapping[Any, Any],
    expected: Mapping[Any, Any],
    lengths: Collection[str] = (),
    rows: Mapping[str, int] = MappingProxyType({}),
) -> None:
    """CheckpointError unless `found` has the names, types and shapes of `expected`.

    Arrays in `lengths` may be of another length; so may those in `rows`, which name different rows out of so many.
    """
    theirs, ours = flatten(found), flatten(expected)
    if different := sorted(theirs.keys() ^ ours.keys()):
        name = different[0]
        raise CheckpointError(f"{name!r} is missing" if name in ours else f"{name!r} belongs to no state of this fit")
    for name, wanted in ours.items():
        _require(name, theirs[name], wanted, name in lengths or name in rows)
    for name, n in rows.items():
        require_rows(name, theirs[name], n)


def _require(name: str, value: Any, wanted: Any, any_length: bool) -> None:
    if isinstance(wanted, np.ndarray):
        if not isinstance(value, np.ndarray) or value.dtype != wanted.dtype or value.ndim != wanted.ndim:
            raise CheckpointError(f"{name!r} is no {wanted.dtype} array of {wanted.ndim} dimensions")
        if value.shape[any_length:] != wanted.shape[any_length:]:
            raise CheckpointError(f"{name!r} has shape {value.shape}, expected {wanted.shape}")
        return
    kinds: tuple[type, ...] = (int,) if isinstance(wanted, int) else (type(wanted),)
    kinds = (float, int) if isinstance(wanted, float) else kinds
    if not isinstance(value, kinds) or (isinstance(value, bool) and not isinstance(wanted, bool)):
        raise CheckpointError(f"{name!r} is {value!r:.40}, expected one like {wanted!r:.40}")
    if (
        isinstance(value, int) and not 0 <= value < 2**63 and "rng/" not in name
    ):  # NumPy knows what a generator's may be
        raise CheckpointError(f"{name!r} is {value!r:.40}, which counts nothing")


def require_rows(name: str, rows: np.ndarray, n: int) -> None:
    """CheckpointError unless these are numbers of different rows out of n."""
    if len(rows) and (rows.dtype.kind != "u" or rows.max() >= n or np.bincount(rows).max() > 1):
        raise CheckpointError(f"{name!r} are not different rows out of {n}")


def require_orders(found: Mapping[str, Any], expected: Mapping[str, Any], repeats: bool) -> None:
    """`require_like` for a state with the rows in an order, `grouped`, and how many of them were `still`."""
    require_like(found, expected)
    if not repeats and not np.array_equal(np.sort(found["grouped"]), np.sort(expected["grouped"])):
        raise CheckpointError("'grouped' are not the rows of this fit")
    if found["still"] > len(expected["grouped"]):
        raise CheckpointError(f"'still' is {found['still']}, more than the {len(expected['grouped'])} rows")


def seed_of(state: Mapping[str, Any], where: str, hint: str) -> int:
    """The seed that every state has."""
    seed = state.get("seed")
    if type(seed) is not int or not 0 <= seed < 2**63:
        raise CheckpointError(f"{where} is no state of a fit: its seed is {seed!r:.40}. {hint}")
    return seed
