"""Errors of commands: exit codes, hints, what goes to which stream, and what help costs."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading

import pytest

COMMANDS = ("fit", "predict", "cv", "compare", "reproduce", "data")


def shell(*words, **options):
    return subprocess.run(
        [sys.executable, "-c", "from cesaro.cli import main; main()", *map(str, words)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        **options,
    )


def test_help_names_every_command_and_imports_nothing_heavy():
    heavy = ("numpy", "scipy", "numba", "sklearn", "pandas", "matplotlib", "torch", "safetensors", "pooch", "plotly")
    code = f"""
import sys
from cesaro.cli import main
sys.argv = ["cesaro", "--help"]
try:
    main()
finally:
    print([name for name in {heavy} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert all(command in done.stdout for command in COMMANDS)
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_json(command, cesaro):
    ended = cesaro(command, "--help")
    assert ended.code == 0
    assert "--json" in ended.out


def refused(ended, *words):
    """Exit code 2, nothing on stdout, the words in the error, which says what to do or ends in a hint."""
    assert ended.code == 2
    assert ended.out == ""
    lines = ended.err.rstrip().splitlines()
    assert lines[0].startswith("error: ")
    assert lines[-1].startswith("hint: ") or ". " in lines[0] or "not among" in lines[0]
    assert "--help of a command" not in ended.err
    assert "Traceback" not in ended.err
    for word in words:
        assert word in ended.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fit"], "Missing argument"),
        (["fti", "a9a"], "fti"),
        (["fit", "a9a", "--alpha", "big"], "big is not a positive number"),
        (["fit", "a9a", "--alpha", "-1"], "-1 is not a positive number"),
        (["fit", "a9a", "--alpha", "nan"], "nan is not a positive number"),
        (["fit", "a9a", "--tol", "-1e-3"], "not a number from 0 on"),
        (["fit", "a9a", "--max-iter", "0"], "--max-iter"),
        (["fit", "a9a", "--loss", "cross_entropy"], "squared_hinge"),
        (["fit", "a9a", "--solver", "newton"], "anchored"),
        (["fit", "a9a", "--time-limit", "soon"], "soon"),
        (["fit", "a9a", "--bogus"], "--bogus"),
        (["fit", "no/such/file"], "neither a file nor the name of a data set"),
        (["fit", "cifar10"], "cifar10 has images, not rows"),
        (["fit", "."], "a folder"),
        (["fit", "a9a", "--model", "no/such/folder/model"], "not a path for a file"),
        (["predict", "no-model", "a9a", "--output", "no/such/folder/labels"], "not a path for a file"),
        (["fit", "a9a", "--test", "no/such/file"], "no/such/file"),
        (["predict", "no/such/model", "a9a"], "No such file"),
        (["cv", "a9a", "--folds", "1"], "--folds"),
        (["cv", "a9a", "--plot", "curve.doc"], "not a picture"),
        (["cv", "a9a", "--plot", "no/such/folder/curve.png"], "not a path for a file"),
        (["fit", "a9a", "--quantile", "0.9"], "--quantile is of no use with --loss hinge"),
        (["fit", "a9a", "--epsilon", "0.1", "--loss", "squared_error"], "--epsilon is of no use"),
        (["fit", "a9a", "--class-weight", "balanced", "--loss", "huber"], "--class-weight is of no use"),
        (["fit", "a9a", "--class-weight", "heavy"], "neither balanced nor pairs"),
        (["fit", "a9a", "--class-weight", "7=2"], "not among the classes"),
        (["fit", "a9a", "--l1-ratio", "2"], "not a number between 0 and 1"),
        (["fit", "a9a", "--sampling", "sorted"], "sampling"),
        (["reproduce", "--out", __file__], "is a file"),
        (["reproduce", "figure9"], "figure1"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_hint(words, said, cesaro):
    refused(cesaro(*words), said)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("+1 1:1\n-1 2:x\n", "line 2, column 6"),
        ("+1 0:1\n", "line 1, column 4"),
        ("+1 3:1 2:1\n", "line 1, column 8"),
        ("+1 qid:3 2:1\n", "line 1, column 4"),
        ("", "has no rows"),
        ("+1 1:1\n+1 2:1\n", "every row has the label 1"),
        ("0.5 1:1\n0.25 2:1\n", "--loss squared_error"),
    ],
)
def test_a_malformed_file_is_an_error_that_says_where(text, where, cesaro, tmp_path):
    (tmp_path / "rows").write_text(text, encoding="utf-8")
    refused(cesaro("fit", tmp_path / "rows"), where)


def test_a_damaged_model_is_refused(cesaro, files, tmp_path):
    assert cesaro("fit", files / "two", "--model", tmp_path / "m").code == 0
    content = bytearray((tmp_path / "m").read_bytes())
    content[-5] ^= 1
    (tmp_path / "m").write_bytes(content)
    refused(cesaro("predict", tmp_path / "m", files / "more"), "damaged", "checksum")
    refused(cesaro("predict", files / "two", files / "more"), "not a cesaro model file")


def test_a_path_that_may_not_be_written_to_is_an_error_and_leaves_nothing(cesaro, files, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", str(tmp_path / "m"))

    monkeypatch.setattr(os, "fsync", full)
    refused(cesaro("fit", files / "two", "--model", tmp_path / "m"), "No space left on device")
    assert os.listdir(tmp_path) == []


def test_ctrl_c_before_there_is_a_model_exits_130(cesaro, files, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("cesaro.data.read_svmlight", interrupted)
    ended = cesaro("fit", files / "two")
    assert ended.code == 130
    assert ended.err == "note: interrupted: nothing was written.\n"


def test_ctrl_c_ends_a_comparison(cesaro, files, monkeypatch):
    def interrupted(*_):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("cesaro.linear.solvers.anchored.kernels.evaluate", interrupted)
    ended = cesaro("compare", files / "two", "--solvers", "anchored,gda")
    assert ended.code == 130
    assert ended.out == ""


def test_a_fault_of_our_own_keeps_its_traceback(files, monkeypatch, cesaro):
    def broken(*_, **__):
        raise RuntimeError("a fault")

    monkeypatch.setattr("cesaro.cli.estimator.make_estimator", broken)
    with pytest.raises(RuntimeError, match="a fault"):
        cesaro("fit", files / "two")


def test_in_a_pipe_results_are_on_stdout_and_nothing_else_is(files):
    done = shell("fit", files / "two", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["converged"] is True
    assert done.stderr == ""


def test_bars_are_drawn_on_a_terminal_and_never_on_stdout():
    pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
    reads, writes = pty.openpty()
    drawn = []

    def watch():
        with contextlib.suppress(OSError):  # the other end is closed
            while piece := os.read(reads, 1 << 16):
                drawn.append(piece)

    watching = threading.Thread(target=watch)
    watching.start()
    command = [sys.executable, "-c", "from cesaro.cli import main; main()", "data", "fetch", "a9a", "--json"]
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=writes, env=os.environ | {"TERM": "xterm"}, check=True
        )
    finally:
        os.close(writes)
        watching.join()
        os.close(reads)
    assert b"checking a9a" in b"".join(drawn)
    assert json.loads(done.stdout)["name"] == "a9a"


def test_a_reader_that_has_seen_enough_is_no_error(cesaro, files, tmp_path):
    assert cesaro("fit", files / "two", "--model", tmp_path / "m").code == 0
    (tmp_path / "many").write_bytes((files / "more").read_bytes() * 400)
    command = [
        sys.executable,
        "-c",
        "from cesaro.cli import main; main()",
        "predict",
        tmp_path / "m",
        tmp_path / "many",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        first = process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
    assert first in ("1\n", "-1\n")
    assert "Traceback" not in errors
    assert "Error" not in errors


def test_a_stream_without_the_characters_of_a_table_is_no_error(files):
    done = shell("compare", files / "two", "--solvers", "anchored", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert "true gap ?" in done.stdout


def test_a_shell_completes_commands(monkeypatch):
    asked = {"_CESARO_COMPLETE": "complete_bash", "COMP_WORDS": "cesaro p", "COMP_CWORD": "1"}
    code = "import sys; sys.argv[0] = 'cesaro'; from cesaro.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False, env=os.environ | asked
    )
    assert done.stdout.split() == ["predict"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_80_columns(command, monkeypatch):
    done = shell(command, "--help", env=os.environ | {"COLUMNS": "80", "TERMINAL_WIDTH": "80"})
    assert max(map(len, done.stdout.splitlines())) <= 80
