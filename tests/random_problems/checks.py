"""What a fit claims, held against its problem: the bounds, the ball, the objective, the labels that are certified."""

import warnings

import numpy as np
from random_problems.cases import Case, draw
from random_problems.independent import LONG, Model, optimum
from sklearn.exceptions import ConvergenceWarning

from cesaro.linear import DualAveragingClassifier, DualAveragingRegressor
from cesaro.linear.problem.scales import ScaleError

DIGITS = 1e-12  # of the objective, relative to what is summed
SHARP = 3  # every third problem is solved by the library to its last digits too: one more point to lie below


def violations(seed: int) -> list[str]:
    """What the fit of this case claims and is not so: nothing, if all is well."""
    case = draw(seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", ".*label.* certified: ")  # which is right, where the gap is large
            model = fitted(case)
            sharp = fitted(case, solver="anchored", tol=1e-13, max_iter=300) if seed % SHARP == 0 else None
            return judge(case, model, sharp)
    except ScaleError:
        return ["refused"]
    except Warning as warning:
        return [f"warning: {warning}"]
    except Exception as error:
        return [f"crash: {type(error).__name__}: {error}"]


def fitted(case: Case, **changes):
    """The estimator, fitted."""
    parameters = case.parameters | changes
    if changes:
        for name in ("anchor", "batch_size", "sampling"):
            parameters.pop(name, None)
    if case.classes:
        for name in ("epsilon", "quantile"):
            parameters.pop(name, None)
    estimator = (DualAveragingClassifier if case.classes else DualAveragingRegressor)(**parameters)
    if case.warm:
        estimator.set_params(warm_start=True).fit(case.X * case.X.dtype.type(0.5), case.y, case.v)
    return estimator.fit(case.X, case.y, case.v)


def model_of(case: Case, estimator, k: int) -> Model:
    """The k-th model of an estimator, as it is defined."""
    v = np.ones(len(case.y)) if case.v is None else case.v
    there = v > 0.0
    p = estimator.get_params()
    if case.classes:
        positive = [1] if case.classes == 2 else range(case.classes)
        y = np.where(case.y == positive[k], 1.0, -1.0)
    else:
        y = case.y - estimator._center
    ratio, scaling = p["l1_ratio"], p["intercept_scaling"]
    unit = 1.0 if case.classes else float(estimator._alpha_units[k])
    return Model(
        case.dense[there], y[there], v[there], p["loss"], p.get("quantile" if p["loss"] == "quantile" else "epsilon", 0.0),
        p["alpha"] * (1.0 - ratio) / unit, p["alpha"] * ratio, np.inf if p["radius"] is None else p["radius"],
        p["fit_intercept"], 1.0 / scaling if p["fit_intercept"] and p["penalize_intercept"] else 0.0,
    )  # fmt: skip


def points_of(case: Case, estimator) -> list[tuple[np.ndarray, float]]:
    """w and c of every model."""
    center = 0.0 if case.classes else estimator._center
    coef, intercept = np.atleast_2d(estimator.coef_), np.atleast_1d(estimator.intercept_ - center)
    return list(zip(coef, intercept.tolist(), strict=True))


def judge(case: Case, estimator, sharp) -> list[str]:
    """All claims of all models."""
    found: list[str] = []
    objectives, lowers = np.atleast_1d(estimator.objective_), np.atleast_1d(estimator.lower_bound_)
    best, center = [], 0.0 if case.classes else float(estimator._center)
    for k, (w, c) in enumerate(points_of(case, estimator)):
        model = model_of(case, estimator, k)
        if not np.isfinite(w).all():
            return ["not finite"]
        f = model.objective(w, c)
        if model.length(w, c) > model.radius * (1.0 + DIGITS) + DIGITS * abs(center) * model.scaling:
            found.append(f"ball left: {float(model.length(w, c) / LONG(model.radius))} radii")
        if abs(LONG(objectives[k]) - f) > model.sensitivity(w, c, DIGITS, center):
            found.append(f"objective off: {objectives[k]!r} is {float(f)!r}")
        points = [(w, c)] if sharp is None else [(w, c), points_of(case, sharp)[k]]
        points = [point for point in points if model.length(*point) <= model.radius]  # an intercept is rounded
        points.append(optimum(model, case.x_unit, case.y_unit))
        values = [model.objective(*point) for point in points]
        at = int(np.argmin(values))
        best.append((points[at], values[at]))
        if LONG(lowers[k]) > values[at] * (1 + LONG(1e-17)):
            excess = float((LONG(lowers[k]) - values[at]) / max(values[at], LONG(1e-300)))
            found.append(f"false bound: {lowers[k]!r} above {float(values[at])!r} by {excess:.1e}")
    if case.classes == 2 and estimator.get_params()["l1_ratio"] < 1.0:
        found += labels(case, estimator, *best[0], float(lowers[0]))
    return found


def labels(case: Case, estimator, point, value, lower: float) -> list[str]:
    """Certified labels that a point nearer to the optimum contradicts."""
    model, (w, c) = model_of(case, estimator, 0), point
    Z = case.dense
    Z = np.vstack([Z, 1e-3 * Z, -Z, np.eye(Z.shape[1]) * 1e150])
    given, sure = estimator.predict_certified(Z)
    lengths = np.sqrt(np.square(Z.astype(LONG)).sum(axis=1))
    if model.intercept:
        lengths = np.sqrt(lengths**2 + LONG(estimator.intercept_scaling) ** 2)
    reach = np.sqrt(2 * max(value - LONG(lower), LONG(0)) / LONG(model.mu))
    scores = Z.astype(LONG) @ w.astype(LONG) + LONG(c)
    known = np.abs(scores) > lengths * reach if model.scaling or not model.intercept else np.zeros(len(Z), bool)
    wrong = sure & known & (given != (scores > 0))
    return [f"certified labels wrong: {int(wrong.sum())}"] if wrong.any() else []
