"""What CONTRIBUTING says under "To add X write Y" is enough: each row is done here, and used."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import cesaro
from cesaro import certificate, domains, methods, outputs, weights
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers import driver, parallel, settings
from cesaro.linear.solvers.averaging import variants
from cesaro.losses import Hinge, SquaredError
from cesaro.methods import StronglyConvexMethod
from cesaro.weights import Uniform


def distance(x):
    """|x - 1|_1 + |x|^2 / 2, least at 1 in every coordinate: f* = d / 2."""
    return float(np.abs(x - 1.0).sum() + x @ x / 2.0), np.sign(x - 1.0) + x


class Point(NamedTuple):
    x: np.ndarray


@dataclass(frozen=True)
class HalfSteps(StronglyConvexMethod):
    """x - g / (mu (t + 1)): one file's worth."""

    rate = "log t / t"
    weights = Uniform()

    def start(self, x0, anchor):
        return Point(x0)

    def step(self, state, g, now, domain):
        return Point(domain.project(state.x - g / (self.mu * (now.t + 1))))


@dataclass(frozen=True)
class Triangular(weights.Weights):
    """t (t + 1) / 2."""

    def weight(self, t):
        return t * (t + 1) / 2.0

    def sum(self, t):
        return t * (t + 1) * (t + 2) / 6.0

    def relative(self, t):
        return (t + 2) / 3.0

    def first(self, t):
        return 2.0 / (t * (t + 1))


@dataclass(frozen=True)
class Corner:
    """x <= 1/2 in every coordinate."""

    def project(self, x):
        return np.minimum(x, 0.5)


@dataclass(frozen=True)
class EverySecond(outputs.Output):
    """The last point of an even step."""

    def update(self, memory, state, t, value):
        return state.x if t % 2 == 0 or memory is None else memory

    def point(self, memory):
        return memory


def test_a_method_is_a_class_and_a_line_in_ALL(monkeypatch):
    monkeypatch.setitem(methods.ALL, "half-steps", HalfSteps)
    found = cesaro.minimize(distance, np.zeros(3), method="half-steps", mu=1.0, max_iter=4000)
    assert found.fun == pytest.approx(1.5, abs=0.01)
    assert found.lower_bound <= 1.5 <= found.fun + 1e-12
    assert (
        "half-steps"
        in cesaro.compare(distance, np.zeros(3), methods=["half-steps", "gda"], mu=1.0, max_iter=50).table()
    )


def test_weights_a_domain_and_an_output_are_a_class_each():
    found = cesaro.minimize(
        distance, np.zeros(3), method="sc-pda", mu=1.0, weights=Triangular(), max_iter=3000, tol=1e-2
    )
    assert found.success
    inside = cesaro.minimize(distance, np.zeros(3), method="gda", mu=1.0, domain=Corner(), max_iter=3000)
    np.testing.assert_allclose(inside.x, 0.5, atol=0.01)
    second = cesaro.minimize(distance, np.zeros(3), method="gda", mu=1.0, output=EverySecond(), max_iter=501)
    assert np.isfinite(second.fun)
    assert isinstance(domains.make_domain(Corner(), None), domains.Domain)


def test_a_theorem_is_a_class_and_a_line_in_THEOREMS(monkeypatch):
    class Counting:
        """A bound that is known for sure: the number of points at which f was asked."""

        valid = True

        def __init__(self, mu, reach):
            self.value = 0.0

        def add(self, now, gg):
            self.value = float(now.t)

    monkeypatch.setitem(methods.ALL, "half-steps", HalfSteps)
    monkeypatch.setitem(certificate.THEOREMS, HalfSteps, Counting)
    found = cesaro.minimize(distance, np.zeros(2), method="half-steps", mu=1.0, max_iter=7)
    assert found.bound == found.nfev == 8


def a_problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    return Problem(make_rows(X), np.where(X[:, 0] > 0, 1.0, -1.0), np.ones(300), Hinge(), 0.05)


def test_a_method_for_the_linear_models_is_two_rows(monkeypatch):
    monkeypatch.setitem(variants.VARIANTS, "sc-pda-uniform", variants.Variant(primal=True))
    monkeypatch.setitem(settings.SOLVERS, "sc-pda-uniform", "averaging.solver")
    fit = parallel.solve(a_problem(), settings.Settings(solver="sc-pda-uniform", tol=1e-2))
    assert fit.status == "converged"


class RidgeBySteps(driver.Solver):
    """Gradient steps on mu/2 |w|^2 + mean (x w - y)^2 / 2: a solver in a few lines."""

    def __init__(self, problem):
        rows = problem.rows
        self.X, self.y = np.reshape(rows.data, (rows.n, rows.d)), problem.y
        self.mu, self.width, self.count, self.w = problem.mu, rows.d, rows.n, np.zeros(rows.d)
        self.at_zero = np.array([self.y @ self.y / (2 * rows.n)])
        self.length = 1.0 / (self.mu + np.linalg.norm(self.X, 2) ** 2 / rows.n)

    def advance(self, running):
        self.epoch += 1
        self.w = self.w - self.length * self.gradient()

    def gradient(self):
        return self.mu * self.w + self.X.T @ (self.X @ self.w - self.y) / self.count

    def evaluate(self, running, tol, last):
        f = self.mu / 2 * self.w @ self.w + np.square(self.X @ self.w - self.y).mean() / 2
        g = self.gradient()
        return driver.Evaluation(
            self.w[None], np.array([f]), np.array([f - g @ g / (2 * self.mu)]), np.array([self.count])
        )

    def evaluation_due(self, history, tol):
        return True

    def state(self):
        return {"w": self.w, "epoch": self.epoch}

    def resume(self, state):
        vars(self).update(state)


def test_a_solver_is_a_class_that_the_driver_runs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = X @ np.arange(4.0) + rng.normal(size=200)
    problem = Problem(make_rows(X), y, np.ones(200), SquaredError(), 0.1)
    (fit,) = driver.run_to_end(RidgeBySteps(problem), settings.Settings(tol=1e-8))
    assert fit.status == "converged"
    np.testing.assert_allclose(fit.w, np.linalg.solve(X.T @ X / 200 + 0.1 * np.eye(4), X.T @ y / 200), atol=1e-4)


def test_a_data_set_is_an_entry_of_the_catalogue(monkeypatch, tmp_path):
    import hashlib

    from cesaro import data
    from cesaro.data.artifacts import SvmlightFile
    from cesaro.data.catalogue import CATALOGUE, Entry

    text = b"1 1:0.5 3:1\n-1 2:2\n"
    (tmp_path / "tiny").write_bytes(text)
    file = SvmlightFile("tiny", "https://example.invalid/tiny", (hashlib.sha256(text).hexdigest(),))
    monkeypatch.setitem(CATALOGUE, "tiny", Entry("tiny", (file,), "two rows", "nobody", columns=3))
    monkeypatch.setenv("CESARO_DATA", str(tmp_path))
    found = data.load("tiny")
    assert found.X.shape == (2, 3)
    assert list(found.y) == [1.0, -1.0]


def test_a_figure_is_a_module_and_a_line_in_FIGURES(monkeypatch, tmp_path):
    import sys
    from types import ModuleType

    pytest.importorskip("matplotlib")
    pytest.importorskip("plotly")
    from cesaro.reproduce import run
    from cesaro.reproduce.report import drawing
    from cesaro.reproduce.results import Figure, Panel, Series

    module = ModuleType("cesaro.reproduce.parabola")
    line = Series("GDA", {"epochs": [1.0, 2.0]}, [1.0, 0.25], [1.0, 0.25], [1.0, 0.25])
    module.run = lambda budget: Figure("parabola", "A parabola", "", (Panel("one", "f - f*", (line,)),))
    module.draw = drawing.draw
    monkeypatch.setitem(sys.modules, "cesaro.reproduce.parabola", module)
    monkeypatch.setitem(run.FIGURES, "parabola", ("A parabola", "parabola"))
    report = run.reproduce(["parabola"], quick=True, out=tmp_path)
    assert "A parabola" in report.read_text(encoding="utf-8")
    assert {"parabola.json", "parabola.png", "parabola.pdf"} <= {path.name for path in tmp_path.iterdir()}


def test_an_optimiser_is_a_subclass_with_its_state_and_its_update():
    torch = pytest.importorskip("torch")
    from cesaro.optim import SCPDA
    from cesaro.optim.averaging_optimizer import AveragingOptimizer

    class Plain(AveragingOptimizer):
        """x - lr g."""

        def __init__(self, params, lr=0.1):
            super().__init__(params, SCPDA([torch.zeros(1)]).defaults | {"lr": lr})

        def _init_state(self, group, state, x):
            state["steps"] = torch.zeros_like(x)

        def _update(self, batch):
            for x, g in zip(batch.x, batch.g, strict=True):
                x.sub_(g, alpha=float(batch.group["lr"]))

    p = torch.nn.Parameter(torch.ones(3))
    optimizer = Plain([p])
    p.grad = torch.ones(3)
    optimizer.step()
    np.testing.assert_allclose(p.detach().numpy(), 0.9, rtol=1e-6)
