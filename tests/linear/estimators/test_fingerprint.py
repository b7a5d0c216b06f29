"""Whose checkpoint it is: another run's is refused with what differs."""

import numpy as np
import pytest
from checkpointed_fits import assert_same, classifier, data, quietly

from cesaro.linear import (
    DualAveragingClassifierCV,
    DualAveragingRegressorCV,
)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"alpha": 1e-2}, "alpha is 0.01 here and 0.001 there"),
        ({"solver": "gda"}, "solver is 'gda' here and 'anchored' there"),
        ({"random_state": 6}, "random_state is 6 here and 5 there"),
        ({"max_iter": 11}, "max_iter is 11.0 here and 12.0 there"),
        ({"class_weight": "balanced"}, "sample_weight is "),
    ],
)
def test_another_runs_checkpoint_is_refused_with_what_differs(change, told, tmp_path):
    X, y, _ = data()
    quietly(classifier(checkpoint=tmp_path), X, y)
    with pytest.raises(ValueError, match="another directory") as caught:
        classifier(checkpoint=tmp_path, **change).fit(X, y)
    assert told in str(caught.value)


def test_other_data_are_another_run(tmp_path):
    X, y, _ = data()
    quietly(classifier(checkpoint=tmp_path), X, y)
    nudged = X.copy()
    nudged[3, 2] = np.nextafter(nudged[3, 2], 1.0)
    with pytest.raises(ValueError, match="another run's: X is"):
        classifier(checkpoint=tmp_path).fit(nudged, y)
    with pytest.raises(ValueError, match="another run's: y is"):
        classifier(checkpoint=tmp_path).fit(X, 1 - y)


def test_what_does_not_change_the_result_may_change(tmp_path):
    X, y, _ = data()
    first = quietly(classifier(checkpoint=tmp_path), X, y)
    assert_same(first, quietly(classifier(checkpoint=tmp_path, n_jobs=2, time_limit=1e6), X, y))


def test_only_fit_has_checkpoints(tmp_path):
    X, y, t = data(n=60)
    with pytest.raises(ValueError, match="partial_fit"):
        classifier(checkpoint=tmp_path).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="pass the alpha_ that was found to DualAveragingClassifier"):
        DualAveragingClassifierCV(checkpoint=tmp_path).fit(X, y)
    with pytest.raises(ValueError, match="pass the alpha_ that was found to DualAveragingRegressor"):
        DualAveragingRegressorCV(checkpoint=tmp_path).fit(X, t[:, 0])
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="is a file"):
        classifier(checkpoint=tmp_path / "file").fit(X, y)
