"""Validation of y: labels leave as classes and the index of each row's, targets as float64. The caller's arrays are never
written to.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from cesaro.linear.estimators.sklearn_compat import _check_y
from cesaro.linear.estimators.validation import check_finite, place_of, refuse_other_arrays

MISSING = "This estimator requires y to be passed, but the target y is None."


class Labels(NamedTuple):
    """The classes in order, and the index of each row's class."""

    classes: np.ndarray
    code: np.ndarray


def check_labels(X, y) -> Labels:
    """The classes and each row's class. Two whole-number labels are told apart by comparison, without sorting."""
    if y is None:
        raise ValueError(MISSING)
    refuse_other_arrays(y, "y")
    if isinstance(y, list | tuple) and any(isinstance(label, str) for label in y):
        _check_words(np.array(y, dtype=object))  # NumPy would make a word of NaN
    if type(y) is not np.ndarray or y.ndim != 1:
        y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    if y.dtype.kind in "fiub":
        low, high = y.min(), y.max()  # NaN if there is one
        if not (np.isfinite(low) and np.isfinite(high)):
            check_finite(y, "y", where=lambda k: f"row {k}")
        second = y == high
        if np.count_nonzero(second) + np.count_nonzero(y == low) == len(y) and low == int(low) and high == int(high):
            return Labels(np.array([low, high]), second.astype(np.intp))
    if y.dtype.kind == "O":
        _check_words(y)
    check_classification_targets(y)
    return Labels(*np.unique(y, return_inverse=True))


def _check_words(y: np.ndarray) -> None:
    """Refuse labels that cannot be put in an order: where one is missing, or words are among numbers."""
    missing = next((k for k, label in enumerate(y) if _is_missing(label)), None)
    if missing is not None:
        raise ValueError(f"Input y contains a missing label (NaN) at row {missing}: {y[missing]!r}. Remove such rows.")
    words = np.array([isinstance(label, str) for label in y])
    if words.any() and not words.all():
        other = y[~words][0]
        raise ValueError(
            f"y has words and others among its labels: {y[words][0]!r} and {other!r}. Make all of them words."
        )


def _is_missing(label: Any) -> bool:
    """Whether it is None, NaN, NaT or pandas' NA: nothing else differs from itself, and that one will not say."""
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):
        return type(label).__name__ == "NAType"


def check_targets(X, y) -> np.ndarray:
    """Targets as float64, (n,) or (n, m)."""
    if y is None:
        raise ValueError(MISSING)
    refuse_other_arrays(y, "y")
    sparse: bool = sp.issparse(y)
    if sparse:
        raise TypeError("y must be an array of numbers: got a sparse matrix. Use y.toarray().")
    kind = np.asarray(y).dtype.kind
    if kind in "USmM":
        raise ValueError(f"y must be numbers: got {np.asarray(y).dtype}. Encode or convert it, or use the classifier.")
    y = _check_y(y, multi_output=True, y_numeric=True) if kind not in "fiub" else np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 0:
        raise ValueError(f"y must have at least one column of targets: got shape {y.shape}.")
    if y.ndim != 2:
        y = column_or_1d(y)
    check_consistent_length(X, y)
    check_finite(y, "y", where=lambda k: f"row {k}" if y.ndim == 1 else place_of(y, k))
    return y.astype(np.float64)


def used(labels: Labels) -> Labels:
    """Only the classes that occur."""
    present = np.bincount(labels.code, minlength=len(labels.classes)) > 0
    return labels if present.all() else Labels(labels.classes[present], (np.cumsum(present) - 1)[labels.code])
