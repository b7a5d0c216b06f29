"""From options to an estimator, and from a fitted one to what is said about it."""

import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from cesaro.cli import screen
from cesaro.cli.sources import Dataset
from cesaro.losses import REGRESSION


def make(loss: str, alpha: float | None, **settings: Any) -> Any:
    """The estimator that the loss asks for; without alpha the one that searches for it."""
    from cesaro import linear

    kind = "Regressor" if loss in REGRESSION else "Classifier"
    if alpha is None:
        return getattr(linear, f"DualAveraging{kind}CV")(loss=loss, **settings)
    return getattr(linear, f"DualAveraging{kind}")(loss=loss, alpha=alpha, **settings)


def timed_fit(model: Any, X: Any, y: Any) -> float:
    """Fit, and return the seconds it took. Warnings become notes; the caller says what is proved and what is not."""
    from sklearn.exceptions import ConvergenceWarning

    begun = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")  # what is meant for developers is of other kinds
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("always", RuntimeWarning)
        model.fit(X, y)
    seconds = time.perf_counter() - begun
    for warning in caught:
        if not issubclass(warning.category, ConvergenceWarning):
            screen.note(str(warning.message))
    return seconds


def prepare(loss: str, solver: str) -> None:
    """Load the compiled kernels (or compile them, the first time) on a few rows: no part of a fit's time."""
    rng = np.random.default_rng(0)
    X, y = sp.csr_matrix(rng.normal(size=(64, 4))), np.arange(64.0) % 2
    timed_fit(make(loss, 1.0, solver=solver, max_iter=2, tol=0.1, random_state=0), X, y)


def score_name(loss: str) -> str:
    """accuracy, or r2 for regression."""
    return "r2" if loss in REGRESSION else "accuracy"


def scores(model: Any, data: Dataset) -> dict:
    """The score on the rows that were learned from, and on the test rows if there are some."""
    name = score_name(model.loss)
    answer: dict[str, Any] = {f"train_{name}": float(model.score(data.X, data.y))}
    if data.X_test is not None:
        answer[f"test_{name}"] = float(model.score(data.X_test, data.y_test))
        answer |= {"test_rows": data.X_test.shape[0], "test_note": data.test_note}
    return answer


def proof(model: Any) -> dict:
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


def description(data: Dataset, loss: str) -> dict:
    """The size of the data, and its classes."""
    answer: dict[str, Any] = {
        "data": data.name,
        "rows": data.X.shape[0],
        "features": data.X.shape[1],
        "entries": int(data.X.nnz),
    }
    if loss not in REGRESSION:
        labels, counts = np.unique(data.y, return_counts=True)
        answer |= {"classes": [label(each) for each in labels], "class_rows": counts.tolist()}
    return answer


def label(value: Any) -> Any:
    """A label as people write it: 1, not 1.0."""
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() else value
