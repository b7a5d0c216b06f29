"""What the classifier and the regressor share: parameters, from parameters to problems, from fits to attributes."""

import warnings
from abc import ABC, abstractmethod
from numbers import Integral, Real
from os import PathLike
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from cesaro.linear.estimators.fingerprint import about
from cesaro.linear.estimators.sklearn_compat import Callbacks, CallbackSupportMixin
from cesaro.linear.out_of_core.csr_store import Store
from cesaro.linear.out_of_core.readers import blocks, cache_folder, columns, open_store
from cesaro.linear.problem.block_order import STATE, Layout, choose
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.empty_columns import compact, spread
from cesaro.linear.problem.problem import Fit, Problem, make_problem, relative_gap
from cesaro.linear.solvers.parallel import solve_all
from cesaro.linear.solvers.progress import begin
from cesaro.linear.solvers.settings import SOLVERS, Settings
from cesaro.losses import Loss
from cesaro.storage.checkpoint import Checkpoint

Path = str | PathLike[str]
POSITIVE = Interval(Real, 0, None, closed="neither")
CONSTRAINTS: dict[str, list[Any]] = {
    "alpha": [POSITIVE],
    "l1_ratio": [Interval(Real, 0, 1, closed="both")],
    "solver": [StrOptions(set(SOLVERS))],
    "averaging": [StrOptions({"auto"}), HasMethods(["relative"])],
    "anchor": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
    "radius": [None, POSITIVE],
    "tol": [None, Interval(Real, 0, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "time_limit": [None, Interval(Real, 0, None, closed="left")],
    "batch_size": [Interval(Integral, 1, None, closed="left")],
    "sampling": [StrOptions({"reshuffle", "replacement"})],
    "epsilon": [Interval(Real, 0, None, closed="left")],
    "fit_intercept": ["boolean"],
    "intercept_scaling": [POSITIVE],
    "warm_start": ["boolean"],
    "checkpoint": [None, str, PathLike],
    "n_jobs": [None, Integral],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}


class PreviousFit:
    """What a fit leaves for the next one: its weights, and the solver's states for a warm start or the next batch."""

    def __init__(
        self, problem: Problem, solver: str, W: np.ndarray, states: list[Any], online: list[Any] | None = None
    ) -> None:
        self.n, self.loss, self.solver = problem.rows.n, problem.loss, solver
        self.columns = (problem.rows.d, problem.rows.bias)
        self.W, self.states, self.online = W, states, online

    def matches(self, problems: list[Problem], solver: str) -> bool:
        """Whether `states` are about problems of this shape."""
        rows, loss = problems[0].rows, problems[0].loss
        mine = (self.n, self.columns, self.loss, self.solver, len(self.W))
        return bool(self.states) and mine == (rows.n, (rows.d, rows.bias), loss, solver, len(problems))


class LinearModel(CallbackSupportMixin, BaseEstimator, ABC):
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

    def _check_together(self) -> None:
        """Refuse what single parameters cannot show."""
        if self.l1_ratio == 1.0:
            raise ValueError(
                "l1_ratio=1 leaves no L2 term: the objective is not strongly convex and nothing can be proved. "
                "Use l1_ratio < 1, for example 0.99."
            )
        if self.l1_ratio > 0.0 and self.radius is not None:
            raise ValueError(
                f"l1_ratio={self.l1_ratio} together with radius={self.radius} is not supported: a step "
                "with both would touch every feature. Set radius=None or l1_ratio=0."
            )
        if self.l1_ratio > 0.0 and self.solver not in ("anchored", "gda", "sc-rda"):
            raise ValueError(
                f"l1_ratio={self.l1_ratio} needs solver='anchored', 'gda' or 'sc-rda': got solver={self.solver!r}, "
                "whose steps would touch every feature."
            )
        if self.checkpoint is not None and self.warm_start:
            raise ValueError(
                "checkpoint together with warm_start=True is not supported: a fit that goes on after a crash would have "
                "lost the model that it began from. Set warm_start=False or checkpoint=None."
            )

    def _refuse_checkpoint(self, instead: str) -> None:
        if self.checkpoint is not None:
            raise ValueError(
                f"checkpoint={self.checkpoint!r} is for one fit at one alpha only. Set checkpoint=None; {instead}"
            )

    def _open(self, path: Path, n_features: int | None, label: str, cache: Path | None) -> Store:
        """The rows of a file, memory-mapped."""
        if self.warm_start:
            raise ValueError("fit_file does not start from an earlier fit: set warm_start=False.")
        store = open_store(path, cache=cache, n_features=n_features, label=label, verbose=self.verbose)
        self.n_features_in_, names = store.d, columns(path, label)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return store

    def _lay_out(self, store: Store, memory: float, cache: Path | None, models: int) -> Layout:
        """How the rows are visited within `memory`."""
        if not (isinstance(memory, Real) and memory > 0.0):
            raise ValueError(f"memory must be a positive number of bytes: got {memory!r}. The default is 1e9.")
        jobs, size = min(effective_n_jobs(self.n_jobs), models), store.data.nbytes + store.col.nbytes + store.ptr.nbytes
        layout = choose(store.n, size, store.digest, memory, models, jobs, cache_folder(cache))
        if layout.folder is not None and self.solver != "anchored":
            raise ValueError(
                f"solver={self.solver!r} keeps about {STATE} bytes in memory for each of the {store.n} rows: more than "
                f"half of memory={memory:g}. Use solver='anchored', which can keep them in a file, or more memory."
            )
        return layout

    def predict_file(self, path: Path, *, label: str = "label") -> np.ndarray:
        """Predictions for the rows of a file, read a block at a time.

        Parameters
        ----------
        path : str or path
            svmlight, Parquet or Arrow. Columns of a table are found by the names that they had in `fit`, if they had any;
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

    def _problem(self, rows: Rows, y: np.ndarray, v: np.ndarray, alpha: float) -> Problem:
        radius = np.inf if self.radius is None else float(self.radius)
        return make_problem(rows, y, v, self._loss(), alpha, self.l1_ratio, radius)

    def _solve(self, problems: list[Problem], at_zero: list[float], settings: Settings) -> list[Fit]:
        """Fits of the problems, one model each; a warm start continues from the last ones where they still match."""
        if not np.isfinite(at_zero).all():
            raise ValueError(
                "The loss overflows at w = 0: the targets are too large. Divide y by its standard deviation."
            )
        starts: list[Any] = [None] * len(problems)
        last = getattr(self, "_previous", None)
        if self.warm_start and last is not None and last.matches(problems, settings.solver):
            starts = last.states
        progress: Any = begin(len(problems), settings.max_iter, settings.tol, max(at_zero), self.verbose)
        if "_skl_callbacks" in vars(self):
            progress = Callbacks(self, len(problems), progress)
        checkpoint = None
        if self.checkpoint is not None:
            checkpoint = Checkpoint(self.checkpoint, about(self.get_params(deep=False), problems), settings.seed)
            settings = settings._replace(seed=checkpoint.seed)
        fewer, places = (problems, None) if self.warm_start else compact(problems)
        try:
            fits = solve_all(fewer, at_zero, settings, starts, progress, checkpoint)
        finally:
            progress.close()
        fits = [spread(fit, places, problems[0].rows.width) for fit in fits]
        states = [fit.state for fit in fits] if self.warm_start else []
        self._previous = PreviousFit(problems[0], settings.solver, np.stack([fit.w for fit in fits]), states)
        return fits

    def _one_pass(self, problems: list[Problem]) -> list[Fit]:
        """One memoryless epoch over these rows, for partial_fit. Nothing is proved about rows that have passed."""
        from cesaro.linear.solvers.averaging.online import partial_fit

        settings, last = self._settings(), getattr(self, "_previous", None)
        before: list[Any] = [None] * len(problems) if last is None else last.online or list(last.W)
        pairs = [partial_fit(problem, settings, start) for problem, start in zip(problems, before, strict=True)]
        fits = [fit for fit, _ in pairs]
        self._previous = PreviousFit(
            problems[0], settings.solver, np.stack([fit.w for fit in fits]), [], [s for _, s in pairs]
        )
        passed = getattr(self, "n_iter_", 0)
        return [fit._replace(n_iter=passed + fit.n_iter) for fit in fits]

    def _finish(self, problems: list[Problem], at_zero: list[float], settings: Settings | None = None) -> Self:
        """Solve, set the fitted attributes, warn if the proof that was asked for is not there."""
        settings = settings or self._settings()
        fits = self._solve(problems, at_zero, settings)
        self._publish(fits, at_zero, problems[0])
        self._warn(fits, settings.interrupted)
        return self

    def _split(self, W: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts of weight vectors (..., width)."""
        if self.fit_intercept:
            return np.ascontiguousarray(W[..., :d]), self._bias * W[..., d]
        return W, np.zeros(W.shape[:-1])

    def _publish(self, fits: list[Fit], at_zero: list[float], problem: Problem) -> None:
        """Set the fitted attributes; `at_zero` holds the objectives at w = 0."""
        n, d = problem.rows.n, problem.rows.d
        self.coef_, self.intercept_ = self._split(np.stack([fit.w for fit in fits]), d)
        objective = np.array([fit.objective for fit in fits])
        lower = np.array([fit.lower_bound for fit in fits])
        gap, relative = np.maximum(objective - lower, 0.0), relative_gap(objective, lower, at_zero)
        self.objective_, self.lower_bound_, self.dual_gap_, self.relative_gap_ = (
            float(values[0]) if len(fits) == 1 else values for values in (objective, lower, gap, relative)
        )
        self.n_iter_ = max(fit.n_iter for fit in fits)
        self.history_ = _history(fits)
        self._mu, self._scaling = problem.mu, problem.rows.bias
        self._rounding = (n + d) * np.finfo(float).eps  # of an objective, relative: a sum of n losses of d products

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
                "Raise max_iter, time_limit or tol; tol=0 asks for no proof."
            )
            warnings.warn(message, ConvergenceWarning, stacklevel=5)


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
