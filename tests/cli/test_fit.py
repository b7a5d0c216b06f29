"""cesaro fit: what it says, what it writes, how it ends."""

import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from cesaro import DualAveragingClassifier, load
from cesaro.cli import options
from cesaro.linear.solvers.settings import SOLVERS
from cesaro.losses import CLASSIFICATION, REGRESSION


def test_the_losses_and_solvers_on_offer_are_those_of_the_estimators():
    said = options.LossOption.__metadata__[0].help
    assert said == f"Classification: {', '.join(CLASSIFICATION)}. Regression: {', '.join(REGRESSION)}."
    assert [options.loss_name(name) for name in (*CLASSIFICATION, *REGRESSION)] == [*CLASSIFICATION, *REGRESSION]
    assert [solver.value for solver in options.SolverName] == list(SOLVERS)


def test_it_prints_objective_proof_accuracy_and_time(cesaro, files):
    ended = cesaro("fit", files / "two", "--test", files / "more")
    assert ended.code == 0
    assert re.fullmatch(r"done: certified relative gap \S+, \d+ epochs, \d+\.\d\d s\n", ended.err)
    for words in (
        "objective",
        "proved: at most",
        "above the optimum",
        "% on the training rows",
        "100 test rows",
        "s for",
    ):
        assert words in ended.out


def test_json_has_the_numbers_of_the_estimator(cesaro, files):
    answer = cesaro("fit", files / "two", "--test", files / "more", "--alpha", "0.01", "--seed", "3", "--json").json
    X, y = load_svmlight_file(str(files / "two"), zero_based=False)
    model = DualAveragingClassifier(alpha=0.01, random_state=3).fit(X, y)
    assert answer["objective"] == model.objective_
    assert answer["gap"] == model.dual_gap_
    assert answer["relative_gap"] == model.relative_gap_ <= 1e-3
    assert answer["train_accuracy"] == model.score(X, y)
    assert (answer["rows"], answer["features"], answer["test_rows"]) == (200, 6, 100)
    assert answer["converged"] is True
    assert answer["interrupted"] is False
    assert answer["model"] is None


def test_the_model_that_is_written_is_the_one_that_was_fitted(cesaro, files, tmp_path):
    answer = cesaro("fit", files / "two", "--model", tmp_path / "m", "--no-intercept", "--json").json
    model = load(tmp_path / "m")
    assert model.objective_ == answer["objective"]
    assert model.fit_intercept is False
    assert os.listdir(tmp_path) == ["m"]


@pytest.mark.parametrize("loss", ["log_loss", "squared_hinge"])
def test_another_loss_is_another_objective(loss, cesaro, files):
    answer = cesaro("fit", files / "two", "--loss", loss, "--json").json
    assert answer["loss"] == loss
    assert answer["converged"]


def test_a_regression_loss_makes_a_regressor(cesaro, files):
    answer = cesaro("fit", files / "numbers", "--loss", "squared_error", "--json").json
    assert answer["train_r2"] > 0.9
    assert "train_accuracy" not in answer
    assert "R²" in cesaro("fit", files / "numbers", "--loss", "squared_error").out


def test_three_classes_are_three_models(cesaro, files):
    answer = cesaro("fit", files / "three", "--json").json
    assert answer["classes"] == [0, 1, 2]
    assert len(answer["objective"]) == len(answer["gap"]) == 3
    assert "3 one-vs-rest models" in cesaro("fit", files / "three").out


def test_auto_searches_alpha(cesaro, files, tmp_path):
    answer = cesaro("fit", files / "two", "--alpha", "auto", "--model", tmp_path / "m", "--json").json
    assert answer["alpha_searched"] is True
    assert load(tmp_path / "m").alpha == answer["alpha"]


def test_a_tolerance_that_is_not_reached_is_said_and_is_no_error(cesaro, files):
    ended = cesaro("fit", files / "two", "--solver", "gda", "--max-iter", "2", "--tol", "1e-9", "--json")
    assert ended.code == 0
    assert ended.json["converged"] is False
    assert ended.err.startswith("note: the tolerance was not reached: the proved relative gap is")
    assert "--solver anchored" in ended.err


def test_without_a_tolerance_there_is_no_complaint(cesaro, files):
    ended = cesaro("fit", files / "two", "--max-iter", "3", "--tol", "0", "--json")
    assert ended.err == ""
    assert ended.json["epochs"] == 3


def test_features_that_only_the_test_rows_have_are_left_out_with_a_note(cesaro, files, tmp_path):
    (tmp_path / "wide").write_text(
        (files / "more").read_text(encoding="utf-8").replace("\n", " 9:1\n"), encoding="utf-8"
    )
    wide = cesaro("fit", files / "two", "--test", tmp_path / "wide", "--json")
    assert "100 entries beyond feature 6" in wide.err
    assert (
        wide.json["test_accuracy"]
        == cesaro("fit", files / "two", "--test", files / "more", "--json").json["test_accuracy"]
    )


def test_features_that_the_test_rows_lack_are_zero(cesaro, files, tmp_path):
    (tmp_path / "narrow").write_text("1 1:1\n-1 1:-1\n", encoding="utf-8")
    assert cesaro("fit", files / "two", "--test", tmp_path / "narrow", "--json").json["test_rows"] == 2


def test_a_finished_fit_goes_on_to_a_tighter_tolerance(cesaro, files, tmp_path):
    command = ("fit", files / "two", "--checkpoint", tmp_path / "kept", "--resume", "--json")
    loose, tight = (cesaro(*command, "--tol", tol).json for tol in ("1e-1", "1e-6"))
    assert loose["relative_gap"] > 1e-6 >= tight["relative_gap"]
    assert (tight["resumed"], tight["converged"]) == (True, True)
    assert tight["lower_bound"] >= loose["lower_bound"]


def test_a_fit_goes_on_from_its_checkpoint_and_only_if_asked_to(cesaro, files, tmp_path):
    command = ("fit", files / "two", "--solver", "gda", "--tol", "1e-12", "--checkpoint", tmp_path / "kept", "--json")
    first = cesaro(*command, "--max-iter", 20, "--resume")
    assert (first.json["epochs"], first.json["resumed"]) == (20, False)
    assert "no checkpoint yet: the fit begins anew" in first.err
    again = cesaro(*command, "--max-iter", 20)
    assert again.code == 2
    assert "hint: add --resume" in again.err
    resumed = cesaro(*command, "--max-iter", 20, "--resume")
    assert resumed.json["resumed"] is True
    assert resumed.json["objective"] == cesaro(*command[:-3], "--max-iter", 20, "--json").json["objective"]
    other = cesaro("fit", files / "more", *command[2:], "--resume")
    assert other.code == 2
    assert "another run's" in other.err


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--resume"], "--checkpoint FOLDER"), (["--checkpoint", "kept", "--alpha", "auto"], "cesaro cv")],
)
def test_a_checkpoint_that_makes_no_sense_is_refused(words, said, cesaro, files):
    ended = cesaro("fit", files / "two", *words)
    assert ended.code == 2
    assert said in ended.err


SAYS_WHEN = """
import sys
from cesaro.cli import main, progress
sys.argv = ["cesaro", "fit", *sys.argv[1:], "--solver", "gda", "--tol", "1e-14", "--max-iter", "100000000"]
progress.ProgressBar.update = lambda bar, share, words="": print(words, flush=True)
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send SIGINT to one process")
def test_ctrl_c_writes_the_model_at_hand_and_exits_130(files, tmp_path):
    command = [sys.executable, "-c", SAYS_WHEN, str(files / "two"), "--model", str(tmp_path / "m")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        try:
            while "epoch" not in process.stdout.readline():
                assert process.poll() is None
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130, err
    assert "proved: at most" in out
    assert f"interrupted. The model at hand is usable and is in {tmp_path / 'm'}" in err
    assert np.isfinite(load(tmp_path / "m").coef_).all()
