"""The anchored solver reaches the optimum of every loss, and its lower bound is true."""

import lzma
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from independent_optimum import objective, optimum
from linear_problems import EACH, a_problem, classes, make
from sklearn.datasets import load_svmlight_file
from solving import by_anchored

from cesaro import losses

DATA = Path(__file__).parents[5] / "shared" / "data" / "libsvm"
OPTIMA = {
    ("a9a", 1e-2): 0.380703366164,
    ("a9a", 1e-4): 0.351761800467,
    ("a9a", None): 0.351150385340,
    ("ijcnn1", 1e-2): 0.239837496893,
    ("ijcnn1", 1e-4): 0.175811273709,
    ("ijcnn1", None): 0.171954475680,
    ("w8a", 1e-2): 0.239440835461,
    ("w8a", 1e-4): 0.144325891647,
    ("w8a", None): 0.132764208748,
}


def gap(fit):
    return (fit.objective - fit.lower_bound) / max(fit.objective, 1e-3 * fit.history["objective"][0])


@pytest.mark.parametrize("case", ["plain", "l1", "ball"])
@pytest.mark.parametrize("kind", losses.ALL.values(), ids=lambda kind: kind.__name__)
def test_the_bound_is_never_above_an_independent_optimum_nor_the_objective_below_it(kind, case):
    rng = np.random.default_rng([list(losses.ALL.values()).index(kind), len(case)])
    for seed in range(4):
        problem = a_problem(rng, kind, case)
        _, f = optimum(problem)
        zero = objective(problem, np.zeros(problem.rows.width))
        for tol in (0.3, 1e-5):
            fit = by_anchored(problem, tol=tol, seed=seed, max_iter=2000)
            assert fit.objective == pytest.approx(objective(problem, fit.w), rel=1e-9, abs=1e-12)
            assert np.linalg.norm(fit.w) <= problem.radius * (1 + 1e-9)
            assert fit.lower_bound <= min(f, fit.objective) * (1 + 1e-11)
            assert fit.objective - fit.lower_bound >= fit.objective - f - 1e-11
            assert fit.status == "converged"
            assert gap(fit) <= tol
        assert fit.objective <= f + 2e-5 * max(f, 1e-3 * zero) + 1e-9


def test_rows_of_weight_zero_do_not_exist_and_integer_weights_are_repetitions():
    rng = np.random.default_rng(4)
    X, y = classes(rng, 80, 5)
    v = rng.integers(0, 4, 80).astype(float)
    weighted = by_anchored(make(X, y, v=v, bias=1.0), tol=1e-8)
    repeated = by_anchored(make(np.repeat(X, v.astype(int), 0), np.repeat(y, v.astype(int)), bias=1.0), tol=1e-8)
    assert weighted.objective == pytest.approx(repeated.objective, rel=2e-8)
    np.testing.assert_allclose(weighted.w, repeated.w, atol=2e-3)


@pytest.mark.parametrize("loss", EACH, ids=repr)
def test_weak_spots_are_solved_to_1e_6(loss):
    """Few rows with a tiny mu, nearly separable rows, rows whose norms spread over four orders of magnitude."""
    rng = np.random.default_rng(5)
    X, y = classes(rng, 200, 30, 3.0)
    few = make(X, y, loss, 0.1 / 200, bias=1.0)
    C = rng.integers(0, 5, (2000, 12)) + 5 * np.arange(12)
    X = sp.csr_array((np.ones(C.size), C.ravel(), np.arange(0, C.size + 1, 12)), shape=(2000, 60))
    s = X @ rng.normal(size=60)
    separable = make(X, np.where(s > np.median(s), 1.0, -1.0), loss, 0.1 / 2000)
    X, y = classes(rng, 1000, 20, 3.0)
    spread = make(X * 10 ** rng.uniform(-2, 2, (1000, 1)), y, loss, 1e-3)
    for problem in (few, separable, spread):
        fit = by_anchored(problem, tol=1e-3)
        assert fit.status == "converged"
        fit = by_anchored(problem, tol=1e-6, max_iter=20_000, time_limit=20.0)
        assert gap(fit) <= 1e-6


def test_without_a_quadratic_term_the_lasso_is_solved_and_proved():
    rng = np.random.default_rng(16)
    X = rng.normal(size=(100, 8))
    y = X[:, 0] + 2 * X[:, 3] + 0.1 * rng.normal(size=100)
    problem = make(X, y, losses.SquaredError(), 0.0, l1=0.1)
    fit = by_anchored(problem, tol=1e-5)
    assert fit.status == "converged"
    assert fit.lower_bound <= optimum(problem)[1] * (1 + 1e-9)
    assert fit.objective <= optimum(problem)[1] * (1 + 1e-4)
    assert np.flatnonzero(np.abs(fit.w) > 1e-3).tolist() == [0, 3]


@pytest.mark.parametrize("anchor", [0.0, 10.0, 1e5])
def test_any_anchor_reaches_the_same_optimum(anchor):
    X, y = classes(np.random.default_rng(14), 300, 5)
    auto, given = by_anchored(make(X, y), tol=1e-5), by_anchored(make(X, y), tol=1e-5, anchor=anchor, max_iter=20_000)
    assert given.status == "converged"
    assert given.objective == pytest.approx(auto.objective, rel=2e-5)


@pytest.mark.skipif(not DATA.exists(), reason="the LIBSVM data sets are not in ../shared/data")
@pytest.mark.parametrize("name", ["a9a", "ijcnn1", "w8a"])
def test_the_reference_optima_are_reached_and_proved(name):
    with lzma.open(DATA / f"{name}.xz") as file:
        X, y = load_svmlight_file(BytesIO(file.read()))
    y = np.where(y > y.min(), 1.0, -1.0)
    for mu in (1e-2, 1e-4, None):
        known, problem = OPTIMA[name, mu], make(X, y, mu=mu or 1 / len(y))
        for tol in (1e-3, 1e-6):
            fit = by_anchored(problem, tol=tol)
            assert fit.status == "converged"
            assert fit.lower_bound <= known * (1 + 1e-11) <= fit.objective * (1 + 2e-11)
            assert fit.objective <= known * (1 + tol)
