"""What a fit shows of itself: a bar on a terminal and in a notebook, lines that a log file can hold."""

import io
import sys
import types

import pytest
from sklearn.datasets import load_iris, make_classification

from cesaro.linear import DualAveragingClassifier

X, y = make_classification(200, 8, random_state=0)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def fit(verbose, X=X, y=y):
    return DualAveragingClassifier(alpha=1e-2, random_state=0, verbose=verbose).fit(X, y)


def test_a_log_file_has_one_line_and_no_carriage_return(capsys):
    model = fit(1)
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "\r" not in err
    assert f"epoch {model.n_iter_}" in err


def test_verbose_2_has_a_line_for_every_evaluation(capsys):
    model = fit(2)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= len(model.history_["epoch"]) - 1 > 1
    assert all("relative gap" in line and "\r" not in line for line in lines)


def test_a_terminal_has_a_line_that_rewrites_itself(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    fit(True)
    assert sys.stderr.getvalue().startswith("\r[")
    assert sys.stderr.getvalue().count("\n") == 1


def test_silence(capsys):
    fit(0)
    assert capsys.readouterr() == ("", "")


def test_a_notebook_has_a_bar_that_is_updated(monkeypatch, capsys):
    IPython = pytest.importorskip("IPython")
    from IPython.display import DisplayHandle

    shown, updated = [], []
    monkeypatch.setattr(IPython, "get_ipython", lambda: types.SimpleNamespace(kernel=True))
    monkeypatch.setattr(
        "IPython.display.display", lambda thing, **how: shown.append(thing.data) or DisplayHandle("bar")
    )
    monkeypatch.setattr(DisplayHandle, "update", lambda self, thing, **how: updated.append(thing.data))
    fit(1, *load_iris(return_X_y=True))
    assert len(shown) == 1
    assert "<progress" in shown[0]
    assert 'value="1.0000"' in updated[-1]
    assert capsys.readouterr().err == ""
