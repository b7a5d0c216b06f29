"""What the Dask estimators have in common: parameters, fit, and lazy predictions."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from inspect import signature
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from cesaro.docstrings import complete
from cesaro.engines.dask_parameters import COLLECTIONS, OWN
from cesaro.engines.executors import DaskCluster
from cesaro.engines.fit import EngineOptions, fit
from cesaro.engines.inputs import from_collections, from_files, refuse_other, row_blocks
from cesaro.linear.estimators.problem_factories import check_parameters

DEFAULT_SOLVER = {"local": "anchored", "exact": "sc-pda"}


@complete(COLLECTIONS)
class DaskEstimator(BaseEstimator, ABC):
    """What both have in common: the parameters are those of the ordinary estimator and the six of OWN."""

    @property
    @abstractmethod
    def _ordinary(self) -> type:
        """The class of the estimator that `to_local` returns."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        ordinary = signature(cls._ordinary.__init__).parameters.values()
        return {p.name: p.default for p in ordinary if p.name != "self"} | OWN

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(cls._defaults())

    def __init__(self, loss: str | None = None, **parameters: Any) -> None:
        defaults = self._defaults()
        unknown = sorted(set(parameters) - set(defaults))
        if unknown:
            raise TypeError(f"{type(self).__name__} has no parameters {unknown}; it has {sorted(defaults)}.")
        given = parameters if loss is None else {"loss": loss} | parameters
        for name, value in (defaults | given).items():
            setattr(self, name, value)

    def __sklearn_clone__(self) -> Self:
        parameters = {name: clone(value, safe=False) for name, value in self.get_params().items() if name != "client"}
        return type(self)(client=self.client, **parameters)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"client": None}  # a connection cannot be pickled

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to dask collections that are cut alike.

        Parameters
        ----------
        y : dask array or series of shape (n_samples,) or (n_samples, n_targets)
            Their labels or targets.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._fit(lambda: from_collections(X, y, sample_weight))

    def fit_files(self, paths: Any) -> Self:
        """Fit to svmlight files, a chunk each, read by the workers.

        Parameters
        ----------
        paths : sequence of str or path, or str
            Where every worker finds them; one string may be a pattern, as `rows/part-*.svm`.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._fit(lambda: from_files(paths))

    def _fit(self, source: Callable[[], Any]) -> Self:
        model, options = self._prepared()
        self._model = fit(model, DaskCluster(self._client()), source(), options)
        for name, value in vars(self._model).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(self, name, value)
        return self

    def _prepared(self) -> tuple[Any, EngineOptions]:
        """An unfitted ordinary estimator with checked parameters, and what is ours."""
        for name, choices in {"mode": ("local", "exact"), "shuffle": (True, False)}.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {choices}: got {getattr(self, name)!r}.")
        if not (isinstance(self.passes, int | np.integer) and self.passes >= 1):
            raise ValueError(f"passes must be a whole number, at least 1: got {self.passes!r}.")
        solver = DEFAULT_SOLVER[self.mode] if self.solver == "auto" else self.solver
        if (self.mode == "local") != (solver == "anchored"):
            raise ValueError(
                f"mode={self.mode!r} cannot run solver={solver!r}: 'local' runs 'anchored', 'exact' the methods of the "
                "paper ('gda', 'sc-pda', 'pegasos', 'pa-psg-sc', 'sc-rda'). Leave solver='auto', or change the mode."
            )
        if self.sampling != "reshuffle":
            raise ValueError(f"sampling must be 'reshuffle' on a cluster: got {self.sampling!r}.")
        if self.warm_start:
            raise ValueError(f"warm_start is not supported on a cluster: got {self.warm_start!r}.")
        changed = {"solver": solver, "batch_size": 1 if self.batch_size in ("auto", None) else self.batch_size}
        names = set(self._defaults()) - {"mode", "client", "passes", "shuffle"}
        model = self._ordinary(**{name: getattr(self, name) for name in names} | changed)
        check_parameters(model)
        return model, EngineOptions(self.mode, int(self.passes), self.shuffle, self.batch_size)

    def _client(self) -> Any:
        from distributed import default_client

        if self.client is not None:
            return self.client
        try:
            return default_client()
        except ValueError:
            raise RuntimeError(
                "there is no Dask client: make one first, client = dask.distributed.Client(...), or pass client=."
            ) from None

    def to_local(self) -> Any:
        """The ordinary fitted estimator: for predict on arrays in this process, pickling, partial_fit.

        Returns
        -------
        DualAveragingClassifier or DualAveragingRegressor
            A copy, without the checkpoint of the cluster.
        """
        check_is_fitted(self, "_model")
        return copy.deepcopy(self._model).set_params(checkpoint=None)  # which is for the cluster's rounds

    def predict(self, X: Any) -> Any:
        """Predictions of shape (n_samples,) or (n_samples, n_targets), not computed yet."""
        return self._lazy("predict", X)

    def _score(self, measure: Callable[..., float], X: Any, y: Any, sample_weight: Any) -> float:
        """A score of scikit-learn's; labels and predictions come to this process, X does not."""
        v = None if sample_weight is None else sample_weight.compute()
        return measure(y.compute(), self.predict(X).compute(), sample_weight=v)

    def _lazy(self, method: str, X: Any) -> Any:
        import dask.array as da
        from dask import delayed

        check_is_fitted(self, "_model")
        refuse_other("X", X)
        names, given = getattr(self, "feature_names_in_", None), getattr(X, "columns", None)
        if names is not None and given is not None and list(given) != list(names):
            raise ValueError(
                f"the columns of X are {list(given)[:20]}, those of fit were {list(names)[:20]}. Take "
                "X[model.feature_names_in_]."
            )
        model = delayed(self._model)
        shape, dtype = self._answer(method)
        sizes = getattr(X, "chunks", None)
        blocks = row_blocks(X)
        rows = [np.nan] * len(blocks) if sizes is None else sizes[0]
        call = delayed(_call, pure=True)
        answers = [
            da.from_delayed(call(model, method, block, shape, dtype), (n, *shape), dtype)
            for n, block in zip(rows, blocks, strict=True)
        ]
        return da.concatenate(answers, allow_unknown_chunksizes=True)

    def _answer(self, method: str) -> tuple[tuple[int, ...], Any]:
        """Shape of a row's answer and its type: those of the answer to one row of zeros."""
        one = _call(self._model, method, np.zeros((1, self.n_features_in_)), (), float)
        return one.shape[1:], one.dtype


def _call(model: Any, method: str, X: Any, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """A method of the ordinary estimator on one block, whose columns have been checked; one without rows has no answers."""
    values = X if not hasattr(X, "to_numpy") else X.to_numpy()
    if values.shape[0] == 0:
        return np.empty((0, *shape), dtype)
    model = copy.copy(model)  # other threads have the same one
    vars(model).pop("feature_names_in_", None)
    return getattr(model, method)(values)
