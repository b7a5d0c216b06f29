"""Rows that come in batches."""

import numpy as np
import pytest
from estimator_data import data, objective

from cesaro.linear import DualAveragingClassifier, DualAveragingRegressor
from cesaro.losses import CLASSIFICATION


def test_batches_of_any_size_lead_to_the_optimum():
    X, y, _ = data(n=4000, d=5, noise=0.5)
    best = DualAveragingClassifier(alpha=1e-2, tol=1e-8).fit(X, y)
    model = DualAveragingClassifier(alpha=1e-2, random_state=0)
    for _ in range(3):
        for first, last in [(0, 1), (1, 500), (500, 510), (510, 2500), (2500, 4000)]:
            model.partial_fit(X[first:last], y[first:last], classes=[0, 1])
    assert objective(model, X, 2 * y - 1) < best.objective_ * 1.02
    assert model.relative_gap_ == np.inf
    assert model.n_iter_ == 15


def test_a_small_batch_weighs_little_after_a_large_one():
    X, y, _ = data(n=600)
    model = DualAveragingClassifier(alpha=1e-2, random_state=0).partial_fit(X[:500], y[:500], classes=[0, 1])
    before = model.coef_.copy()
    model.partial_fit(X[500:505], y[500:505])
    assert np.linalg.norm(model.coef_ - before) < 0.03 * np.linalg.norm(before)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize("loss", sorted(CLASSIFICATION))
def test_partial_fit_is_finite_or_says_why_not(loss, scale):
    X, y, _ = data(n=40)
    model = DualAveragingClassifier(loss, alpha=1e-12)
    try:
        model.partial_fit(X * scale, y, classes=[0, 1])
    except ValueError as error:
        assert "scale the features" in str(error)  # noqa: PT017
    else:
        assert np.isfinite(model.coef_).all()


def test_partial_fit_goes_on_from_a_fit():
    X, y, t = data(n=1000)
    model = DualAveragingClassifier(alpha=1e-3).fit(X, y)
    before = model.score(X, y)
    assert model.partial_fit(X[:10], y[:10]).score(X, y) > before - 0.05
    model.fit(X, y)
    assert model.partial_fit(100 * np.sign(model.coef_), [0]).score(X, y) > before - 0.05
    regressor = DualAveragingRegressor(alpha=1e-3).fit(X, t)
    before = regressor.score(X, t)
    assert regressor.partial_fit(X[:100], t[:100]).score(X, t) > before - 0.1


def test_partial_fit_refuses_unknown_labels_and_balanced_weights():
    X, y, _ = data()
    with pytest.raises(ValueError, match="not in classes"):
        DualAveragingClassifier().partial_fit(X, y + 5, classes=[0, 1])
    with pytest.raises(ValueError, match="classes must be passed"):
        DualAveragingClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="compute_class_weight"):
        DualAveragingClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1])


def test_partial_fit_needs_two_classes():
    with pytest.raises(ValueError, match="at least two"):
        DualAveragingClassifier().partial_fit(np.ones((3, 2)), [0, 0, 0], classes=[0])


def test_after_another_loss_or_radius_it_goes_on_from_the_point_not_from_the_sums():
    X, y, _ = data(n=600)
    for changed in ({"loss": "squared_hinge"}, {"radius": 0.5}, {"solver": "sc-pda"}):
        model = DualAveragingClassifier(alpha=1e-2, random_state=0).partial_fit(X[:300], y[:300], classes=[0, 1])
        point = DualAveragingClassifier(alpha=1e-2, random_state=0).partial_fit(X[:300], y[:300], classes=[0, 1])
        point._previous.online = None  # as after `fit`: the weights are all that is known
        for each in (model, point):
            each.set_params(**changed).partial_fit(X[300:], y[300:])
        np.testing.assert_array_equal(model.coef_, point.coef_)


@pytest.mark.parametrize("kind", [DualAveragingClassifier, DualAveragingRegressor])
def test_after_sparsify_it_goes_on_from_the_same_weights(kind):
    X, labels, targets = data()
    y = labels if kind is DualAveragingClassifier else targets
    dense, sparse = (kind(alpha=1e-2, random_state=0).fit(X, y) for _ in range(2))
    sparse.sparsify().partial_fit(X, y)
    np.testing.assert_array_equal(sparse.coef_, dense.partial_fit(X, y).coef_)
