"""What the Dask estimators refuse and say, and that scikit-learn can handle them."""

import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")
sys.path.insert(0, str(Path(__file__).parent))

import dask.array as da
from dask import delayed
from sklearn.base import clone, is_classifier, is_regressor
from sources import classes, cut, fit_here

from cesaro.engines.dask import DaskDualAveragingClassifier, DaskDualAveragingRegressor
from cesaro.linear import DualAveragingClassifier


def test_without_a_client_the_error_says_how_to_get_one():
    X, y = cut(*classes(0), 100)
    with pytest.raises(RuntimeError, match=r"no Dask client.*Client"):
        DaskDualAveragingClassifier().fit(X, y)


def test_parameters_are_those_of_the_ordinary_estimator_and_six_more():
    ordinary = set(DualAveragingClassifier().get_params())
    assert set(DaskDualAveragingClassifier().get_params()) == ordinary | {"mode", "client", "passes", "shuffle"}
    with pytest.raises(TypeError, match="no parameters"):
        DaskDualAveragingClassifier(alhpa=1.0)


def test_a_clone_shares_the_client_and_copies_the_rest():
    client = object()
    model = DaskDualAveragingClassifier("log_loss", alpha=0.5, client=client, mode="exact")
    other = clone(model)
    assert other.client is client
    assert (other.loss, other.alpha, other.mode) == ("log_loss", 0.5, "exact")
    assert other.set_params(alpha=2.0).alpha == 2.0
    assert model.alpha == 0.5
    assert pickle.loads(pickle.dumps(model.set_params(client=None))).loss == "log_loss"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mode": "fast"}, "mode must be one of"),
        ({"solver": "gda"}, "mode='local' cannot run solver='gda'"),
        ({"mode": "exact", "solver": "anchored"}, "mode='exact' cannot run"),
        ({"passes": 0}, "passes must be"),
        ({"sampling": "replacement"}, "sampling must be"),
        ({"warm_start": True}, "warm_start is not supported"),
        ({"alpha": -1.0}, "alpha"),
        ({"l1_ratio": 0.5, "radius": 1.0}, "together with radius"),
    ],
)
def test_settings_that_cannot_be_are_refused(given, said):
    X, y = cut(*classes(0), 100)
    with pytest.raises(ValueError, match=said):
        fit_here(DaskDualAveragingClassifier(**given), X, y)


def test_data_that_cannot_be_are_refused():
    X, y = classes(0)
    dX, dy = cut(X, y, 100)
    estimator = DaskDualAveragingClassifier()
    with pytest.raises(TypeError, match=r"X must be a dask array.*ndarray"):
        fit_here(estimator, X, dy)
    with pytest.raises(ValueError, match="X has 400 rows"):
        fit_here(estimator, dX, dy[:-1])
    with pytest.raises(ValueError, match="NaN"):
        fit_here(estimator, da.where(dX > 2.0, np.nan, dX), dy)
    with pytest.raises(ValueError, match="one class"):
        fit_here(estimator, dX, da.zeros(400, chunks=100))
    with pytest.raises(ValueError, match="not be negative"):
        fit_here(estimator, dX, dy, -da.ones(400, chunks=100))
    with pytest.raises(ValueError, match="non-zero"):
        fit_here(DaskDualAveragingRegressor(), dX, da.ones(400, chunks=100), da.zeros(400, chunks=100))
    with pytest.raises(ValueError, match="scale the columns"):
        fit_here(estimator, dX * 1e30, dy)


def test_they_are_a_classifier_and_a_regressor_with_probabilities_where_the_loss_has_them():
    assert is_classifier(DaskDualAveragingClassifier())
    assert is_regressor(DaskDualAveragingRegressor())
    assert not hasattr(DaskDualAveragingClassifier(), "predict_proba")
    assert hasattr(DaskDualAveragingClassifier(loss="log_loss"), "predict_proba")


def test_chunks_of_columns_and_other_cuts_of_y_are_joined():
    X, y = classes(1)
    one = fit_here(DaskDualAveragingClassifier(random_state=0), *cut(X, y, 100))
    other = fit_here(
        DaskDualAveragingClassifier(random_state=0), da.from_array(X, chunks=(100, 3)), da.from_array(y, chunks=77)
    )
    np.testing.assert_array_equal(one.coef_, other.coef_)


def test_a_chunk_of_another_width_is_named_with_its_own():
    X, y = classes(0, d=10)
    narrow = da.from_delayed(delayed(X[100:, :9]), shape=(len(X) - 100, 10), dtype=float)
    dX = da.concatenate([da.from_array(X[:100], chunks=(100, 10)), narrow])
    with pytest.raises(ValueError, match="X has 10 columns, but a chunk of it has 9"):
        fit_here(DaskDualAveragingClassifier(), dX, da.from_array(y, chunks=((100, len(X) - 100),)))


def test_a_chunk_without_rows_may_have_any_width():
    X, y = classes(0, d=10)
    none = da.from_delayed(delayed(np.empty((0, 0))), shape=(0, 10), dtype=float)
    dX = da.concatenate([da.from_array(X, chunks=(200, 10)), none])
    dy = da.concatenate([da.from_array(y, chunks=200), da.from_array(y[:0], chunks=1)])
    assert fit_here(DaskDualAveragingClassifier(alpha=1e-2), dX, dy).n_features_in_ == 10
