"""A model file with a right checksum and wrong contents is a ModelFileError or a model that predicts: nothing else."""

import copy
import os
import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression

import cesaro
from cesaro.linear.estimators import serialization
from cesaro.storage import model_file
from cesaro.storage.model_file import ModelFileError

FORGERIES = int(os.environ.get("CESARO_FORGERIES", "300"))
X, y = make_classification(60, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
R = make_regression(60, 5, random_state=0)[1]
DEEP: list = []
for _ in range(400):
    DEEP = [DEEP]
WORDS = [None, True, -1, 0, 3, 1e308, -1.5, 10**400, "", "word", "x" * 50, [], [1], ["a"], [[1]], {}, {"weights": []},
         {"pairs": [[1, 2], [[], 3]]}, {"pairs": 3}, {"weights": "Power", "p": "x"}, "<U999999999", "V8", "M8[s]",
         "i4,i4", "float64", DEEP]  # fmt: skip


def models():
    yield cesaro.DualAveragingClassifier(alpha=0.01, random_state=0).fit(X, np.array(["ape", "bee", "cow"])[y])
    yield cesaro.DualAveragingClassifier(alpha=0.01, random_state=0, averaging="auto", class_weight={0: 2.0}).fit(
        X, y < 1
    )
    yield cesaro.DualAveragingRegressor(alpha=0.01, random_state=0).fit(X, R)
    yield cesaro.DualAveragingRegressor(alpha=0.01, random_state=0).fit(X, np.column_stack([R, R]))


def places(value, path=()):
    """Every place in dictionaries and lists."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield (*path, key)
        yield from places(each, (*path, key))


def forge(facts, arrays, rng):
    facts, arrays = copy.deepcopy(facts), dict(arrays)
    if rng.random() < 0.3:
        name = str(rng.choice(sorted(arrays)))
        value, change = arrays[name], int(rng.integers(6))
        if change == 0:
            del arrays[name]
        elif change == 1:
            with np.errstate(all="ignore"):
                arrays[name] = value.astype([np.int64, np.float32, bool, np.uint8][rng.integers(4)])
        elif change == 2:
            arrays[name] = value[None]
        elif change == 3:
            arrays[name] = np.concatenate([value.ravel(), value.ravel()])
        else:
            arrays[name] = np.full(value.shape, [np.nan, np.inf, -1.0, 1e300][rng.integers(4)])
        return facts, arrays
    every = list(places(facts))
    *folders, last = every[rng.integers(len(every))]
    inside = facts
    for key in folders:
        inside = inside[key]
    if rng.random() < 0.2:
        del inside[last]
    else:
        inside[last] = WORDS[rng.integers(len(WORDS))]
    return facts, arrays


@pytest.mark.parametrize("number", range(4))
def test_a_forged_model_file_is_refused_as_such_or_a_model(number, tmp_path):
    model = list(models())[number]
    facts, arrays = serialization.record(model)
    rng, refused = np.random.default_rng(number), 0
    for _ in range(FORGERIES):
        model_file.write_model(tmp_path / "m", *forge(facts, arrays, rng))
        try:
            found = cesaro.load(tmp_path / "m")
        except ModelFileError:
            refused += 1
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.predict(X)
            if hasattr(found, "classes_"):
                found.predict_certified(X)
            repr(found), found.to_sklearn()
    assert refused > FORGERIES / 3


@pytest.mark.parametrize(
    "metadata", ["[" * 100_000, '{"format": Infinity}', '{"format": [1]}', "3", '{"format": 1e400}']
)
def test_metadata_of_another_kind_is_refused_as_such(metadata, tmp_path):
    from safetensors.numpy import save_file

    save_file({"coef": np.ones(3)}, tmp_path / "m", metadata={"cesaro": metadata, "sha256": ""})
    with pytest.raises(ModelFileError, match="not a cesaro model file"):
        cesaro.load(tmp_path / "m")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mu": -1.0}, "mu is -1.0"),
        ({"mu": "1"}, "mu is '1'"),
        ({"mu": None}, "mu is None"),
        ({"features": 5.0}, "features is 5.0"),
        ({"epochs": -1}, "epochs"),
        ({"intercept_reach": [0.0] * 7}, "7 numbers"),
        ({"feature_names": ["a"]}, "feature_names"),
        ({"classes": {"labels": ["ape", "bee", "cow"], "type": "<U90000000"}}, "no label is as long"),
        ({"classes": {"labels": ["ape", 3, "cow"], "type": "<U3"}}, "not all of the type"),
        ({"classes": {"labels": ["ape", "ape", "cow"], "type": "<U3"}}, "not different"),
        ({"classes": {"labels": [1, 2, 3], "type": "i4,i4"}}, "of the type"),
        ({"classes": {"labels": [1, 2, 300], "type": "|i1"}}, "does not describe a model"),
    ],
)
def test_facts_that_no_fit_gives_are_refused_by_name(change, words, tmp_path):
    facts, arrays = serialization.record(next(models()))
    model_file.write_model(tmp_path / "m", facts | change, arrays)
    with pytest.raises(ModelFileError, match=words):
        cesaro.load(tmp_path / "m")


@pytest.mark.parametrize("name", ["dual_gap", "relative_gap"])
@pytest.mark.parametrize("value", [-1.0, np.nan])
def test_gaps_that_are_none_are_refused(name, value, tmp_path):
    facts, arrays = serialization.record(next(models()))
    model_file.write_model(tmp_path / "m", facts, arrays | {name: np.full(3, value)})
    with pytest.raises(ModelFileError, match="gap"):
        cesaro.load(tmp_path / "m")


@pytest.mark.parametrize("forged", [np.ones(2), np.ones(()), np.zeros(1), np.array([np.nan]), np.ones(1, np.int64)])
def test_units_of_alpha_that_are_none_are_refused(forged, tmp_path):
    """The next `partial_fit` would divide by them."""
    facts, arrays = serialization.record(list(models())[2])
    model_file.write_model(tmp_path / "m", facts, arrays | {"alpha_units": forged})
    with pytest.raises(ModelFileError, match="alpha_units must be a positive number for each model"):
        cesaro.load(tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "forged", "words"),
    [
        ("row_centers", np.zeros((2, 5)), "do not fit 3 models of 5 features"),
        ("row_centers", np.zeros(5), "do not fit 3 models of 5 features"),
        ("row_centers", np.full((3, 5), np.nan), "finite"),
        ("row_centers", np.zeros((3, 5), np.int64), "finite"),
    ],
)
def test_arrays_that_no_fit_gives_are_refused_by_name(name, forged, words, tmp_path):
    facts, arrays = serialization.record(next(models()))
    assert name in arrays
    model_file.write_model(tmp_path / "m", facts, arrays | {name: forged})
    with pytest.raises(ModelFileError, match=f"{name}.*{words}"):
        cesaro.load(tmp_path / "m")
