"""What the classifier and the regressor share: parameters, from parameters to problems, from fits to attributes."""

import math
from abc import ABC, abstractmethod
from numbers import Integral
from os import PathLike
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from cesaro.linear.estimators.certified_predictions import reaches_and_centers
from cesaro.linear.estimators.export import Exports, dense_coef
from cesaro.linear.estimators.fingerprint import FURTHER, about
from cesaro.linear.estimators.parameters import CONSTRAINTS
from cesaro.linear.estimators.previous_fit import PreviousFit
from cesaro.linear.estimators.proof_warnings import warn_unproved
from cesaro.linear.estimators.representation import ShowsItsProof
from cesaro.linear.estimators.sklearn_compat import CachedParameters, Callbacks, CallbackSupportMixin, has_callbacks
from cesaro.linear.estimators.validation import finite_and_in_range
from cesaro.linear.out_of_core.readers import blocks
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.empty_columns import UsedColumns, compact
from cesaro.linear.problem.problem import Fit, InterceptBound, Problem, make_problem, relative_gap
from cesaro.linear.solvers.parallel import solve_all
from cesaro.linear.solvers.progress import begin
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import Loss
from cesaro.storage.checkpoint import Checkpoint


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

    @property
    def _radius(self) -> float:
        return np.inf if self.radius is None else float(self.radius)

    @property
    def _penalizes_intercept(self) -> bool:
        """Whether the intercept bears the L2 penalty: the paper's methods need strong convexity in every direction."""
        return self.penalize_intercept or self.solver != "anchored"

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

    def _settings(self, began: float = math.inf) -> Settings:
        """How to solve; a fit that has `began` at that time has to end when its time limit is over."""
        return Settings(
            solver=self.solver,
            tol=0.0 if self.tol is None else float(self.tol),
            max_iter=int(self.max_iter),
            time_limit=self.time_limit,
            deadline=math.inf if self.time_limit is None else began + self.time_limit,
            seed=_seed(self.random_state),
            anchor=self.anchor,
            averaging=self.averaging,
            batch_size=int(self.batch_size),
            sampling=self.sampling,
            n_jobs=effective_n_jobs(self.n_jobs),
        )

    def _problem(self, rows: Rows, y: np.ndarray, v: np.ndarray, alpha: float, unit: float = 1.0) -> Problem:
        loss, ratio = self._loss(), self._ratio()
        return make_problem(rows, y, v, loss, alpha, ratio, self._radius, self._penalizes_intercept, unit)

    def _ratio(self) -> float:
        """The share of L1."""
        return float(self.l1_ratio)

    def _solve(self, problems: list[Problem], at_zero: list[float], settings: Settings) -> list[Fit]:
        """Fits of the problems, one model each; a warm start goes on from the last ones where they still match."""
        starts: list[Any] = [None] * len(problems)
        last = getattr(self, "_previous", None)
        if self.warm_start and last is not None and last.matches(problems, settings.solver):
            starts = last.states
        least = problems[0].least_unit * max(at_zero)
        progress: Any = begin(len(problems), settings.max_iter, settings.tol, least, self.verbose)
        if has_callbacks(self):
            progress = Callbacks(self, len(problems), progress)
        checkpoint = None
        if self.checkpoint is not None:
            what = about(self.get_params(deep=False), problems)
            checkpoint = Checkpoint(self.checkpoint, what, settings.seed, FURTHER)
            settings = settings._replace(seed=checkpoint.seed)
        try:
            return solve_all(problems, at_zero, settings, starts, progress, checkpoint)
        finally:
            progress.close()

    def _one_pass(self, problems: list[Problem]) -> list[Fit]:
        """One memoryless epoch over these rows, for partial_fit. Nothing is proved about rows that have passed."""
        from cesaro.linear.solvers.averaging.online import partial_fit

        settings, last = self._settings(), getattr(self, "_previous", None)
        before: list[Any] = [None] * len(problems) if last is None else last.online or list(self._weights())
        problems = finite_and_in_range(problems)
        pairs = [partial_fit(problem, settings, start) for problem, start in zip(problems, before, strict=True)]
        fits = [fit for fit, _ in pairs]
        self._previous = PreviousFit(problems[0], settings.solver, len(fits), [], [s for _, s in pairs])
        passed = getattr(self, "n_iter_", 0)
        return [fit._replace(n_iter=passed + fit.n_iter) for fit in fits]

    def _finish(self, problems: list[Problem], at_zero: list[float], settings: Settings) -> Self:
        """Solve, set the fitted attributes, warn if the proof that was asked for is not there."""
        problems = finite_and_in_range(problems)
        fewer, places = (problems, None) if self.warm_start else compact(problems)
        fits = self._solve(fewer, at_zero, settings)
        states = [fit.state for fit in fits] if self.warm_start else []
        self._previous = PreviousFit(problems[0], settings.solver, len(fits), states)
        columns = None if places is None else UsedColumns(places[: fewer[0].rows.d], problems[0].rows.d)
        self._publish(fits, at_zero, fewer[0], self._intercept_bounds(fewer, fits, settings), columns)
        warn_unproved(self, fits, problems[0], settings.interrupted)
        return self

    def _split(self, W: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts of weight vectors (..., width)."""
        if not self.fit_intercept:
            return W, np.zeros(W.shape[:-1])
        return np.ascontiguousarray(W[..., :d]), self._bias * W[..., d]

    def _weights(self) -> np.ndarray:
        """The weight vectors (models, width) of the fit."""
        coef = np.atleast_2d(dense_coef(self))
        constant = np.reshape(self.intercept_ - getattr(self, "_center", 0.0), (len(coef), 1))
        return np.hstack([coef, constant / self._scaling]) if self._scaling else coef

    def _intercept_bounds(
        self, problems: list[Problem], fits: list[Fit], settings: Settings
    ) -> list[InterceptBound] | None:
        """How far the optimum's predictions may be from those of the fits, where somebody will ask."""
        return None

    def _relative_rounding(self, problem: Problem, fits: list[Fit]) -> float:
        """What rounding may have done to the objectives, in units of them, where somebody will ask."""
        return 0.0

    def _publish(
        self,
        fits: list[Fit],
        at_zero: list[float],
        problem: Problem,
        bounds: Any = None,
        places: UsedColumns | None = None,
    ) -> None:
        """Set the fitted attributes; `at_zero` holds the objectives at w = 0, `bounds` what `_intercept_bounds` gives.

        Where the fits are over some of the columns, `places` has which.
        """
        d = problem.rows.d
        self.intercept_ = np.array([self._bias * fit.w[d] if self._bias else 0.0 for fit in fits])
        self._rounding = self._relative_rounding(problem, fits)
        self.coef_ = np.empty((len(fits), d)) if places is None else np.zeros((len(fits), places.d))
        for k, fit in enumerate(fits):  # all weights need not be in memory twice
            self.coef_[k, slice(None) if places is None else places.used] = fit.w[:d]
            fits[k] = fit._replace(w=self.coef_[k])
        objective = np.array([fit.objective for fit in fits])
        lower = np.array([fit.lower_bound for fit in fits])
        gap, least = np.maximum(objective - lower, 0.0), problem.least_unit * np.array(at_zero)
        relative = relative_gap(objective, lower, least)
        found = [float(values[0]) if len(fits) == 1 else values for values in (objective, lower, gap, relative)]
        self.objective_, self.lower_bound_, self.dual_gap_, self.relative_gap_ = found
        self.n_iter_ = max(fit.n_iter for fit in fits)
        self.history_ = _history(fits)
        self._mu, self._scaling = problem.mu, problem.rows.bias
        penalized = problem.penalize_intercept or not self._scaling
        self._intercept_reach, centers = reaches_and_centers(bounds, 0.0 if penalized else np.inf, len(fits))
        self._row_centers = centers if centers is None or places is None else places.spread(centers)


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
