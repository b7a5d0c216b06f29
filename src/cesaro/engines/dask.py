"""The linear models on a Dask cluster: dask arrays and data frames, or many svmlight files (extra: dask).

from cesaro.engines.dask import DaskDualAveragingClassifier

model = DaskDualAveragingClassifier(alpha=1e-4).fit(dX, dy)     # on the current client
model.predict(dX)                                               # lazy
model.to_local()                                                # the ordinary DualAveragingClassifier
"""

from typing import Any

from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if

from cesaro.docstrings import complete
from cesaro.engines.dask_estimator import DaskEstimator
from cesaro.engines.dask_parameters import COLLECTIONS, SCORED, show_parameters
from cesaro.linear import DualAveragingClassifier, DualAveragingRegressor
from cesaro.linear.estimators.linear_classifier import gives_probabilities

__all__ = ["DaskDualAveragingClassifier", "DaskDualAveragingRegressor"]


@complete(COLLECTIONS)
class DaskDualAveragingClassifier(ClassifierMixin, DaskEstimator):
    """DualAveragingClassifier on a Dask cluster.

    Proved in mode "local": the dual values are feasible, so `lower_bound_` and the gap hold at every round, and a round never
    lowers the anchored dual (Jensen's inequality, see `cesaro.linear.solvers.anchored.shards`). Not proved: a rate; how many
    rounds it takes depends on how alike the partitions are. The result depends on the number of partitions.

    Mode "exact" sums over a fixed tree of virtual blocks. The result is the same, to the bit, for any number of workers and
    partitions, so the theorems hold as they do on one machine, certificate included. It takes far more rounds.

    `checkpoint` is a directory of the driver. Mode "local" gathers the dual values of all rows for it, 8 bytes each.
    Going on needs the same data in the same chunks; the workers may be others, and give the same bits.
    `max_iter` and `n_iter_` count rounds in mode "local", epochs in mode "exact".
    """

    _ordinary = DualAveragingClassifier

    @complete(COLLECTIONS, SCORED)
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy: the share of labels that are predicted."""
        return self._score(accuracy_score, X, y, sample_weight)

    def decision_function(self, X: Any) -> Any:
        """Scores <x, w> + b of shape (n_samples,) or (n_samples, n_classes), not computed yet."""
        return self._lazy("decision_function", X)

    @available_if(gives_probabilities)
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of shape (n_samples, n_classes), not computed yet, for the losses that give them."""
        return self._lazy("predict_proba", X)


@complete(COLLECTIONS)
class DaskDualAveragingRegressor(RegressorMixin, DaskEstimator):
    """DualAveragingRegressor on a Dask cluster; the modes are those of DaskDualAveragingClassifier."""

    _ordinary = DualAveragingRegressor

    @complete(COLLECTIONS, SCORED)
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2: 1 for a perfect prediction, 0 for that of the mean."""
        return self._score(r2_score, X, y, sample_weight)


for _kind in (DaskDualAveragingClassifier, DaskDualAveragingRegressor):
    show_parameters(_kind, _kind._ordinary, _kind._defaults())
