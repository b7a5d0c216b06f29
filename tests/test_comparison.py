"""compare: several methods on one problem."""

import math

import numpy as np
import pytest
from problems import PROBLEM, Sampled

import cesaro
from cesaro.domains import Simplex
from cesaro.methods import PDA


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
