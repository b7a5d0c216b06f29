"""`save` and `load`: a fitted model as facts (what JSON can say) and arrays, and back. No code is stored, none is run."""

import math
import os
from dataclasses import asdict
from typing import Any

import numpy as np

from cesaro import weights
from cesaro.linear.estimators.export import dense_coef
from cesaro.linear.estimators.model_checks import PROOF, check_arrays, check_facts, labels_of
from cesaro.linear.estimators.sklearn_compat import validate_parameters
from cesaro.storage import model_file

PLAIN = ("DualAveragingClassifier", "DualAveragingRegressor")
AVERAGING = {cls.__name__: cls for cls in (weights.Uniform, weights.Linear, weights.Power, weights.Geometric)}
LEFT_OUT = ("alphas", "cv", "scoring", "checkpoint")  # of the parameters


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier or regressor to a file, whole or not at all.

    A cross-validated model is saved as what its search has found: the plain estimator with that alpha. Not saved: the
    state of a warm start, `random_state` objects (integers are), `checkpoint`. `partial_fit` of a loaded model goes on
    from its weights, as after `fit`.

    Parameters
    ----------
    model : DualAveragingClassifier, DualAveragingRegressor or one of their CV classes
        Fitted.
    path : str or path
        Replaced if it exists.

    Raises
    ------
    TypeError
        If the model is of another class, or has a parameter or label that is neither number nor word.
    sklearn.exceptions.NotFittedError
        If it is not fitted.

    Examples
    --------
    >>> import tempfile, cesaro
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = cesaro.DualAveragingClassifier(alpha=0.01, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cesaro.save(model, f"{folder}/iris.safetensors")
    ...     again = cesaro.load(f"{folder}/iris.safetensors")
    >>> bool((again.decision_function(X) == model.decision_function(X)).all())
    True
    """
    model_file.write_model(path, *record(model))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote; it predicts the same bits.

    No code is run, whatever the file holds.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    DualAveragingClassifier or DualAveragingRegressor
        Fitted.

    Raises
    ------
    ModelFileError
        If the file is cut short, changed, of another kind, or of a later format.
    """
    facts, arrays = model_file.read_model(path)
    try:
        return restored(facts, arrays)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise model_file.ModelFileError(f"{path} does not describe a model: {error}. {model_file.AGAIN}") from error


def record(model: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Facts and arrays of a fitted estimator; of a cross-validated one, those of what it found."""
    from sklearn.utils.validation import check_is_fitted

    name = type(model).__name__.removesuffix("CV")
    if name not in PLAIN:
        hint = " Call its to_local() first." if hasattr(model, "to_local") else ""
        if hasattr(model, "steps"):
            hint = " Save its last step, model[-1], and the steps before it, model[:-1], with skops or joblib."
        elif hasattr(model, "best_estimator_"):
            hint = " Save its best_estimator_."
        raise TypeError(
            f"save takes a {', a '.join(PLAIN)} or one of their CV classes: got {type(model).__name__}.{hint}"
        )
    check_is_fitted(model)
    return _facts(model, name), _arrays(model)


def _facts(model: Any, name: str) -> dict[str, Any]:
    """All that is not an array."""
    parameters = {key: value for key, value in model.get_params(deep=False).items() if key not in LEFT_OUT}
    parameters["alpha"] = float(model.alpha_ if hasattr(model, "alpha_") else model.alpha)
    parameters["l1_ratio"] = model._ratio()
    facts = {
        "class": name,
        "loss": model.loss,
        "alpha": parameters["alpha"],
        "gap": _finite(np.max(model.dual_gap_)),
        "relative_gap": _finite(np.max(model.relative_gap_)),
        "features": int(model.n_features_in_),
        "epochs": int(model.n_iter_),
        "mu": float(model._mu),
        "scaling": float(model._scaling),
        "rounding": float(model._rounding),
        "intercept_reach": [_finite(reach) for reach in model._intercept_reach],
        "parameters": {key: _plain(key, value) for key, value in parameters.items()},
    }
    if hasattr(model, "feature_names_in_"):
        facts["feature_names"] = [str(each) for each in model.feature_names_in_]
    if name == "DualAveragingClassifier":
        facts["classes"] = _labels(model.classes_)
    return facts


def _arrays(model: Any) -> dict[str, np.ndarray]:
    found = {"coef": dense_coef(model), "intercept": model.intercept_}
    found |= {name: getattr(model, f"{name}_") for name in PROOF}
    found |= {f"history.{name}": column for name, column in model.history_.items()}
    if model._row_centers is not None:
        found["row_centers"] = model._row_centers
    if hasattr(model, "_center"):
        found |= {"center": model._center, "alpha_units": model._alpha_units}
    return {name: np.array(value, order="C") for name, value in found.items()}


def _plain(name: str, value: Any) -> Any:
    """A parameter in JSON's terms."""
    if type(value) in AVERAGING.values():
        return {"weights": type(value).__name__, **asdict(value)}
    if isinstance(value, dict):  # class_weight: JSON's keys are strings, labels need not be
        return {"pairs": [[_plain(name, label), _plain(name, weight)] for label, weight in value.items()]}
    if isinstance(value, np.generic):
        value = value.item()
    if name == "random_state" and not isinstance(value, int):
        return None
    if isinstance(value, bool | int | str | None) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise TypeError(f"{name}={value!r} cannot be saved: a model file holds numbers and words only, no code.")


def _labels(classes: np.ndarray) -> dict[str, Any]:
    """Numbers or words, and their type."""
    labels = classes.tolist()
    if not all(isinstance(label, bool | int | float | str) for label in labels):
        raise TypeError("labels must be numbers or strings to be saved: encode them with LabelEncoder first.")
    return {"labels": labels, "type": classes.dtype.str}


def _finite(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def restored(facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> Any:
    """The estimator, with everything that a prediction needs; what does not fit together is refused."""
    from cesaro.linear.estimators.classifier import DualAveragingClassifier
    from cesaro.linear.estimators.regressor import DualAveragingRegressor

    classes = {cls.__name__: cls for cls in (DualAveragingClassifier, DualAveragingRegressor)}
    if facts["class"] not in PLAIN:
        raise ValueError(f"its class is {facts['class']!r}")
    check_facts(facts)
    parameters = {"penalize_intercept": True} | facts["parameters"]  # files from before do not name it
    model = classes[facts["class"]](**{name: _lively(value) for name, value in parameters.items()})
    validate_parameters(model)
    model.n_features_in_ = facts["features"]
    if "feature_names" in facts:
        model.feature_names_in_ = np.array(facts["feature_names"], dtype=object)
    if facts["class"] == "DualAveragingClassifier":
        model.classes_ = labels_of(facts["classes"])
    check_arrays(model, arrays)
    model.coef_, model.intercept_ = arrays["coef"], arrays["intercept"][()]
    for name in PROOF:
        setattr(model, f"{name}_", float(arrays[name]) if arrays[name].ndim == 0 else arrays[name])
    model.history_ = {
        name.removeprefix("history."): column for name, column in arrays.items() if name.startswith("history.")
    }
    model.n_iter_ = facts["epochs"]
    model._mu, model._scaling, model._rounding = facts["mu"], facts["scaling"], facts["rounding"]
    reaches = facts.get("intercept_reach", [0.0])  # files from before had none: their intercepts bear a penalty
    if len(reaches) not in (1, len(np.atleast_2d(model.coef_))):
        raise ValueError(f"intercept_reach has {len(reaches)} numbers")
    model._intercept_reach = np.array([np.inf if reach is None else float(reach) for reach in reaches])
    model._row_centers = arrays.get("row_centers")
    if "center" in arrays:
        model._center = arrays["center"][()]
        model._alpha_units = arrays.get("alpha_units", np.ones(np.size(model._center)))  # files from before had none
    model._previous = _previous_fit(model)
    return model


def _previous_fit(model: Any) -> Any:
    """What the last fit would have left for `partial_fit`."""
    from cesaro.linear.estimators.previous_fit import PreviousFit
    from cesaro.linear.problem.csr import Rows

    d, bias = model.n_features_in_, model._scaling
    none, start = np.empty(0), np.zeros(1, dtype=np.uint32)
    problem = model._problem(Rows(none, none.astype(np.uint32), start, d, bias), none, none, model.alpha)
    return PreviousFit(problem, model.solver, len(np.atleast_2d(model.coef_)), [])


def _lively(value: Any) -> Any:
    """The reverse of `_plain`."""
    if isinstance(value, dict) and "pairs" in value:
        return dict(value["pairs"])
    if isinstance(value, dict):
        return AVERAGING[value["weights"]](**{name: each for name, each in value.items() if name != "weights"})
    return value
