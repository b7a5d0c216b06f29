"""Model files: the same bits come back, and no damage goes unnoticed."""

import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from safetensors.numpy import save as to_bytes
from sklearn.datasets import make_classification, make_regression
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import cesaro
from cesaro.storage import model_file
from cesaro.storage.model_file import ModelFileError

X, y = make_classification(120, 8, n_informative=5, random_state=0)
THREE = make_classification(150, 8, n_informative=5, n_classes=3, random_state=1)
R = make_regression(120, 8, noise=5.0, random_state=0)


def classifier(**settings):
    return cesaro.DualAveragingClassifier(**{"alpha": 0.01, "random_state": 0} | settings)


def regressor(**settings):
    return cesaro.DualAveragingRegressor(**{"alpha": 0.01, "random_state": 0} | settings)


MODELS = {
    "two classes": lambda: classifier().fit(X, y),
    "probabilities": lambda: classifier(loss="log_loss", class_weight={0: 2.0, 1: 1.0}).fit(X, y),
    "no intercept": lambda: classifier(fit_intercept=False).fit(X, y),
    "scaled intercept": lambda: classifier(intercept_scaling=3.0).fit(X, y),
    "three classes": lambda: classifier(loss="modified_huber").fit(*THREE),
    "words": lambda: classifier().fit(THREE[0], np.array(["ape", "bear", "crocodile"])[THREE[1]]),
    "words as objects": lambda: classifier().fit(X, np.array(["no", "yes"], dtype=object)[y]),
    "truth": lambda: classifier().fit(X, y == 1),
    "sparse": lambda: classifier(l1_ratio=0.5).fit(sp.csr_matrix(X), y.astype(np.int8)),
    "a paper's method": lambda: classifier(solver="gda", averaging=cesaro.weights.Power(2), tol=None, max_iter=5).fit(
        X, y
    ),
    "nothing proved": lambda: classifier().partial_fit(X, y, classes=[0, 1]),
    "regression": lambda: regressor().fit(*R),
    "two targets": lambda: regressor(loss="huber", epsilon=0.5).fit(R[0], np.column_stack([R[1], -R[1]])),
    "searched": lambda: cesaro.DualAveragingClassifierCV(4, 3, random_state=0).fit(X, y),
    "searched regression": lambda: cesaro.DualAveragingRegressorCV(4, 3, l1_ratio=[0.5, 0.0], random_state=0).fit(*R),
}


@pytest.fixture(scope="module")
def fitted():
    return {name: make() for name, make in MODELS.items()}


def through_a_file(model, tmp_path):
    cesaro.save(model, tmp_path / "model.safetensors")
    return cesaro.load(tmp_path / "model.safetensors")


@pytest.mark.filterwarnings("ignore:.*label.* certified")
@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_predicts_the_same_bits(name, fitted, tmp_path):
    model, again = fitted[name], through_a_file(fitted[name], tmp_path)
    for method in ("predict", "decision_function", "predict_proba", "predict_certified"):
        if hasattr(model, method):
            for points in (X, sp.csr_matrix(X), X.astype(np.float32)):
                for before, after in zip(
                    np.atleast_1d(getattr(model, method)(points)),
                    np.atleast_1d(getattr(again, method)(points)),
                    strict=True,
                ):
                    np.testing.assert_array_equal(before, after, strict=True)


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_has_the_same_parameters_and_proof(name, fitted, tmp_path):
    model, again = fitted[name], through_a_file(fitted[name], tmp_path)
    wanted = {key: value for key, value in model.get_params().items() if key not in ("alphas", "cv", "scoring")}
    assert again.get_params() == wanted | {
        key: getattr(model, f"{key}_", wanted.get(key)) for key in ("alpha", "l1_ratio")
    }
    for key in (
        "coef_",
        "intercept_",
        "objective_",
        "lower_bound_",
        "dual_gap_",
        "relative_gap_",
        "n_iter_",
        "classes_",
    ):
        if hasattr(model, key):
            assert type(getattr(again, key)) is type(getattr(model, key))
            np.testing.assert_array_equal(getattr(again, key), getattr(model, key), strict=True)
    assert again.history_.keys() == model.history_.keys()
    assert all(np.array_equal(again.history_[key], model.history_[key]) for key in model.history_)


def test_a_search_is_saved_as_what_it_found(fitted, tmp_path):
    again = through_a_file(fitted["searched"], tmp_path)
    assert type(again) is cesaro.DualAveragingClassifier
    assert again.alpha == fitted["searched"].alpha_


def test_names_of_features_are_kept_and_checked(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"column {k}" for k in range(8)])
    again = through_a_file(classifier().fit(frame, y), tmp_path)
    assert list(again.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame.rename(columns={"column 0": "another"}))


@pytest.mark.parametrize("name", ["two classes", "no intercept", "regression"])
def test_partial_fit_of_a_loaded_model_goes_on_from_its_weights(name, fitted, tmp_path):
    again = through_a_file(fitted[name], tmp_path)
    model = MODELS[name]()
    target = R[1] if name == "regression" else y
    np.testing.assert_allclose(again.partial_fit(X, target).coef_, model.partial_fit(X, target).coef_, rtol=1e-12)


def test_a_loaded_model_can_be_fitted_again(fitted, tmp_path):
    again = through_a_file(fitted["two classes"], tmp_path).fit(X, y)
    np.testing.assert_array_equal(again.coef_, fitted["two classes"].coef_)


def test_a_random_state_that_is_an_object_is_not_saved(tmp_path):
    model = classifier(random_state=np.random.RandomState(3)).fit(X, y)
    assert through_a_file(model, tmp_path).random_state is None


def test_the_header_says_what_the_file_is(fitted, tmp_path):
    cesaro.save(fitted["words"], tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    size = int.from_bytes(content[:8], "little")
    about = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["cesaro"])
    assert about["format"] == 1
    assert about["version"] == cesaro.__version__
    assert about["class"] == "DualAveragingClassifier"
    assert about["classes"]["labels"] == ["ape", "bear", "crocodile"]
    assert (about["loss"], about["alpha"], about["features"]) == ("hinge", 0.01, 8)
    assert about["gap"] == fitted["words"].dual_gap_.max()


def test_no_flipped_bit_goes_unnoticed(fitted, tmp_path):
    cesaro.save(fitted["two classes"], tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    rng = np.random.default_rng(0)
    for bit in rng.integers(8 * len(content), size=1000):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        (tmp_path / "damaged").write_bytes(damaged)
        with pytest.raises(ModelFileError, match="damaged"):
            cesaro.load(tmp_path / "damaged")


def test_no_missing_end_goes_unnoticed(fitted, tmp_path):
    cesaro.save(fitted["two classes"], tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    for length in range(len(content)):
        (tmp_path / "short").write_bytes(content[:length])
        with pytest.raises(ModelFileError, match="damaged"):
            cesaro.load(tmp_path / "short")
    (tmp_path / "long").write_bytes(content + b"\0")
    with pytest.raises(ModelFileError, match="damaged"):
        cesaro.load(tmp_path / "long")


@pytest.mark.parametrize("content", [b"", b"+1 3:1\n" * 99, b"\x80\x04\x95pickle", to_bytes({"weight": np.ones(3)})])
def test_a_file_of_another_kind_is_refused(content, tmp_path):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(ModelFileError, match="not a cesaro model file"):
        cesaro.load(tmp_path / "other")


def test_a_later_format_is_refused_with_its_version(fitted, tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "FORMAT", 2)
    monkeypatch.setattr(model_file, "__version__", "7.0")
    cesaro.save(fitted["two classes"], tmp_path / "m")
    monkeypatch.undo()
    with pytest.raises(ModelFileError, match=r"later cesaro \(7\.0, format 2\).*Upgrade"):
        cesaro.load(tmp_path / "m")


def change(facts=None, **arrays):
    """A record with something wrong in it, though its checksum is right."""

    def changed(model):
        known, found = original(model)
        return known | (facts or {}), found | arrays

    from cesaro.linear.estimators import serialization

    original = serialization.record
    return changed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (change(coef=np.ones((1, 5))), "do not fit 8 features"),
        (change(coef=np.ones((3, 8))), "do not fit"),
        (change(coef=np.full((1, 8), np.nan)), "finite"),
        (change(coef=np.ones((1, 8), dtype=int)), "finite numbers"),
        (change(intercept=np.array([np.inf])), "finite"),
        (change({"class": "os.system"}), "os.system"),
        (change({"classes": {"labels": [1], "type": "<i8"}}), "labels have shape"),
        (change({"parameters": {"alpha": -1.0}}), "alpha"),
        (change({"parameters": {"__class__": 1.0}}), "__class__"),
        (change({"parameters": {"averaging": {"weights": "Sequence"}}}), "Sequence"),
    ],
)
def test_a_model_that_makes_no_sense_is_refused(change, words, fitted, tmp_path, monkeypatch):
    monkeypatch.setattr("cesaro.linear.estimators.serialization.record", change)
    cesaro.save(fitted["two classes"], tmp_path / "m")
    with pytest.raises(ModelFileError, match=words):
        cesaro.load(tmp_path / "m")


def test_what_cannot_be_saved_is_said(tmp_path):
    with pytest.raises(TypeError, match="got LogisticRegression"):
        cesaro.save(LogisticRegression(), tmp_path / "m")
    with pytest.raises(TypeError, match=r"one of their CV classes: got Pipeline\. Save its last step, model\[-1\]"):
        cesaro.save(make_pipeline(classifier()), tmp_path / "m")
    with pytest.raises(NotFittedError):
        cesaro.save(classifier(), tmp_path / "m")
    model = classifier(averaging=cesaro.weights.Sequence(lambda t: 1.0), solver="gda", tol=None, max_iter=2).fit(X, y)
    with pytest.raises(TypeError, match=r"averaging=.*no code"):
        cesaro.save(model, tmp_path / "m")
    assert os.listdir(tmp_path) == []


def test_loading_unpickles_nothing(fitted, tmp_path, monkeypatch):
    cesaro.save(fitted["words as objects"], tmp_path / "m")

    def refuse(*_, **__):
        raise AssertionError("a model file must not be unpickled")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    assert list(cesaro.load(tmp_path / "m").classes_) == ["no", "yes"]


KILLED = """
import os, signal, sys
from cesaro.storage.atomic_write import whole_file
with whole_file(sys.argv[1]) as file:
    file.write(b"half of the new")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_while_writing_leaves_the_old_file(tmp_path):
    target = tmp_path / "model"
    target.write_bytes(b"the old one")
    done = subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    assert done.returncode == -9
    assert target.read_bytes() == b"the old one"
    cesaro.save(classifier().fit(X, y), target)
    assert cesaro.load(target).n_features_in_ == 8
