"""The paper's smaller statements in numbers, and the constants of docs/proofs.md."""

import math

import numpy as np
import pytest

from cesaro.methods import PAPSGSC, SCPDA, Schedule
from cesaro.reproduce.theorems import counterexamples, statements
from cesaro.reproduce.theorems.runs import random_problem, run_method, sampled_runs
from cesaro.weights import Linear, Uniform


@pytest.fixture(scope="module")
def random():
    return statements.on_random_problems(60)


@pytest.mark.parametrize("name", ["lemma 3 excess", "lemma 3 with the term excess"])
def test_lemma_3_holds_with_and_without_the_term_that_print_drops(random, name):
    assert random[name] <= 1e-12


def test_without_strong_convexity_the_dropped_term_is_too_much():
    """The test can fail: twice the dropped term is more than Lemma 3 allows."""
    worst = -math.inf
    for seed in range(20):
        problem = random_problem(seed)._replace(mu=random_problem(seed).mu * 2)
        largest = statements.Largest()
        statements.note_lemma_3(largest, problem)
        worst = max(worst, largest.found["lemma 3 with the term excess"])
    assert worst > 1e-6


@pytest.mark.parametrize(
    "name",
    [
        "gda constant ratio",
        "sc-pda constant ratio",
        "sc-pda weights 1 ratio",
        "corollary 3 ratio",
        "remark 4 ratio",
        "equation 14 ratio",
        "equation 16 uniform average ratio",
        "m0 ratio",
    ],
)
def test_the_explicit_constants_hold_on_random_problems(random, name):
    assert 0.1 < random[name] <= 1 + 1e-9


def test_the_constants_of_gda_and_sc_pda_follow_from_the_weights():
    k = np.arange(1.0, 10_001)
    A = k * (k + 1) / 2
    corrected = A - k + k**3 / (k * (A - k) + k**2)
    assert np.allclose(k**2 / corrected, 2 * k * (k + 1) / (k**2 + 3), rtol=1e-12)
    assert (k**2 / corrected).max() == pytest.approx(28 / 13, rel=1e-12)
    assert np.flatnonzero(k**2 / corrected > 28 / 13 - 1e-9).tolist() == [5, 6]
    assert np.all(np.cumsum(k**2 / corrected) / (2 * A) <= 28 / 13 / (k + 1) * (1 + 1e-12))
    assert np.all(np.cumsum(k**2 / A) / (2 * A) <= 2 / (k + 1))
    ones = k - 1 + 1 / k
    assert np.all(np.cumsum(1 / ones) <= 2 + np.log(k))


def test_linear_weights_have_the_least_leading_constant():
    found = statements.leading_constants()
    for measured, limit in found.values():
        assert measured == pytest.approx(limit, rel=0.02)
    assert min(found, key=lambda p: found[p][1]) == "1"


@pytest.mark.parametrize("name", [*statements.IRRATIONAL, "golden ratio"])
def test_the_logarithm_of_the_uniform_average_has_its_constant_to_three_digits(name):
    s = {**statements.IRRATIONAL, "golden ratio": (1 + math.sqrt(5)) / 2}[name]
    for power, share in ((1, 1.0), (0, 0.5)):
        limit = share * statements.kappa(s) * math.log(10)
        assert statements.per_decade(s, 1_000_000, power) == pytest.approx(limit, rel=1e-3)


def test_the_constant_for_pi_is_4_931():
    assert statements.kappa(math.pi) * math.log(10) == pytest.approx(4.9312, abs=1e-4)
    assert statements.per_decade(math.pi, 1_000_000) == pytest.approx(4.9312, abs=5e-3)


def test_lemmas_1_and_2_and_the_argmin_forms():
    found = statements.projections(50)
    for name in ("lemma 1 excess", "lemma 2 excess", "argmin excess"):
        assert found[name] <= 1e-12
    assert found["lemma 2 distance with another d"] == 0.75


def test_pa_psg_with_one_a_t_is_no_faster_than_one_over_log_squared():
    early, late = statements.equation_13(100_000)
    assert 1.0 <= early == pytest.approx(late, rel=1e-3)


def test_pa_psg_with_separate_weights_keeps_its_bound():
    for seed in range(1, 60, 2):  # the ball binds: without it the method is SC-PDA
        problem = random_problem(seed)
        method, t = PAPSGSC(problem.mu), np.arange(1.0, 201.0)
        path = run_method(method, problem, method.weights, 200)
        M, D = np.sqrt(np.maximum.accumulate(path.gg)), 2.0  # all of it is in the unit ball
        bracket = (t + 2) * D**2 / 2 + 4 * (t + 1 + np.log(t)) * (M / problem.mu) ** 2
        assert np.all(path.value - problem.minimum <= 2 * problem.mu / (t * (t + 3)) * bracket)


def test_one_example_refutes_equations_8_and_11():
    for found in (counterexamples.equation_8_as_printed(2), counterexamples.equation_11_as_printed(2)):
        assert [found[kind][1] for kind in ("reached", "printed", "corrected")] == [0.5, 0.375, 0.5]


def test_a_thousand_sampled_runs_keep_theorem_3_in_expectation_and_break_its_printed_lemma():
    found = sampled_runs([1, 3, 10, 30, 100, 300], 1000)
    assert np.all(np.array(found["reached"]) <= found["corrected"])
    assert np.all(np.array(found["reached"]) <= found["explicit"])
    assert np.all(np.array(found["corrected"]) <= found["explicit"])
    assert max(found["violated"]) > 0.3
    assert found["violated"][0] == 0.0  # x_0 = x_1: nothing to violate


def test_cutkosky_s_own_method_is_sc_pda_with_weights_1_and_the_printed_one_is_not(random):
    assert random["equation 15 distance"] == 0.0
    assert random["equation 15 distance to the original"] > 1e-3
    schedule = Schedule(Uniform(), Uniform())
    assert schedule.at(3).primal == pytest.approx(1 / 4)
    assert SCPDA(1.0).weights == Linear()
