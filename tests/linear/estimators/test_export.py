"""Ways out and in: scikit-learn's estimators, ONNX, skops, joblib, sparse weights, data frames, other libraries' arrays."""

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_classification, make_regression

import cesaro
from cesaro.linear import (
    DualAveragingClassifier,
    DualAveragingClassifierCV,
    DualAveragingRegressor,
    DualAveragingRegressorCV,
)

CLASSIFICATION = ["hinge", "squared_hinge", "log_loss", "modified_huber"]
REGRESSION = [
    "squared_error",
    "absolute_error",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
    "quantile",
]


@pytest.fixture(scope="module")
def two():
    return make_classification(300, 12, random_state=0)


@pytest.fixture(scope="module")
def targets():
    X, y = make_regression(200, 8, noise=5.0, random_state=0)
    return X, y / y.std()


def fitted(loss, X, y, **settings):
    kind = DualAveragingClassifier if loss in CLASSIFICATION else DualAveragingRegressor
    return kind(loss, alpha=1e-2, random_state=0, **settings).fit(X, y)


@pytest.mark.parametrize("loss", CLASSIFICATION)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_classifier_of_scikit_learn_has_the_same_scores_and_probabilities(loss, classes, two):
    X, y = two if classes == 2 else load_iris(return_X_y=True)
    model = fitted(loss, X, np.array(["a", "b", "c"])[y])
    other = model.to_sklearn()
    assert type(other).__module__.startswith("sklearn")
    np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(other.predict_proba(X), model.predict_proba(X), atol=1e-14)
    assert other.score(X, model.predict(X)) == 1.0


@pytest.mark.parametrize("loss", REGRESSION)
@pytest.mark.parametrize("columns", [1, 2])
def test_a_regressor_of_scikit_learn_has_the_same_predictions(loss, columns, targets):
    X, y = targets
    model = fitted(loss, X, y if columns == 1 else np.column_stack([y, -2 * y]))
    np.testing.assert_array_equal(model.to_sklearn().predict(X), model.predict(X))


def test_the_elastic_net_stays_one(targets):
    other = fitted("squared_error", *targets, l1_ratio=0.5).to_sklearn()
    assert (type(other).__name__, other.l1_ratio) == ("ElasticNet", 0.5)
    searched = DualAveragingRegressorCV(4, 3, l1_ratio=[0.2, 0.8], random_state=0).fit(*targets)
    assert searched.to_sklearn().l1_ratio == searched.l1_ratio_


def test_what_scikit_learn_gets_is_a_copy_with_names_and_no_fit_of_its_own(two):
    pd = pytest.importorskip("pandas")
    X, y = two
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    model = DualAveragingClassifierCV(alphas=[1e-1, 1e-2], random_state=0).fit(frame, y)
    other = model.to_sklearn()
    before = model.coef_.copy()
    other.coef_ += 1.0
    np.testing.assert_array_equal(model.coef_, before)
    np.testing.assert_array_equal(other.feature_names_in_, model.feature_names_in_)
    with pytest.raises(ValueError, match="not fitted"):
        DualAveragingClassifier().to_sklearn()


@pytest.mark.parametrize("loss", [*CLASSIFICATION, *REGRESSION])
def test_onnx_gives_the_same_answers(loss, two, targets):
    skl2onnx, runtime = pytest.importorskip("skl2onnx"), pytest.importorskip("onnxruntime")
    X, y = two if loss in CLASSIFICATION else targets
    X = X.astype(np.float32)
    model = fitted(loss, X, y)
    options = {"zipmap": False} if hasattr(model, "predict_proba") else None
    converted = skl2onnx.to_onnx(model.to_sklearn(), X[:1], options=options)
    session = runtime.InferenceSession(converted.SerializeToString(), providers=["CPUExecutionProvider"])
    answers = session.run(None, {session.get_inputs()[0].name: X})
    if loss in REGRESSION:
        np.testing.assert_allclose(answers[0].ravel(), model.predict(X), atol=1e-5, rtol=1e-5)
        return
    far = np.abs(model.decision_function(X)) > 1e-5
    np.testing.assert_array_equal(answers[0][far], model.predict(X)[far])
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(answers[1], model.predict_proba(X), atol=1e-5)
    else:
        np.testing.assert_allclose(answers[1][:, -1], model.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "quantile"])
def test_joblib_and_skops_give_back_the_same_bits(loss, two, targets, tmp_path):
    X, y = two if loss in CLASSIFICATION else targets
    model = fitted(loss, X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    copies = [joblib.load(tmp_path / "model.joblib")]
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    skops.dump(model, tmp_path / "model.skops")
    kinds = skops.get_untrusted_types(file=tmp_path / "model.skops")
    assert all(kind.split(".")[0] == "cesaro" for kind in kinds)
    copies.append(skops.load(tmp_path / "model.skops", trusted=kinds))
    for copy in copies:
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
        assert copy.relative_gap_ == model.relative_gap_


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csr_matrix], ids=["dense", "array", "matrix"])
def test_sparse_weights_predict_and_certify_the_same(kind, two, targets, tmp_path):
    X, y = two
    model = fitted("log_loss", X, y, l1_ratio=0.3, tol=1e-6)
    before = [model.decision_function(kind(X)), *model.predict_certified(kind(X)), model.predict_proba(kind(X))]
    shape = model.coef_.shape
    assert sp.issparse(model.sparsify().coef_)
    after = [model.decision_function(kind(X)), *model.predict_certified(kind(X)), model.predict_proba(kind(X))]
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    cesaro.save(model, tmp_path / "model.safetensors")
    np.testing.assert_array_equal(cesaro.load(tmp_path / "model.safetensors").coef_, model.coef_.toarray())
    np.testing.assert_allclose(model.to_sklearn().predict(X), model.predict(X))
    assert model.densify().coef_.shape == shape
    for column in (targets[1], np.column_stack([targets[1], targets[1]])):
        regressor = fitted("squared_error", targets[0], column, l1_ratio=0.5)
        expected, shape = regressor.predict(kind(targets[0])), regressor.coef_.shape
        np.testing.assert_allclose(regressor.sparsify().predict(kind(targets[0])), expected, atol=1e-12)
        assert regressor.densify().coef_.shape == shape


def test_data_frames_give_the_same_model_and_their_names(two):
    X, y = two
    names = [f"x{k}" for k in range(X.shape[1])]
    plain = fitted("hinge", X, y)
    for library in ("pandas", "polars"):
        module = pytest.importorskip(library)
        frame = module.DataFrame(dict(zip(names, X.T, strict=True)))
        labels = module.Series(y)
        model = fitted("hinge", frame, labels)
        np.testing.assert_array_equal(model.coef_, plain.coef_)
        assert list(model.feature_names_in_) == names
        np.testing.assert_array_equal(model.predict(frame), plain.predict(X))


def test_arrays_of_other_libraries_are_refused_with_a_way_out(two):
    torch = pytest.importorskip("torch")
    X, y = two
    model = fitted("hinge", X, y)
    for call in (
        lambda: DualAveragingClassifier().fit(torch.tensor(X), y),
        lambda: DualAveragingClassifier().fit(X, torch.tensor(y)),
        lambda: DualAveragingRegressor().fit(X, torch.tensor(y)),
        lambda: model.predict(torch.tensor(X)),
    ):
        with pytest.raises(TypeError, match=r"got a torch\.Tensor.*numpy"):
            call()


def test_a_notebook_shows_what_has_been_proved(two):
    X, y = two
    model = DualAveragingClassifier(alpha=1e-2, random_state=0)
    assert "Certified" not in model._repr_mimebundle_()["text/html"]
    html = model.fit(X, y)._repr_mimebundle_()["text/html"]
    assert f"{model.relative_gap_:.1e} &lt;= tol = 0.001" in html
    assert model._repr_html_()[-200:] == html[-200:]
    model.set_params(tol=1e-12)
    assert "Not yet certified" in model._repr_html_()
    assert "No certificate" in DualAveragingClassifier().partial_fit(X, y, classes=[0, 1])._repr_html_()
    assert "of 3 models" in fitted("hinge", *load_iris(return_X_y=True))._repr_html_()
