"""cesaro predict: labels to stdout, the rest to stderr."""

import os
import stat
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

import cesaro as library


@pytest.fixture(scope="module")
def model(files, tmp_path_factory):
    X, y = load_svmlight_file(str(files / "two"), zero_based=False)
    fitted = library.DualAveragingClassifier(alpha=0.1, tol=1e-6, random_state=0).fit(X, y)
    path = tmp_path_factory.mktemp("models") / "two"
    library.save(fitted, path)
    return path


@pytest.fixture(scope="module")
def rows(files):
    return load_svmlight_file(str(files / "more"), zero_based=False)


def test_labels_come_one_a_line_and_the_accuracy_on_stderr(cesaro, files, model, rows):
    ended = cesaro("predict", model, files / "more")
    fitted = library.load(model)
    assert ended.code == 0
    assert ended.out.splitlines() == [f"{label:.0f}" for label in fitted.predict(rows[0])]
    assert f"accuracy {100 * fitted.score(*rows):.2f} %" in ended.err


def test_certified_adds_the_mask(cesaro, files, model, rows):
    lines = cesaro("predict", model, files / "more", "--certified").out.splitlines()
    labels, sure = library.load(model).predict_certified(rows[0])
    assert lines == [f"{label:.0f}\t{proved:d}" for label, proved in zip(labels, sure, strict=True)]
    assert sure.sum() > 0


def test_json_has_labels_and_mask(cesaro, files, model, rows):
    answer = cesaro("predict", model, files / "more", "--certified", "--json").json
    labels, sure = library.load(model).predict_certified(rows[0])
    assert answer["labels"] == labels.tolist()
    assert answer["certified"] == sure.tolist()
    assert answer["certified_rows"] == sure.sum()
    assert answer["accuracy"] == np.mean(labels == rows[1])


def test_an_output_file_takes_the_labels_and_stdout_stays_empty(cesaro, files, model, tmp_path):
    ended = cesaro("predict", model, files / "more", "--output", tmp_path / "labels")
    assert ended.out == ""
    assert (tmp_path / "labels").read_text(encoding="utf-8") == cesaro("predict", model, files / "more").out
    answer = cesaro("predict", model, files / "more", "--output", tmp_path / "labels", "--json").json
    assert answer["output"] == str(tmp_path / "labels")
    assert "labels" not in answer


def test_the_number_of_features_is_the_models(cesaro, model, tmp_path):
    (tmp_path / "rows").write_text("1 2:1\n-1 2:1 4000:3\n", encoding="utf-8")
    ended = cesaro("predict", model, tmp_path / "rows")
    first, second = ended.out.splitlines()
    assert first == second
    assert "1 entry beyond feature 6" in ended.err


def test_without_known_labels_there_is_no_accuracy(cesaro, model, tmp_path):
    (tmp_path / "rows").write_text("0 2:1\n0 3:1\n", encoding="utf-8")
    ended = cesaro("predict", model, tmp_path / "rows")
    assert "accuracy" not in ended.err
    assert cesaro("predict", model, tmp_path / "rows", "--json").json["accuracy"] is None


def test_a_regression_predicts_numbers_to_the_last_digit(cesaro, files, tmp_path):
    X, y = load_svmlight_file(str(files / "numbers"), zero_based=False)
    fitted = library.DualAveragingRegressor(random_state=0).fit(X, y)
    library.save(fitted, tmp_path / "m")
    ended = cesaro("predict", tmp_path / "m", files / "numbers")
    np.testing.assert_array_equal([float(line) for line in ended.out.splitlines()], fitted.predict(X))
    assert "R² " in ended.err
    refused = cesaro("predict", tmp_path / "m", files / "numbers", "--certified")
    assert refused.code == 2
    assert "regression" in refused.err


def test_labels_that_are_words_come_back_as_words(cesaro, files, rows, tmp_path):
    X, y = rows
    library.save(library.DualAveragingClassifier(random_state=0).fit(X, np.where(y > 0, "spam", "ham")), tmp_path / "m")
    assert set(cesaro("predict", tmp_path / "m", files / "more").out.split()) == {"spam", "ham"}


def test_scores_stand_beside_the_labels_with_all_their_digits(cesaro, files, model, rows):
    ended = cesaro("predict", model, files / "more", "--certified", "--scores")
    fitted = library.load(model)
    table = [line.split("\t") for line in ended.out.splitlines()]
    assert [float(line[2]) for line in table] == fitted.decision_function(rows[0]).tolist()
    assert [line[1] for line in table] == [str(int(each)) for each in fitted.predict_certified(rows[0])[1]]
    assert "order of the classes: -1, 1" in ended.err


def test_probabilities_of_every_class(cesaro, files, tmp_path):
    path = tmp_path / "three.model"
    cesaro("fit", files / "three", "--loss", "log_loss", "--alpha", "0.01", "--model", path)
    answer = cesaro("predict", path, files / "three", "--probabilities", "--json").json
    X, _ = load_svmlight_file(str(files / "three"), zero_based=False)
    assert answer["probabilities"] == library.load(path).predict_proba(X).tolist()
    assert answer["classes"] == [0, 1, 2]


@pytest.mark.parametrize(
    ("flag", "loss", "said"),
    [("--probabilities", "hinge", "--loss log_loss"), ("--scores", "squared_error", "regression")],
)
def test_columns_that_a_model_has_not_are_refused_before_the_rows_are_read(cesaro, files, tmp_path, flag, loss, said):
    path = tmp_path / "model"
    cesaro("fit", files / ("numbers" if loss == "squared_error" else "two"), "--loss", loss, "--model", path)
    ended = cesaro("predict", path, "no/such/file", flag)
    assert ended.code == 2
    assert said in ended.err


def test_labels_that_cannot_be_scored_do_not_cost_the_predictions(cesaro, files, model, rows, tmp_path):
    pytest.importorskip("pyarrow")
    X, _ = rows
    for label in ("yes", "17", ""):
        path = tmp_path / "rows.csv"
        lines = [",".join([*(f"x{k}" for k in range(X.shape[1])), "label"])]
        lines += [",".join([*map(repr, row), label or repr(k + 0.5)]) for k, row in enumerate(X.toarray().tolist())]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        ended = cesaro("predict", model, path)
        assert ended.code == 0
        assert len(ended.out.splitlines()) == len(lines) - 1
        assert "accuracy" not in ended.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_is_never_replaced_by_a_file(cesaro, files, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    cesaro("fit", files / "two", "--model", tmp_path / "m")
    for words in (("fit", files / "two", "--model"), ("predict", tmp_path / "m", files / "more", "--output")):
        ended = cesaro(*words, tmp_path / "pipe")
        assert ended.code == 2
        assert "is a device or a pipe" in ended.err
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="has no /dev/stdout")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
@pytest.mark.parametrize("to", ["a pipe", "a file"])
def test_the_name_of_standard_output_is_a_stream(name, to, cesaro, files, tmp_path):
    cesaro("fit", files / "two", "--model", tmp_path / "m")
    words = ["predict", tmp_path / "m", files / "more", "--output", name]
    command = [sys.executable, "-c", "from cesaro.cli import main; main()", *words]
    (tmp_path / "log").write_text("before\n")
    with (tmp_path / "log").open("a") as log:
        done = subprocess.run(command, stdout=log if to == "a file" else subprocess.PIPE, encoding="utf-8", check=True)
    lines = (done.stdout or (tmp_path / "log").read_text().removeprefix("before\n")).split()
    assert len(lines) == 100
    assert set(lines) == {"1", "-1"}
