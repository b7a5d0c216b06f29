"""compare: several methods on one problem."""

import math

import numpy as np
import pytest
from problems import PROBLEM, Sampled, solve

import cesaro
from cesaro.domains import Simplex
from cesaro.methods import GDA, PDA
from cesaro.weights import Uniform


def test_comparisons_share_the_best_bound():
    comparison = cesaro.compare(PROBLEM, PROBLEM.x0, mu=PROBLEM.mu, max_iter=200)
    assert list(comparison) == list(comparison.results) == ["gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda"]
    assert comparison.lower_bound == max(r.lower_bound for r in comparison.results.values())
    assert comparison.lower_bound <= PROBLEM.minimum
    lines = comparison.table().splitlines()
    assert len(lines) == 7
    assert len({len(line) for line in lines}) == 1
    named = cesaro.compare(PROBLEM, PROBLEM.x0, [PDA(), "sc-pda"], domain=Simplex(), mu=PROBLEM.mu, max_iter=20)
    assert list(named.results) == ["PDA(mu=0.0)", "sc-pda"]
    assert named["PDA(mu=0.0)"].gap < math.inf
    twice = cesaro.compare(
        Sampled(), PROBLEM.x0, ["gda", "gda"], mu=PROBLEM.mu, rng=np.random.default_rng(0), max_iter=50
    )
    assert list(twice.results) == ["gda", "gda'"]
    assert twice["gda"].fun == twice["gda'"].fun
    assert list(cesaro.compare(PROBLEM, PROBLEM.x0, "gda", mu=PROBLEM.mu, max_iter=5).results) == ["gda"]


def test_a_dict_names_the_runs_and_gives_them_arguments_of_their_own():
    shared = {"mu": PROBLEM.mu, "max_iter": 60}
    runs = {
        "one": "gda",
        "two": {"method": "gda", "weights": Uniform(), "max_iter": 30},
        "three": GDA(PROBLEM.mu),
        "four": {"anchor": 0.0},
    }
    comparison = cesaro.compare(PROBLEM, PROBLEM.x0, runs, **shared)
    assert list(comparison) == list(runs)
    alone = {
        "one": solve(PROBLEM, method="gda", max_iter=60),
        "two": solve(PROBLEM, method="gda", max_iter=30, weights=Uniform()),
        "three": solve(PROBLEM, method="gda", max_iter=60),
        "four": solve(PROBLEM, max_iter=60, anchor=0.0),
    }
    for name, res in alone.items():
        assert np.array_equal(comparison[name].x, res.x), name
    assert len({res.fun for res in comparison.results.values()}) == 3
    assert runs["two"] == {"method": "gda", "weights": Uniform(), "max_iter": 30}
    lines = comparison.table().splitlines()[2:]
    assert [line.split()[0] for line in lines] == list(runs)


def test_runs_of_a_dict_draw_the_same_random_numbers():
    draws = {"a": "gda", "b": {"method": "gda"}, "c": {"method": "gda", "rng": 1}}
    sampled = cesaro.compare(Sampled(), PROBLEM.x0, draws, mu=PROBLEM.mu, rng=np.random.default_rng(0), max_iter=50)
    assert sampled["a"].fun == sampled["b"].fun != sampled["c"].fun


def test_a_name_that_is_no_text_is_refused():
    with pytest.raises(TypeError, match="got 1 as a name"):
        cesaro.compare(PROBLEM, PROBLEM.x0, {1: "gda"}, mu=PROBLEM.mu)
    with pytest.raises(TypeError, match="unexpected keyword"):
        cesaro.compare(PROBLEM, PROBLEM.x0, {"a": {"weight": Uniform()}}, mu=PROBLEM.mu)


def test_method_is_the_default_of_a_dict_and_refused_beside_a_list():
    weights = {"t": {}, "1": {"weights": Uniform()}}
    both = cesaro.compare(PROBLEM, PROBLEM.x0, weights, method="gda", mu=PROBLEM.mu, max_iter=20)
    assert both["t"].fun == solve(PROBLEM, method="gda", max_iter=20).fun != both["1"].fun
    with pytest.raises(TypeError, match="default of a dict"):
        cesaro.compare(PROBLEM, PROBLEM.x0, ["gda"], method="sc-pda", mu=PROBLEM.mu)


def test_a_comparison_can_be_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = cesaro.compare(PROBLEM, PROBLEM.x0, ["gda", "sc-pda"], mu=PROBLEM.mu, max_iter=100).plot()
    assert [line.get_label() for line in ax.lines] == ["gda", "sc-pda"]
    assert all(np.all(line.get_ydata() > 0) for line in ax.lines)
    unproved = cesaro.compare(PROBLEM, PROBLEM.x0, max_iter=20)
    assert unproved.lower_bound == -math.inf
    unproved.plot().figure.canvas.draw()
    matplotlib.pyplot.close("all")
