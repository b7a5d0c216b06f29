"""What a model file says is looked at before it becomes a model: types, shapes, signs, and what must be finite.

The checksum tells damage. A file that somebody made can have a right one: whatever it says, it is refused here, or it is
a model.
"""

import math
import re
from typing import Any

import numpy as np

PROOF = ("objective", "lower_bound", "dual_gap", "relative_gap")
LARGEST = float(np.finfo(np.float64).max)
LABELS = re.compile(r"[<>|=](b1|[iu][1248]|f[248]|U\d{1,9}|O8?)")  # types that labels may have
KINDS = {"b": bool, "i": int, "u": int, "f": int | float, "U": str, "O": bool | int | float | str}


def check_facts(facts: dict[str, Any]) -> None:
    """ValueError if a number is of the wrong type or sign."""
    for name in ("features", "epochs"):
        if type(facts[name]) is not int or not 0 <= facts[name] < 2**62:
            raise ValueError(f"{name} is {facts[name]!r:.40}")
    reaches = facts.get("intercept_reach", [0.0])
    if not isinstance(reaches, list):
        raise ValueError(f"intercept_reach is {reaches!r:.40}")
    for name in ("mu", "scaling", "rounding"):
        _check_size(name, facts[name])
    for reach in reaches:
        _check_size("intercept_reach", 0.0 if reach is None else reach)
    names = facts.get("feature_names")
    if names is not None and not (len(names) == facts["features"] and all(isinstance(name, str) for name in names)):
        raise ValueError("feature_names are not as many words as there are features")


def _check_size(name: str, value: Any) -> None:
    if type(value) not in (int, float) or not 0.0 <= value <= LARGEST:
        raise ValueError(f"{name} is {value!r:.40}, which is no size")


def labels_of(classes: dict[str, Any]) -> np.ndarray:
    """The classes, in order; of their own type, which their values must have."""
    labels, kind = classes["labels"], classes["type"]
    if not isinstance(kind, str) or not LABELS.fullmatch(kind):
        raise ValueError(f"its labels are of the type {kind!r:.40}")
    dtype = np.dtype(kind)
    wanted = KINDS[dtype.kind]
    mixed = dtype.kind in "iufU" and any(isinstance(label, bool) for label in labels)
    if mixed or not all(isinstance(label, wanted) for label in labels):
        raise ValueError(f"its labels are not all of the type {kind}")
    if dtype.kind == "U" and dtype.itemsize > 4 * max([1, *map(len, labels)]):
        raise ValueError(f"no label is as long as its type {kind}")
    if any(isinstance(label, float) and not math.isfinite(label) for label in labels):
        raise ValueError("its labels are not finite")
    found = np.array(labels, dtype=dtype)
    if len(set(found.tolist())) < len(labels):
        raise ValueError("its labels are not different")
    return found


def check_arrays(model: Any, arrays: dict[str, np.ndarray]) -> None:
    """ValueError if arrays do not fit the features and classes of the model, or hold what no fit gives."""
    coef, intercept, d = arrays["coef"], arrays["intercept"], model.n_features_in_
    wanted: tuple[int, ...] = (*coef.shape[:-1], d)
    if hasattr(model, "classes_"):
        if model.classes_.ndim != 1 or len(model.classes_) < 2:
            raise ValueError(f"its labels have shape {model.classes_.shape}")
        wanted = (1 if len(model.classes_) == 2 else len(model.classes_), d)
    if coef.shape != wanted or coef.ndim not in (1, 2) or intercept.shape != wanted[:-1]:
        raise ValueError(f"coef {coef.shape} and intercept {intercept.shape} do not fit {d} features")
    for name in {"coef", "intercept", "center", "row_centers"} & arrays.keys():
        if arrays[name].dtype.kind != "f" or not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} must hold finite numbers")
    if "center" in arrays and arrays["center"].shape not in ((), intercept.shape):
        raise ValueError(f"center {arrays['center'].shape} does not fit intercept {intercept.shape}")
    models = 1 if coef.ndim == 1 else len(coef)
    if "row_centers" in arrays and arrays["row_centers"].shape != (models, d):
        raise ValueError(f"row_centers {arrays['row_centers'].shape} do not fit {models} models of {d} features")
    units = arrays.get("alpha_units", np.ones(models))
    if units.dtype.kind != "f" or units.shape != (models,) or not ((units > 0.0) & np.isfinite(units)).all():
        raise ValueError("alpha_units must be a positive number for each model")
    _check_proof(arrays, () if models == 1 else (models,))
    _check_history(arrays)


def _check_proof(arrays: dict[str, np.ndarray], shape: tuple[int, ...]) -> None:
    for name in PROOF:
        if arrays[name].dtype.kind != "f" or arrays[name].shape != shape or np.isnan(arrays[name]).any():
            raise ValueError(f"{name} must be a number for each model")
    if any((arrays[name] < 0.0).any() for name in ("dual_gap", "relative_gap")):
        raise ValueError("a duality gap is negative")


def _check_history(arrays: dict[str, np.ndarray]) -> None:
    columns = [array for name, array in arrays.items() if name.startswith("history.")]
    if any(column.ndim != 1 or column.dtype.kind not in "fi" or len(column) != len(columns[0]) for column in columns):
        raise ValueError("the columns of the history are not numbers, or of different length")
