"""Validation: what a user hands in is checked once, and leaves as CSR rows and weights (y: `target_validation`).

Everything is a pass of vectorised comparisons at most, so that the checks cost less than an epoch. The caller's arrays
are never written to.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numba import njit
from sklearn.utils.validation import validate_data

from cesaro.compiled.flags import ALLOCATING
from cesaro.linear.estimators.sklearn_compat import _check_sample_weight
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.scales import ScaleError, in_range, of_ordinary_size

FLOATS = [np.float64, np.float32]


def check_rows(estimator, X: Any, reset: bool = True, finite: bool = True):
    """X as a CSR array of finite floats without duplicate entries; `reset` as in scikit-learn's `validate_data`.

    A caller who hands them to `finite_and_in_range`, which looks for the largest entry, need not ask whether all are `finite`.
    """
    if reset and _is_plain_csr(X):
        estimator.n_features_in_ = X.shape[1]
        vars(estimator).pop("feature_names_in_", None)
    else:
        refuse_other_arrays(X, "X")
        X = _as_numbers(estimator, X, reset=reset, order="C")
    X = _check_csr(X, finite) if sp.issparse(X) else _check_dense(X, finite)
    if not (X.data.flags.writeable and X.indices.flags.writeable and X.indptr.flags.writeable):
        X = sp.csr_array(X)  # not the caller's own
        X.data, X.indices, X.indptr = _Lent.of(X.data), _Lent.of(X.indices), _Lent.of(X.indptr)
    return X


def _is_plain_csr(X: Any) -> bool:
    """Whether there is nothing that `validate_data` would convert or refuse, or find the names of columns in.

    Its questions, whether this be a data frame after all, take as long as an epoch over a small text.
    """
    return type(X) in (sp.csr_matrix, sp.csr_array) and X.dtype in FLOATS and X.ndim == 2 and min(X.shape) > 0


class _Lent:
    """A read-only array (a memory map of joblib's, say) that says it can be written to, which the kernels never do.

    Numba compiles a kernel anew for read-only arrays: seconds, for nothing.
    """

    def __init__(self, array: np.ndarray):
        self.array = array
        self.__array_interface__ = array.__array_interface__ | {"data": (array.__array_interface__["data"][0], False)}

    @classmethod
    def of(cls, array: np.ndarray) -> np.ndarray:
        return array if array.flags.writeable else np.asarray(cls(array))


def check_points(estimator, X: Any):
    """X of a prediction: dense stays dense, sparse becomes CSR."""
    refuse_other_arrays(X, "X")
    X = _as_numbers(estimator, X, reset=False)
    sparse: bool = sp.issparse(X)
    if sparse:
        _check_places(X)
    check_finite(X.data if sparse else X, "X", where=lambda k: place_of(X, k))
    return X


def _as_numbers(estimator, X: Any, **how: Any):
    """`validate_data`; where there are words in X, an error that is shorter than these."""
    try:
        return validate_data(estimator, X, accept_sparse="csr", dtype=FLOATS, ensure_all_finite=False, **how)
    except ValueError as error:
        if not str(error).startswith("could not convert string"):
            raise
        words = _words_in(X)
    raise ValueError(f"X must be a matrix of numbers: got {words}")


def _words_in(X: Any) -> str:
    """Which words X has where numbers should be, and what to do."""
    table = np.asarray(X, dtype=object)
    if table.ndim < 2:
        return (
            f"{'a text' if table.ndim == 0 else 'texts'}, {_beginning(table.flat[0])}. Make numbers of them first: "
            "vectoriser = TfidfVectorizer().fit(texts), then vectoriser.transform(texts), in fit and in every prediction. "
            "The last step of a pipeline takes pipe[:-1].transform(texts)."
        )
    k, word = next((k, value) for k, value in enumerate(table.flat) if not _is_number(value))
    return (
        f"{_beginning(word)} in row {k // table.shape[1]}, column {k % table.shape[1]}. Make numbers of words first, in a "
        "pipeline: OneHotEncoder for categories, TfidfVectorizer for texts."
    )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _beginning(value: Any) -> str:
    return repr(
        value[:27] + value[:0].ljust(3, b"." if isinstance(value, bytes) else ".") if len(value) > 30 else value
    )


def refuse_other_arrays(values: Any, name: str) -> None:
    """Refuse tensors of other libraries: they may be on another device, and the kernels read memory. Masks as well."""
    refuse_masks(values, name)
    if hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray | np.generic):
        kind = f"{type(values).__module__.split('.')[0]}.{type(values).__qualname__}"
        raise TypeError(
            f"{name} must be a NumPy array, a SciPy sparse matrix or a data frame: got a {kind}. Arrays of other libraries "
            f"are not supported; convert it first, for example with numpy.asarray({name}) or {name}.numpy()."
        )


def refuse_masks(values: Any, name: str) -> None:
    """Refuse masked values: what lies below a mask would be taken for data."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} has {np.ma.count_masked(values)} masked values. Remove such rows, or impute the values: "
            f"numpy.ma.filled({name}, ...)."
        )


def check_finite(values: np.ndarray, name: str, where) -> None:
    """One sum says yes; only if it does not are the values looked at one by one, and the first bad one is named."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum(dtype=np.float64)
    if np.isfinite(total):
        return
    bad = ~np.isfinite(values).ravel()
    if bad.any():
        k = int(bad.argmax())
        kind = "NaN" if np.isnan(values.ravel()[k]) else "inf (infinity)"
        raise ValueError(f"Input {name} contains {kind} at {where(k)}. Remove such rows or impute the value.")


def place_of(X: Any, k: int) -> str:
    """Row and column of the k-th stored value."""
    sparse: bool = sp.issparse(X)
    if sparse:
        return place_in_rows(X.indptr, X.indices, k)
    return f"row {k // X.shape[1]}, column {k % X.shape[1]}"


def finite_and_in_range(problems: list[Problem]) -> list[Problem]:
    """`in_range`; an entry that is not finite is no matter of scale, and is named."""
    try:
        return in_range(problems)
    except ScaleError:
        rows = problems[0].rows
        check_finite(rows.data, "X", where=lambda k: place_in_rows(rows.ptr, rows.col, k))
        raise


def place_in_rows(ends: np.ndarray, columns: np.ndarray, k: int) -> str:
    """The same of CSR rows."""
    return f"row {np.searchsorted(ends, k, side='right') - 1}, column {columns[k]}"


def _check_places(X) -> None:
    """Refuse a CSR matrix that points outside itself: kernels, and SciPy's own, would read there."""
    ends = X.indptr
    if ends[0] != 0 or ends[-1] > len(X.data) or ends[-1] > len(X.indices) or (ends[1:] < ends[:-1]).any():
        raise ValueError(f"X has row ends (indptr) outside 0..{len(X.data)} or falling: the CSR matrix is malformed.")
    if X.nnz and X.indices.view(f"u{X.indices.itemsize}").max() >= X.shape[1]:  # unsigned: negative ones are large
        raise ValueError(f"X has column indices outside 0..{X.shape[1] - 1}: the CSR matrix is malformed.")


def _check_csr(X, finite):
    _check_places(X)
    if finite:
        check_finite(X.data, "X", where=lambda k: place_of(X, k))
    if not X.has_canonical_format and _has_duplicates(X.indices, X.indptr, X.shape[1]):
        X = X.copy()
        X.sum_duplicates()
        check_finite(X.data, "X", where=lambda k: place_of(X, k))
    return X if isinstance(X, sp.csr_array) else sp.csr_array(X)


def _check_dense(X, finite):
    """A CSR view of a dense array, without a copy of the values where most of them are not zero."""
    if finite:
        check_finite(X, "X", where=lambda k: place_of(X, k))
    n, d = X.shape
    if 2 * np.count_nonzero(X) < X.size:
        return sp.csr_array(X)
    wide = np.int64 if X.size >= 2**31 else np.int32
    columns = np.broadcast_to(np.arange(d, dtype=wide), (n, d)).ravel()
    return sp.csr_array((X.ravel(), columns, np.arange(0, X.size + 1, d, dtype=wide)), shape=X.shape)


@njit(**ALLOCATING)
def _has_duplicates(col, ptr, d):
    """Whether some row names a column twice; the columns need not be sorted."""
    last = np.full(d, -1, np.int64)
    for i in range(len(ptr) - 1):
        for j in range(ptr[i], ptr[i + 1]):
            if last[col[j]] == i:
                return True
            last[col[j]] = i
    return False


def check_weights(X, sample_weight) -> np.ndarray:
    """Sample weights as floats: finite, not negative, not all zero."""
    if sample_weight is None:
        return np.ones(X.shape[0])
    refuse_masks(sample_weight, "sample_weight")
    v = np.asarray(sample_weight)
    if v.dtype.kind in "fiub" and v.shape == (X.shape[0],):
        check_finite(v, "sample_weight", where=lambda k: f"row {k}")
        v = v.astype(np.float64)
    else:
        v = _check_sample_weight(sample_weight, X, dtype=np.float64)
    low = int(v.argmin())
    if v[low] < 0.0:
        raise ValueError(f"sample_weight must not be negative: got {v[low]} at row {low}.")
    if not v.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return of_ordinary_size(v)


def drop_weightless(X, v, y):
    """X, v and class indices or targets without the rows of weight zero: such a row is as if it were not there."""
    keep = v > 0.0
    if keep.all():
        return X, v, y
    check_finite(X.data, "X", where=lambda k: place_of(X, k))  # while rows have the numbers that the caller knows
    return X[keep], v[keep], y[keep]
