"""How a fit ends: at its tolerance, with a warning, by the clock, by Ctrl-C or by a callback; and what it shows meanwhile."""

import io
import os
import pkgutil
import signal
import threading
import time
import warnings
from contextlib import redirect_stderr

import numpy as np
import pytest
from estimator_data import data
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from cesaro.linear import DualAveragingClassifier, DualAveragingClassifierCV, DualAveragingRegressor

ENDLESS = {"alpha": 1e-7, "l1_ratio": 0.3, "tol": 1e-15, "max_iter": 10**7}  # what no solver finishes


def test_a_tolerance_that_is_not_reached_is_a_warning_that_states_the_gap():
    X, y, _ = data()
    with pytest.warns(ConvergenceWarning, match=r"relative gap is \d\.\de-\d\d, above tol=1e-06, after 2 epochs"):
        DualAveragingClassifier(tol=1e-6, max_iter=2).fit(X, y)


@pytest.mark.parametrize("tol", [0, None])
def test_no_tolerance_runs_all_epochs_without_a_warning(tol):
    X, y, _ = data()
    assert DualAveragingClassifier(tol=tol, max_iter=9).fit(X, y).n_iter_ == 9


def test_a_time_limit_leaves_a_fitted_model():
    X, y, _ = data(n=3000, d=50, classes=4, noise=3.0)
    start = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        model = DualAveragingClassifier(**ENDLESS, time_limit=0.3).fit(X, y)
    assert time.perf_counter() - start < 3.0
    assert model.score(X, y) > 0.4
    assert np.isfinite(model.coef_).all()


def test_an_interrupted_solver_leaves_a_fitted_model_and_a_warning(monkeypatch):
    X, y, _ = data(classes=3)
    calls = []

    def after_three(self, *args):
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("cesaro.linear.solvers.progress.Silence.__call__", after_three)
    with pytest.warns(ConvergenceWarning, match="interrupted.*fitted and usable"):
        model = DualAveragingClassifier(tol=1e-14, max_iter=40).fit(X, y)
    assert model.coef_.shape == (3, 6)
    assert model.score(X, y) > 0.5


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_control_c_leaves_a_fitted_model(n_jobs):
    X, y, _ = data(n=2000, d=30, classes=3, noise=3.0)
    model = DualAveragingClassifier(**ENDLESS, n_jobs=n_jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clone(model).set_params(max_iter=3).fit(X, y)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.warns(ConvergenceWarning, match="interrupted"):
            model.fit(X, y)
    finally:
        timer.cancel()
    assert model.score(X, y) > 0.4


@pytest.mark.parametrize(
    ("n", "place"),
    [
        (80, "cesaro.linear.solvers.progress.Silence.__call__"),
        (800, "cesaro.linear.model_selection.path.cross_validate"),
    ],
    ids=["one by one", "in batches"],
)
def test_a_search_that_was_interrupted_says_so(n, place, monkeypatch):
    X, y, _ = data(n=n)
    calls, real = [], pkgutil.resolve_name(place.replace(".Silence.", ":Silence."))

    def interrupted(*args, **kwargs):
        calls.append(args)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return real(*args, **kwargs)

    monkeypatch.setattr(place, interrupted)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = DualAveragingClassifierCV(alphas=3, tol=0).fit(X, y)
    assert len(calls) > 1
    assert np.isfinite(model.coef_).all()


def test_a_warning_names_the_line_that_called_fit():
    X, y, _ = data()
    for model in (DualAveragingClassifier(tol=1e-9, max_iter=2), DualAveragingRegressor(tol=1e-9, max_iter=2)):
        with pytest.warns(ConvergenceWarning) as caught:
            model.fit(X, y)
        assert caught[0].filename == __file__


def test_verbose_writes_objective_and_gap_to_stderr():
    X, y, _ = data()
    stream = io.StringIO()
    with redirect_stderr(stream):
        DualAveragingClassifier(verbose=1).fit(X, y)
    assert "objective" in stream.getvalue()
    assert "relative gap" in stream.getvalue()
    silent = io.StringIO()
    with redirect_stderr(silent):
        DualAveragingClassifier().fit(X, y)
    assert silent.getvalue() == ""


@pytest.mark.skipif(not hasattr(DualAveragingClassifier, "set_callbacks"), reason="scikit-learn without callbacks")
def test_callbacks_of_scikit_learn_see_every_evaluation_and_may_stop_the_fit():
    class Witness:
        seen: tuple = ()

        def setup(self, estimator, context):
            self.seen += ("setup",)

        def teardown(self, estimator, context):
            self.seen += ("teardown",)

        def on_fit_task_begin(self, estimator, context):
            self.seen += (f"begin {context.task_name}",)

        def on_fit_task_end(self, estimator, context):
            self.seen += (f"end {context.task_name}",)
            return context.task_name == "epoch" and self.seen.count("end epoch") == 3

    X, y, _ = data(classes=3)
    witness = Witness()
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = DualAveragingClassifier(alpha=1e-6).set_callbacks(witness).fit(X, y)
    assert witness.seen[:3] == ("setup", "begin fit", "begin model")
    assert witness.seen[-2:] == ("end fit", "teardown")
    assert witness.seen.count("begin model") == witness.seen.count("end model")
    assert witness.seen.count("end epoch") >= 3
    assert model.coef_.shape == (3, 6)
