"""A fit that fails changes nothing; what would be misread is refused before it begins."""

import warnings

import numpy as np
import pytest
from estimator_data import data
from sklearn.datasets import dump_svmlight_file

from cesaro.linear import (
    DualAveragingClassifier,
    DualAveragingClassifierCV,
    DualAveragingRegressor,
    DualAveragingRegressorCV,
)

EACH = [DualAveragingClassifier, DualAveragingRegressor, DualAveragingClassifierCV, DualAveragingRegressorCV]


def fitted(cls, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cls(random_state=0, max_iter=5, **{"alphas": 3, "cv": 2} if "CV" in cls.__name__ else {}).fit(X, y)


def unchanged(model, before):
    assert vars(model).keys() == before.keys()
    return all(vars(model)[name] is before[name] for name in before)


def break_down(*_, **__):
    raise RuntimeError("in the middle of the solve")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cls", EACH)
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_refit_that_fails_leaves_the_model_that_was_there(cls, error, monkeypatch):
    X, y, _ = data(classes=2)
    model = fitted(cls, X, y)
    before, predicted = dict(vars(model)), model.predict(X)

    def fail(*_, **__):
        raise error("in the middle of the solve")

    monkeypatch.setattr("cesaro.linear.estimators.base.solve_all", fail)
    with pytest.raises(error, match="in the middle"):
        model.fit(X[:, :4], (y + 5)[::-1])
    assert unchanged(model, before)
    np.testing.assert_array_equal(model.predict(X), predicted)


@pytest.mark.parametrize("cls", EACH[:2])
def test_a_first_fit_that_fails_leaves_an_estimator_that_is_not_fitted(cls, monkeypatch):
    X, y, _ = data(classes=2)
    model = cls()
    before = dict(vars(model))
    monkeypatch.setattr("cesaro.linear.estimators.base.solve_all", break_down)
    with pytest.raises(RuntimeError):
        model.fit(X, y)
    assert unchanged(model, before)


@pytest.mark.parametrize("cls", EACH[:2])
def test_a_batch_that_fails_leaves_what_earlier_batches_gave(cls, monkeypatch):
    X, y, _ = data(classes=2)
    model = cls(random_state=0)
    first = {"classes": [0, 1]} if cls is DualAveragingClassifier else {}
    model.partial_fit(X, y, **first)
    before = dict(vars(model))
    monkeypatch.setattr("cesaro.linear.solvers.averaging.online.AveragingSolver.output", break_down)
    with pytest.raises(RuntimeError):
        model.partial_fit(X, y)
    assert unchanged(model, before)


def test_a_file_that_cannot_be_fitted_leaves_the_model_that_was_there(tmp_path, monkeypatch):
    X, y, _ = data(classes=2)
    model = fitted(DualAveragingClassifier, X, y)
    before = dict(vars(model))
    dump_svmlight_file(X[:, :3], y + 7, str(tmp_path / "rows"), zero_based=False)
    monkeypatch.setattr("cesaro.linear.estimators.base.solve_all", break_down)
    with pytest.raises(RuntimeError):
        model.fit_file(tmp_path / "rows", cache=tmp_path / "cache")
    assert unchanged(model, before)


@pytest.mark.parametrize("name", ["X", "y", "sample_weight"])
@pytest.mark.parametrize("cls", EACH[:2])
def test_masked_values_are_refused_and_masks_that_hide_nothing_are_not(name, cls):
    X, y, _ = data(classes=2)
    given = {"X": X, "y": y.astype(float), "sample_weight": np.ones(len(y))}
    given[name] = np.ma.masked_array(given[name], mask=False)
    model = cls(random_state=0, max_iter=2, tol=0).fit(**given)
    given[name].mask = np.zeros(given[name].shape, bool)
    given[name].mask.flat[7] = True
    with pytest.raises(ValueError, match=f"{name} has 1 masked values"):
        cls().fit(**given)
    if name == "X":
        with pytest.raises(ValueError, match="X has 1 masked values"):
            model.predict(given["X"])


@pytest.mark.parametrize("missing", ["None", "nan", "pandas.NA", "pandas.NaT"])
def test_words_with_a_missing_one_are_refused_with_the_row(missing):
    pandas = pytest.importorskip("pandas")
    value = {"None": None, "nan": float("nan"), "pandas.NA": pandas.NA, "pandas.NaT": pandas.NaT}[missing]
    X, _, _ = data()
    y = np.array(["no", "yes"] * (len(X) // 2), dtype=object)
    y[7] = value
    for labels in (y, pandas.Series(y), list(y)):
        with pytest.raises(ValueError, match=r"y contains a missing label \(NaN\) at row 7"):
            DualAveragingClassifier().fit(X, labels)


def test_words_among_numbers_are_refused():
    X, _, _ = data()
    y = np.array(["no", "yes"] * (len(X) // 2), dtype=object)
    y[3] = 1
    with pytest.raises(ValueError, match="words and others among its labels: 'no' and 1"):
        DualAveragingClassifier().fit(X, y)
