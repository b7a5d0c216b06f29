"""What the classifier and the regressor share: parameters, from parameters to problems, from fits to attributes."""

import warnings
from abc import ABC, abstractmethod
from numbers import Integral
from os import PathLike
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from cesaro.linear.bounds.rounding import relative_error
from cesaro.linear.estimators.certified_predictions import reaches_and_centers
from cesaro.linear.estimators.export import Exports
from cesaro.linear.estimators.fingerprint import FURTHER, about
from cesaro.linear.estimators.parameters import CONSTRAINTS
from cesaro.linear.estimators.representation import ShowsItsProof
from cesaro.linear.estimators.sklearn_compat import CachedParameters, Callbacks, CallbackSupportMixin, has_callbacks
from cesaro.linear.out_of_core.readers import blocks
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.empty_columns import compact, spread
from cesaro.linear.problem.problem import Fit, InterceptBound, Problem, make_problem, relative_gap
from cesaro.linear.problem.scales import in_range
from cesaro.linear.solvers.parallel import solve_all
from cesaro.linear.solvers.progress import begin
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import Loss
from cesaro.storage.checkpoint import Checkpoint


class PreviousFit:
    """What a fit leaves for the next one besides its weights: the solver's states for a warm start or the next batch."""

    def __init__(
        self, problem: Problem, solver: str, models: int, states: list[Any], online: list[Any] | None = None
    ) -> None:
        self.n, self.loss, self.solver = problem.rows.n, problem.loss, solver
        self.columns = (problem.rows.d, problem.rows.bias)
        self.models, self.states, self.online = models, states, online

    def matches(self, problems: list[Problem], solver: str) -> bool:
        """Whether `states` are about problems of this shape."""
        rows, loss = problems[0].rows, problems[0].loss
        mine = (self.n, self.columns, self.loss, self.solver, self.models)
        return bool(self.states) and mine == (rows.n, (rows.d, rows.bias), loss, solver, len(problems))


class LinearModel(Exports, ShowsItsProof, CallbackSupportMixin, CachedParameters, BaseEstimator, ABC):
    """Models w that minimise  alpha (1-l1_ratio)/2 |w|^2 + alpha l1_ratio |w|_1 + mean loss  over  |w| <= radius."""

    _parameter_constraints: dict[str, list[Any]] = CONSTRAINTS

    @abstractmethod
    def _loss(self) -> Loss:
        """The loss that the parameters name."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "coef_" in vars(self)

    @property
    def _bias(self) -> float:
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    def predict_file(self, path: str | PathLike[str], *, label: str = "label") -> np.ndarray:
        """Predictions for the rows of a file, read a block at a time.

        Parameters
        ----------
        path : str or path
            svmlight, Parquet, Arrow or CSV. Columns of a table are found by the names that they had in `fit`, if they had any;
            others may be there.
        label : str
            The one column that may be there besides, in a table for a model without names.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            As `predict` gives them.

        Raises
        ------
        ValueError
            If the file has no rows.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        found = [self._answer(X) for X, _ in blocks(path, self.n_features_in_, label, names=names, labelled=False)]
        if not found:
            raise ValueError(f"{path} has no rows.")
        return np.concatenate(found)

    @abstractmethod
    def _answer(self, X: Any) -> np.ndarray:
        """Predictions for rows that have been checked."""

    def _settings(self) -> Settings:
        return Settings(
            solver=self.solver,
            tol=0.0 if self.tol is None else float(self.tol),
            max_iter=int(self.max_iter),
            time_limit=self.time_limit,
            seed=_seed(self.random_state),
            anchor=self.anchor,
            averaging=self.averaging,
            batch_size=int(self.batch_size),
            sampling=self.sampling,
            n_jobs=effective_n_jobs(self.n_jobs),
        )

    def _problem(self, rows: Rows, y: np.ndarray, v: np.ndarray, alpha: float, unit: float = 1.0) -> Problem:
        radius = np.inf if self.radius is None else float(self.radius)
        penalized = penalizes_intercept(self.solver, self.penalize_intercept)
        return make_problem(rows, y, v, self._loss(), alpha, self._ratio(), radius, penalized, unit)

    def _ratio(self) -> float:
        """The share of L1."""
        return float(self.l1_ratio)

    def _solve(self, problems: list[Problem], at_zero: list[float], settings: Settings) -> list[Fit]:
        """Fits of the problems, one model each; a warm start continues from the last ones where they still match."""
        starts: list[Any] = [None] * len(problems)
        last = getattr(self, "_previous", None)
        if self.warm_start and last is not None and last.matches(problems, settings.solver):
            starts = last.states
        progress: Any = begin(
            len(problems), settings.max_iter, settings.tol, problems[0].least_unit * max(at_zero), self.verbose
        )
        if has_callbacks(self):
            progress = Callbacks(self, len(problems), progress)
        checkpoint = None
        if self.checkpoint is not None:
            checkpoint = Checkpoint(
                self.checkpoint, about(self.get_params(deep=False), problems), settings.seed, FURTHER
            )
            settings = settings._replace(seed=checkpoint.seed)
        fewer, places = (problems, None) if self.warm_start else compact(problems)
        try:
            fits = solve_all(fewer, at_zero, settings, starts, progress, checkpoint)
        finally:
            progress.close()
        fits = [spread(fit, places, problems[0].rows.width) for fit in fits]
        states = [fit.state for fit in fits] if self.warm_start else []
        self._previous = PreviousFit(problems[0], settings.solver, len(fits), states)
        return fits

    def _one_pass(self, problems: list[Problem]) -> list[Fit]:
        """One memoryless epoch over these rows, for partial_fit. Nothing is proved about rows that have passed."""
        from cesaro.linear.solvers.averaging.online import partial_fit

        settings, last = self._settings(), getattr(self, "_previous", None)
        before: list[Any] = [None] * len(problems) if last is None else last.online or list(self._weights())
        problems = in_range(problems)
        pairs = [partial_fit(problem, settings, start) for problem, start in zip(problems, before, strict=True)]
        fits = [fit for fit, _ in pairs]
        self._previous = PreviousFit(problems[0], settings.solver, len(fits), [], [s for _, s in pairs])
        passed = getattr(self, "n_iter_", 0)
        return [fit._replace(n_iter=passed + fit.n_iter) for fit in fits]

    def _finish(self, problems: list[Problem], at_zero: list[float], settings: Settings | None = None) -> Self:
        """Solve, set the fitted attributes, warn if the proof that was asked for is not there."""
        settings, problems = settings or self._settings(), in_range(problems)
        fits = self._solve(problems, at_zero, settings)
        self._publish(fits, at_zero, problems[0], self._intercept_bounds(problems, fits))
        self._warn(fits, settings.interrupted)
        return self

    def _split(self, W: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts of weight vectors (..., width)."""
        if self.fit_intercept:
            return np.ascontiguousarray(W[..., :d]), self._bias * W[..., d]
        return W, np.zeros(W.shape[:-1])

    def _weights(self) -> np.ndarray:
        """The weight vectors (models, width) of the fitted coefficients and intercepts."""
        coef = np.atleast_2d(self.coef_)
        constant = np.reshape(self.intercept_ - getattr(self, "_center", 0.0), (len(coef), 1))
        return np.hstack([coef, constant / self._scaling]) if self._scaling else coef

    def _intercept_bounds(self, problems: list[Problem], fits: list[Fit]) -> list[InterceptBound] | None:
        """How far the optimum's predictions may be from those of the fits, where somebody will ask."""
        return None

    def _publish(self, fits: list[Fit], at_zero: list[float], problem: Problem, bounds: Any = None) -> None:
        """Set the fitted attributes; `at_zero` holds the objectives at w = 0, `bounds` what `_intercept_bounds` gives."""
        d = problem.rows.d
        self.intercept_ = np.array([self._bias * fit.w[d] if self._bias else 0.0 for fit in fits])
        self._rounding = max(relative_error(problem, fit.w, float(fit.objective)) for fit in fits)
        self.coef_ = np.empty((len(fits), d))
        for k, fit in enumerate(fits):  # all weights need not be in memory twice
            self.coef_[k] = fit.w[:d]
            fits[k] = fit._replace(w=self.coef_[k])
        objective = np.array([fit.objective for fit in fits])
        lower = np.array([fit.lower_bound for fit in fits])
        gap, least = np.maximum(objective - lower, 0.0), problem.least_unit * np.array(at_zero)
        relative = relative_gap(objective, lower, least)
        self.objective_, self.lower_bound_, self.dual_gap_, self.relative_gap_ = (
            float(values[0]) if len(fits) == 1 else values for values in (objective, lower, gap, relative)
        )
        self.n_iter_ = max(fit.n_iter for fit in fits)
        self.history_ = _history(fits)
        self._mu, self._scaling = problem.mu, problem.rows.bias
        penalized = problem.penalize_intercept or not self._scaling
        self._intercept_reach, self._row_centers = reaches_and_centers(bounds, 0.0 if penalized else np.inf, len(fits))

    def _warn(self, fits: list[Fit], interrupted: bool = False) -> None:
        """Say so, to the caller of fit, when the proof that was asked for is not there."""
        reached = float(np.max(self.relative_gap_))
        if interrupted or any(fit.status == "interrupted" for fit in fits):
            message = (
                f"The fit was interrupted after {self.n_iter_} epochs. The model is fitted and usable; "
                f"its proved relative gap is {reached:.1e}."
            )
            warnings.warn(message, ConvergenceWarning, stacklevel=5)
        elif self.tol and reached > self.tol:
            message = (
                f"The proved relative gap is {reached:.1e} after {self.n_iter_} epochs, above tol={self.tol:g}. "
                "If the columns differ in scale, scale them (MaxAbsScaler, StandardScaler); then raise max_iter, time_limit "
                "or tol; tol=0 asks for no proof."
            )
            warnings.warn(message, ConvergenceWarning, stacklevel=5)


def penalizes_intercept(solver: str, asked: bool) -> bool:
    """Whether the intercept bears the L2 penalty: the paper's methods need strong convexity in every direction."""
    return asked or solver != "anchored"


def _seed(random_state: Any) -> int:
    """An integer is its own seed; anything else draws one."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _history(fits: list[Fit]) -> dict[str, np.ndarray]:
    """The histories one after the other; with several models the column `model` says whose a row is."""
    history = {key: np.concatenate([fit.history[key] for fit in fits]) for key in fits[0].history}
    if len(fits) > 1:
        history["model"] = np.repeat(np.arange(len(fits)), [len(fit.history["epoch"]) for fit in fits])
    return history
