"""What is said when a proof that was asked for is not there: where, about how many classes, and what to do."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from cesaro import DualAveragingClassifier, DualAveragingClassifierCV, DualAveragingRegressor

X, y = make_classification(3000, 30, n_informative=8, n_classes=5, flip_y=0.2, random_state=0)
NAMES = np.array(["ant", "bee", "cat", "dog", "eel"])[y]


def said(act, category=ConvergenceWarning):
    """The one warning of this kind."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    found = [warning for warning in caught if issubclass(warning.category, category)]
    assert len(found) == 1
    return found[0]


def test_a_fit_without_its_proof_says_how_many_classes_and_which_is_the_worst():
    model = DualAveragingClassifier(tol=1e-9, max_iter=2, random_state=0)
    message = str(said(lambda: model.fit(X, NAMES)).message)
    unproved, worst = (model.relative_gap_ > 1e-9).sum(), NAMES[y == model.relative_gap_.argmax()][0]
    assert message.startswith(
        f"DualAveragingClassifier: {unproved} of 5 classes are not proved to tol=1e-09 (the largest"
    )
    assert f"of '{worst}') after 2 epochs" in message
    assert "scale" not in message
    model = DualAveragingRegressor("absolute_error", tol=1e-9, max_iter=2, random_state=0)
    assert "2 of 2 targets are not proved" in str(said(lambda: model.fit(X[:, 2:], X[:, :2])).message)


def test_scaling_is_advised_where_columns_differ_in_scale():
    model = DualAveragingClassifier(tol=1e-9, max_iter=100, solver="gda", random_state=0)
    message = str(said(lambda: model.fit(X * np.geomspace(1.0, 1e4, 30), y > 1)).message)
    assert "The columns differ in scale by a factor of" in message
    assert "The proved" not in message
    assert message.endswith("Raise max_iter or tol; tol=0 asks for no proof.")
    model.set_params(max_iter=99)
    message = str(said(lambda: model.fit(X * np.geomspace(1.0, 1e4, 30), y > 1)).message)
    assert "after 99 epochs. Raise max_iter first, 99 epochs are few" in message
    assert message.endswith("scale them (MaxAbsScaler keeps sparsity).")
    model.set_params(max_iter=10**6, time_limit=1e-3)
    assert str(said(lambda: model.fit(X, y)).message).endswith("Raise time_limit or tol; tol=0 asks for no proof.")


@pytest.mark.parametrize("wrap", [make_pipeline, lambda model: GridSearchCV(model, {"alpha": [0.01]}, cv=2)])
def test_a_warning_points_to_the_users_line(wrap):
    pipe = wrap(DualAveragingClassifier(tol=1e-9, max_iter=2, random_state=0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pipe.fit(X, y)
    assert caught
    assert {warning.filename for warning in caught} == {__file__}
    search = make_pipeline(MaxAbsScaler(), DualAveragingClassifierCV([1e-2, 1e-1, 1.0], cv=2, random_state=0))
    edge = said(lambda: search.fit(X, y), UserWarning)
    assert edge.filename == __file__
    assert str(edge.message).startswith("DualAveragingClassifierCV: the best alpha")


def test_where_no_label_is_certified_a_warning_says_what_to_do():
    model = DualAveragingClassifier(alpha=1e-2, tol=0.1, random_state=0).fit(X, y)
    found = said(lambda: model.predict_certified(X), UserWarning)
    assert found.filename == __file__
    assert "no label is certified: with a relative gap of" in str(found.message)
    assert str(found.message).endswith("often certifies more.")
    assert "for example tol=1e-06; or with penalize_intercept=True, a slightly different model" in str(found.message)
    model.set_params(tol=1e-6).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict_certified(X)[1].mean() > 0.3
        model.set_params(tol=0.1).fit(X, y).predict_certified(X[:1])  # one row says little
    model.partial_fit(X, y)
    assert "partial_fit proves nothing" in str(said(lambda: model.predict_certified(X), UserWarning).message)


def test_where_few_labels_of_many_are_certified_a_warning_counts_them():
    model = DualAveragingClassifier(alpha=1e-2, tol=1e-6, random_state=0).fit(X, y)
    certified = model.predict_certified(X)[1]
    few = np.concatenate([np.flatnonzero(~certified)[:96], np.flatnonzero(certified)[:4]])
    message = str(said(lambda: model.predict_certified(X[few]), UserWarning).message)
    assert "predict_certified: 4 of 100 labels are certified: with" in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_certified(X[few[1:]][-20:])


def test_where_rounding_is_the_limit_no_smaller_tol_is_advised():
    noise = np.random.default_rng(0).normal(size=(400, 5))
    labels = noise[:, 0] + 0.5 * noise[:, 1] > 0.0
    for rows in (1000.0 + noise, 1e6 * noise):
        model = DualAveragingClassifier(alpha=1e-2, tol=1e-6, random_state=0).fit(rows, labels)
        message = str(said(lambda m=model, r=rows: m.predict_certified(r), UserWarning).message)
        assert "A smaller tol would not help" in message
        assert "Centre and scale the columns" in message
        assert "tol=" not in message
    model.relative_gap_, model._rounding = 1e-11, 0.0
    assert "tol=" not in str(said(lambda: model.predict_certified(rows), UserWarning).message)


def test_a_fit_that_ended_above_its_tol_is_to_be_continued_first():
    model = DualAveragingClassifier(tol=1e-9, max_iter=1, solver="gda", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    message = str(said(lambda: model.predict_certified(X), UserWarning).message)
    assert message.endswith("raise max_iter or time_limit first.")
