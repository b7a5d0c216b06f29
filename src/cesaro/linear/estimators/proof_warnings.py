"""What is said when a proof that was asked for is not there: to the line that called, about how much, and what to do."""

import inspect
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from cesaro.linear.problem.problem import Fit, Problem
from cesaro.linear.problem.scales import EVEN, uneven_factor

BETWEEN = ("cesaro", "sklearn", "joblib")  # packages that may stand between a user's line and a warning
MANY, SMALL = 20, 0.05  # so many rows, of which at least this share is certified if the gap is small enough for any
FINEST = 1e-12  # a tol below it is not advised: rounding is in the way
FEW = 100  # epochs, that are more likely to be the cause than the columns


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, at the nearest line of the call that is the user's own."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and str(frame.f_globals.get("__name__")).split(".")[0] in BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def warn_unproved(model: Any, fits: list[Fit], problem: Problem | None, interrupted: bool) -> None:
    """Say so when the proof that was asked for is not there; `problem` is one with the rows, where they are at hand."""
    gaps, name = np.atleast_1d(model.relative_gap_), type(model).__name__
    if interrupted or any(fit.status == "interrupted" for fit in fits):
        message = (
            f"{name}: the fit was interrupted after {model.n_iter_} epochs. The model is fitted and usable; "
            f"its proved relative gap is {gaps.max():.1e}."
        )
        warn(message, ConvergenceWarning)
    elif model.tol and gaps.max() > model.tol:
        begin = f"{name}: {_how_much(model, gaps)} after {model.n_iter_} epochs."
        scales = _scales(model, problem)
        if any(fit.status == "time_limit" for fit in fits):
            advice = f"{scales}Raise time_limit or tol; tol=0 asks for no proof."
        elif model.max_iter < FEW:
            advice = f"Raise max_iter first, {model.max_iter} epochs are few; or raise tol; tol=0 asks for no proof."
            advice += f" If more epochs do not help: {scales}".rstrip() if scales else ""
        else:
            advice = f"{scales}Raise max_iter or tol; tol=0 asks for no proof."
        warn(f"{begin} {advice}", ConvergenceWarning)


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


def _scales(model: Any, problem: Problem | None) -> str:
    """Advice about the columns, if it would help."""
    if problem is None:
        return "If the columns differ in scale, scale them. "
    if np.max(model.l1_ratio) > 0.0:  # coordinate descent does not mind
        return ""
    factor = uneven_factor(problem.rows, problem.v, getattr(model, "alpha_", None) or model.alpha)
    if not factor > EVEN:
        return ""
    return f"The columns differ in scale by a factor of {factor:.0e}: scale them (MaxAbsScaler keeps sparsity). "


def warn_few_certified(model: Any, certified: np.ndarray) -> None:
    """Say that no label is certified, or few of many are, and what to do."""
    rows, found = len(certified), int(np.count_nonzero(certified))
    if found >= max(1.0, SMALL * rows):
        return
    how_many = f"{found} of {rows} labels are" if found else "no label is"
    begin = f"{type(model).__name__}.predict_certified: {how_many} certified: "
    gap = float(np.max(model.relative_gap_))
    if model._mu == 0.0:
        warn(
            f"{begin}l1_ratio=1 leaves no L2 term, and without strong convexity the duality gap does not bound the distance "
            "to the optimum. Use l1_ratio < 1, for example 0.99."
        )
    elif not np.isfinite(gap):
        warn(f"{begin}partial_fit proves nothing. Use fit.")
    elif rows >= MANY:
        warn(
            f"{begin}with a relative gap of {gap:.1e} the optimum may be too far from this model. {_smaller(model, gap)}"
        )


def _smaller(model: Any, gap: float) -> str:
    """How the optimum would be known to be nearer."""
    if model.tol and gap > model.tol:
        return f"The fit ended above tol={model.tol:g}, for want of epochs or time: raise max_iter or time_limit first."
    if gap / 100.0 < max(FINEST, model._rounding):
        return (
            f"A smaller tol would not help: the objective is known to {model._rounding:.0e} of itself, for rounding, and the "
            "intercept no better. Centre and scale the columns (StandardScaler), or raise alpha."
        )
    advice = f"Fit with a smaller tol, for example tol={min(1e-6, gap / 100.0):.0e}"
    if model._intercept_reach.any():
        advice += (
            "; or with penalize_intercept=True, a slightly different model: there the same gap often certifies more"
        )
    return f"{advice}."
