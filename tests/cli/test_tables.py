"""Tables and standard input as DATA, and the parameters of the estimators as options."""

import io
import sys
from dataclasses import fields
from inspect import signature

import numpy as np
import pytest

import cesaro as library
from cesaro.cli import options, sources

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(240, 4)), 3)
    fruit = np.where(X[:, 0] + rng.normal(size=240) > 0, "pear", "apple")
    return pa.table({f"x{k}": column for k, column in enumerate(X.T)} | {"fruit": fruit})


@pytest.fixture
def written(table, tmp_path):
    csv.write_csv(table, tmp_path / "rows.csv")
    pq.write_table(table, tmp_path / "rows.parquet")
    with pa.ipc.new_file(str(tmp_path / "rows.arrow"), table.schema) as file:
        file.write_table(table)
    return tmp_path


def expected(table):
    X = np.column_stack([table[f"x{k}"].to_numpy() for k in range(4)])
    return X, np.array(table["fruit"].to_pylist())


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_a_table_is_fitted_and_predicted_by_the_names_of_its_columns(
    cesaro, written, table, kind, large, monkeypatch, tmp_path
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if large:
        monkeypatch.setattr(sources, "LARGE", 1)
    path, model = written / f"rows.{kind}", tmp_path / "model"
    ended = cesaro("fit", path, "--label", "fruit", "--alpha", "0.01", "--model", model, "--test", path, "--json")
    X, y = expected(table)
    plain = library.DualAveragingClassifier(alpha=0.01, random_state=0).fit(X, y)
    assert ended.json["classes"] == ["apple", "pear"]
    assert ended.json["objective"] == pytest.approx(plain.objective_, rel=1e-9)
    assert ended.json["test_accuracy"] == ended.json["train_accuracy"] == pytest.approx(plain.score(X, y))
    assert list(library.load(model).feature_names_in_) == ["x0", "x1", "x2", "x3"]
    turned = table.select(["fruit", "x3", "x1", "x0", "x2"])
    pq.write_table(turned, tmp_path / "turned.parquet")
    found = cesaro("predict", model, tmp_path / "turned.parquet", "--label", "fruit")
    assert found.out.splitlines() == plain.predict(X).tolist()
    assert f"accuracy {100 * plain.score(X, y):.2f} %" in found.err
    pq.write_table(turned.drop_columns(["fruit"]), tmp_path / "unlabelled.parquet")
    assert cesaro("predict", model, tmp_path / "unlabelled.parquet").out == found.out


def test_standard_input_is_data(cesaro, files, monkeypatch, written):
    class Piped:
        buffer = io.BytesIO((files / "two").read_bytes())

    from cesaro.cli import reading

    monkeypatch.setattr(sys, "stdin", Piped)
    reading.spool_stdin.cache_clear()
    piped, named = (cesaro("fit", name, "--json").json for name in ("-", files / "two"))
    assert piped["objective"] == named["objective"]
    Piped.buffer = io.BytesIO((written / "rows.csv").read_bytes())
    reading.spool_stdin.cache_clear()
    assert cesaro("cv", "-", "--label", "fruit", "--alphas", "2", "--json").json["rows"] == 240
    reading.spool_stdin.cache_clear()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "has no column 'label'"),
        (["--label", "x0"], "not numbers: fruit. Encode"),
        (["--label", "fruit", "--loss", "squared_error"], "the labels are words: apple, pear"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_with_its_columns(cesaro, written, words, said):
    ended = cesaro("fit", written / "rows.csv", *words)
    assert ended.code == 2
    assert said in ended.err
    if not words:
        assert "perhaps --label fruit, the one column of words: its columns are x0, x1, x2, x3, fruit." in ended.err


@pytest.mark.parametrize("large", [False, True])
def test_the_column_of_labels_is_guessed_and_the_last_columns_are_named(cesaro, tmp_path, large, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if large:
        monkeypatch.setattr(sources, "LARGE", 1)
    numbers = {f"x{k}": np.arange(3.0) for k in range(40)}
    csv.write_csv(pa.table(numbers | {"town": ["a", "b", "a"], "Label": ["p", "q", "p"]}), tmp_path / "rows.csv")
    ended = cesaro("fit", tmp_path / "rows.csv")
    assert ended.code == 2
    assert "hint: perhaps --label Label: its columns are x0, x1, x2, x3, x4, x5, ..., " in ended.err
    assert "x38, x39, town, Label (42 in all)." in ended.err


def test_an_empty_value_is_named_with_row_and_column(cesaro, tmp_path):
    (tmp_path / "rows.csv").write_text("x0,x1,label\n1,2,a\n3,,b\n5,6,\n", encoding="utf-8")
    ended = cesaro("fit", tmp_path / "rows.csv")
    assert "has an empty value in row 2 (the first is 1), column 'x1'. Remove such rows" in ended.err
    assert "hint" not in ended.err


def test_without_pyarrow_a_table_says_what_to_install(cesaro, written, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ended = cesaro("fit", written / "rows.csv", "--label", "fruit")
    assert ended.code == 2
    assert ended.err.splitlines() == [
        f"error: {written / 'rows.csv'} is a table, which needs pyarrow: pip install 'cesaro[tables]'."
    ]


def test_test_rows_that_cannot_be_scored_are_refused_before_the_fit(cesaro, written, table, files, monkeypatch):
    other = table.set_column(4, "fruit", pa.array(["plum"] * 240))
    csv.write_csv(other, written / "other.csv")
    monkeypatch.setattr(library.DualAveragingClassifier, "fit", None)
    ended = cesaro("fit", written / "rows.csv", "--label", "fruit", "--test", written / "other.csv")
    assert ended.code == 2
    assert "no label of other.csv is one of the training rows': it has plum, they have apple, pear" in ended.err


def test_the_curve_of_a_search_is_drawn(cesaro, files, tmp_path):
    pytest.importorskip("matplotlib")
    ended = cesaro("cv", files / "two", "--alphas", "3", "--plot", tmp_path / "curve.png")
    assert ended.code == 0
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert ended.err.startswith("done: ")


def test_every_parameter_of_the_estimators_is_an_option():
    ours = {"alpha", "solver", "checkpoint", "random_state", "fit_intercept", "warm_start", "verbose", "loss"}
    for kind in (library.DualAveragingClassifier, library.DualAveragingRegressor):
        assert set(signature(kind).parameters) - ours <= {option.name for option in fields(options.Solving)}


def test_options_reach_the_estimator(cesaro, files, tmp_path):
    asked = ["--l1-ratio", "0.3", "--class-weight", "-1=1,1=5", "--intercept-scaling", "2", "--n-jobs", "2"]
    cesaro("fit", files / "two", *asked, "--model", tmp_path / "model")
    model = library.load(tmp_path / "model")
    assert (model.l1_ratio, model.intercept_scaling, model.n_jobs) == (0.3, 2.0, 2)
    assert model.class_weight == {-1.0: 1.0, 1.0: 5.0}
    cesaro("fit", files / "two", "--solver", "gda", "--averaging", "2", "--anchor", "1", "--batch-size", "4", "--tol", "0",
           "--max-iter", "5", "--sampling", "replacement", "--radius", "3", "--model", tmp_path / "model")  # fmt: skip
    model = library.load(tmp_path / "model")
    assert (model.averaging, model.anchor, model.batch_size) == (library.weights.Power(2.0), 1.0, 4)
    assert (model.sampling, model.radius) == ("replacement", 3.0)
    numbers = ["--loss", "quantile", "--quantile", "0.8", "--alpha", "0.1"]
    assert cesaro("fit", files / "numbers", *numbers, "--model", tmp_path / "model").code == 0
    assert library.load(tmp_path / "model").quantile == 0.8
