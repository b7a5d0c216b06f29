"""From options to an estimator, and from a fitted one to the fields of a command's result."""

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp

from cesaro.cli import output
from cesaro.data import Dataset
from cesaro.losses import REGRESSION


def make_estimator(loss: str, alpha: float | None, **settings: Any) -> Any:
    """The estimator that the loss asks for; without alpha the one that searches for it."""
    from cesaro import linear

    kind = "Regressor" if loss in REGRESSION else "Classifier"
    if alpha is None:
        return getattr(linear, f"DualAveraging{kind}CV")(loss=loss, **settings)
    return getattr(linear, f"DualAveraging{kind}")(loss=loss, alpha=alpha, **settings)


def timed_fit(model: Any, X: Any, y: Any) -> float:
    """Fit, and return the seconds it took."""
    return timed_call(lambda: model.fit(X, y))


def timed_call(fit: Callable[[], object]) -> float:
    """The seconds of a fit. Warnings become notes; the caller says what is proved and what is not."""
    from sklearn.exceptions import ConvergenceWarning

    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")  # what is meant for developers is of other kinds
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("always", RuntimeWarning)
        fit()
    seconds = time.perf_counter() - started
    for warning in caught:
        if not issubclass(warning.category, ConvergenceWarning):
            output.print_note(str(warning.message))
    return seconds


def warm_up_kernels(loss: str, solver: str) -> None:
    """Load the compiled kernels, or compile them the first time, on a few rows: not counted in a fit's time."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(64, 4)), np.arange(64.0) % 2
    for rows in (X, 1.0 * (X > 0.0)):  # rows of ones have kernels of their own
        timed_fit(
            make_estimator(loss, 0.01, solver=solver, max_iter=2, tol=0.1, random_state=0), sp.csr_matrix(rows), y
        )


@contextmanager
def rows_without_names() -> Iterator[None]:
    """Within, scikit-learn does not remark that rows which were read here have no names: they are in the right order."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names", category=UserWarning)
        yield


def score_name(loss: str) -> str:
    """accuracy, or r2 for regression."""
    return "r2" if loss in REGRESSION else "accuracy"


def score_fields(model: Any, data: Dataset) -> dict[str, Any]:
    """The score on the rows that were learned from, and on the test rows if there are some."""
    trained = {f"train_{score_name(model.loss)}": float(model.score(data.X, data.y))}
    return (
        trained if data.X_test is None else trained | test_score_fields(model, data.X_test, data.y_test, data.test_note)
    )


def test_score_fields(model: Any, X: Any, y: Any, note: str) -> dict[str, Any]:
    """The score on test rows, and what they are."""
    return {f"test_{score_name(model.loss)}": float(model.score(X, y)), "test_rows": X.shape[0], "test_note": note}


def certificate_fields(model: Any) -> dict[str, Any]:
    """What is proved about a fitted model; one number for each one-vs-rest class if there are more than two."""
    worst = float(np.max(model.relative_gap_))
    return {
        "objective": model.objective_,
        "lower_bound": model.lower_bound_,
        "gap": model.dual_gap_,
        "relative_gap": model.relative_gap_,
        "converged": bool(worst <= (model.tol or 0.0)),
        "epochs": int(model.n_iter_),
    }


def dataset_fields(data: Dataset, loss: str) -> dict[str, Any]:
    """The size of the data, and its classes."""
    return data_fields(data.name, data.X.shape[0], data.X.shape[1], int(data.X.nnz), data.y, loss)


def data_fields(name: str, rows: int, features: int, entries: int, y: np.ndarray, loss: str) -> dict[str, Any]:
    """The same from numbers."""
    result: dict[str, Any] = {"data": name, "rows": rows, "features": features, "entries": entries}
    if loss not in REGRESSION:
        labels, counts = np.unique(y, return_counts=True)
        result |= {"classes": [format_label(each) for each in labels], "class_rows": counts.tolist()}
    return result


def format_label(value: Any) -> Any:
    """A label as people write it: 1, not 1.0."""
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() else value
