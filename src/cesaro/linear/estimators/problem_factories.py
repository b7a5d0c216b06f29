"""What an engine needs of an estimator: its settings, a factory that makes problems where the rows are, and publication.

An engine knows sums over all rows (classes and their weights, the mean of the targets) before any worker makes a problem;
the factories below carry them there. They can be pickled.
"""

from typing import Any, NamedTuple

import numpy as np

from cesaro.linear.estimators.base import LinearModel
from cesaro.linear.estimators.linear_classifier import LinearClassifier, class_factors, one_vs_rest_columns
from cesaro.linear.estimators.linear_regressor import columns_of
from cesaro.linear.estimators.parameters import check_together
from cesaro.linear.estimators.previous_fit import PreviousFit
from cesaro.linear.estimators.proof_warnings import warn_unproved
from cesaro.linear.estimators.sklearn_compat import validate_parameters
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.problem import Fit, Problem, least_unit, make_problem
from cesaro.linear.problem.scales import largest_entry
from cesaro.linear.solvers.parallel import safeguarded
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import Loss


class ProblemFacts(NamedTuple):
    """What all problems of an estimator have in common."""

    loss: Loss
    alpha: float
    l1_ratio: float
    radius: float
    bias: float
    penalize_intercept: bool

    def problem(self, rows: Rows, y: np.ndarray, v: np.ndarray, unit: float = 1.0) -> Problem:
        """One of them."""
        return make_problem(
            rows, y, v, self.loss, self.alpha, self.l1_ratio, self.radius, self.penalize_intercept, unit
        )


class ClassProblems(NamedTuple):
    """Problems of labels: one for two classes, else one for each; `factors` are the class weights."""

    facts: ProblemFacts
    classes: np.ndarray
    factors: np.ndarray | None

    def problems(self, rows: Rows, y: np.ndarray, v: np.ndarray) -> list[Problem]:
        """The problems of these rows."""
        code = np.minimum(np.searchsorted(self.classes, y), len(self.classes) - 1)
        v = v if self.factors is None else v * self.factors[code]
        least, columns = least_unit(len(self.classes)), one_vs_rest_columns(code, len(self.classes))
        return [self.facts.problem(rows, column, v)._replace(least_unit=least) for column in columns]


class TargetProblems(NamedTuple):
    """Problems of targets, one for each column, centred."""

    facts: ProblemFacts
    center: np.ndarray
    units: np.ndarray  # of alpha, for each column

    def problems(self, rows: Rows, y: np.ndarray, v: np.ndarray) -> list[Problem]:
        """The problems of these rows."""
        columns = columns_of(y.astype(np.float64) - self.center)
        return [self.facts.problem(rows, column, v, unit) for column, unit in zip(columns, self.units, strict=True)]


ProblemFactory = ClassProblems | TargetProblems


def check_parameters(model: LinearModel) -> None:
    """Refuse parameters that `fit` would refuse."""
    validate_parameters(model)
    check_together(model)


def settings_of(model: LinearModel) -> Settings:
    """How the estimator wants its problems solved."""
    return model._settings()


def is_classifier(model: LinearModel) -> bool:
    """Whether y holds labels."""
    return isinstance(model, LinearClassifier)


def facts_of(model: LinearModel) -> ProblemFacts:
    """What its parameters say of every problem."""
    return ProblemFacts(
        model._loss(), model.alpha, model.l1_ratio, model._radius, model._bias, model._penalizes_intercept
    )


def class_problems(model: Any, classes: np.ndarray, totals: np.ndarray) -> ClassProblems:
    """The factory of a classifier; `totals` are the weights of the classes. Sets `classes_`."""
    model.classes_, factors = classes, None
    if model.class_weight is not None:
        factors = class_factors(model.class_weight, classes, np.arange(len(classes)), totals)
    return ClassProblems(facts_of(model), classes, factors)


def target_problems(model: Any, mean: np.ndarray, spread: np.ndarray) -> TargetProblems:
    """The factory of a regressor; the mean of the targets, which an intercept takes over, and their standard deviation."""
    model._center = mean if model.fit_intercept else np.zeros_like(mean)
    model._alpha_units = model._units(spread)
    return TargetProblems(facts_of(model), model._center, model._alpha_units)


def publish(model: Any, fits: list[Fit], sample: Problem, n: int, largest: float) -> None:
    """The fitted attributes of an ordinary fit to n rows; a warning if the proof that was asked for is not there.

    `largest` is the largest |x| of all rows, of which the sample has only some.
    """
    at_zero = [float(fit.history["objective"][0]) for fit in fits]
    fits = [safeguarded(zero, fit) for zero, fit in zip(at_zero, fits, strict=True)]
    rows = sample.rows._replace(ptr=np.broadcast_to(np.uint32(0), n + 1), data=sample.rows.data[:0])
    problem = sample._replace(rows=rows, largest=max(largest, largest_entry(sample)))
    model._publish(fits, at_zero, problem)
    model._previous = PreviousFit(problem, model.solver, len(fits), [])
    if not is_classifier(model):
        model._shape(single=np.ndim(model._center) == 0)
    warn_unproved(model, fits, None, interrupted=False)
