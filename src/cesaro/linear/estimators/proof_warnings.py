"""What is said when a proof that was asked for is not there: to the line that called, about how much, and what to do."""

import inspect
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from cesaro.linear.model_selection.search import EVEN
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.problem import Fit
from cesaro.linear.problem.scales import column_sizes

BETWEEN = ("cesaro", "sklearn", "joblib")  # packages that may stand between a user's line and a warning
MANY = 20  # rows, of which one at least is certified if the gap is small enough for any


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, at the nearest line of the call that is the user's own."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and str(frame.f_globals.get("__name__")).split(".")[0] in BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def warn_unproved(model: Any, fits: list[Fit], rows: Rows | None, interrupted: bool) -> None:
    """Say so when the proof that was asked for is not there; `rows` are those of the fit, where they are at hand."""
    gaps, name = np.atleast_1d(model.relative_gap_), type(model).__name__
    if interrupted or any(fit.status == "interrupted" for fit in fits):
        message = (
            f"{name}: the fit was interrupted after {model.n_iter_} epochs. The model is fitted and usable; "
            f"its proved relative gap is {gaps.max():.1e}."
        )
        warn(message, ConvergenceWarning)
    elif model.tol and gaps.max() > model.tol:
        limit = "time_limit" if any(fit.status == "time_limit" for fit in fits) else "max_iter"
        message = f"{name}: {_how_much(model, gaps)} after {model.n_iter_} epochs. {_scales(rows, model.l1_ratio)}"
        warn(f"{message}Raise {limit} or tol; tol=0 asks for no proof.", ConvergenceWarning)


def _how_much(model: Any, gaps: np.ndarray) -> str:
    """How many models are not proved, and which is the worst."""
    worst = int(gaps.argmax())
    if len(gaps) == 1:
        return f"the proved relative gap is {gaps[0]:.1e}, above tol={model.tol:g},"
    classes = getattr(model, "classes_", None)
    kind, which = ("targets", worst) if classes is None else ("classes", repr(classes.tolist()[worst]))
    return (
        f"{np.count_nonzero(gaps > model.tol)} of {len(gaps)} {kind} are not proved to tol={model.tol:g} (the largest "
        f"relative gap is {gaps[worst]:.1e}, of {which})"
    )


def _scales(rows: Rows | None, l1_ratio: Any) -> str:
    """Advice about the columns, if it would help."""
    if rows is None:
        return "If the columns differ in scale, scale them. "
    if np.max(l1_ratio) > 0.0:  # coordinate descent does not mind
        return ""
    sizes = column_sizes(rows)
    spread = sizes.max() / sizes.min() if len(sizes) else 1.0
    if spread <= EVEN:
        return ""
    return f"The columns differ in scale by a factor of {spread:.0e}: scale them (MaxAbsScaler keeps sparsity). "


def warn_nothing_certified(model: Any, rows: int) -> None:
    """Say that no label of so many rows is certified, and what to do."""
    begin = f"{type(model).__name__}.predict_certified: no label is certified: "
    gap = float(np.max(model.relative_gap_))
    if model._mu == 0.0:
        warn(
            f"{begin}l1_ratio=1 leaves no L2 term, and without strong convexity the duality gap does not bound the distance "
            "to the optimum. Use l1_ratio < 1, for example 0.99."
        )
    elif not np.isfinite(gap):
        warn(f"{begin}partial_fit proves nothing. Use fit.")
    elif rows >= MANY:
        free = (
            ", or penalize_intercept=True, with which the same gap certifies more"
            if model._intercept_reach.any()
            else ""
        )
        warn(
            f"{begin}with a relative gap of {gap:.1e} the optimum may be too far from this model. Fit with a smaller tol, "
            f"for example tol={min(1e-6, gap / 100.0):.0e}{free}."
        )
