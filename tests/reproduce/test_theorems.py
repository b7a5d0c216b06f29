"""The theorems' figure: known minima are minima, the numbers are those of the counterexamples, the words follow from them."""

import copy
from dataclasses import replace

import numpy as np
import pytest

from cesaro.reproduce.budget import Budget
from cesaro.reproduce.results import Figure
from cesaro.reproduce.theorems import counterexamples, statements
from cesaro.reproduce.theorems import experiment as theorems
from cesaro.reproduce.theorems import runs as theorem_runs
from cesaro.reproduce.theorems import theorem_claims as theorem_claims
from cesaro.reproduce.verdicts import verdict_rows, verdict_text

LAST = {"Lemma": 3, "Theorem": 3, "Corollary": 4, "Remark": 5, "Assumption": 2, "Figure": 3}
EQUATIONS = range(1, 31)


@pytest.fixture(scope="module")
def budget(tmp_path_factory):
    return replace(Budget(tmp_path_factory.mktemp("runs")), quick=True, steps=3000, problems=30, worst_cases=2)


@pytest.fixture(scope="module")
def numbers(budget):
    return theorems.compute_numbers(budget)


@pytest.mark.parametrize("seed", range(20))
def test_the_minimum_of_a_random_problem_is_known(seed):
    problem, rng = theorem_runs.random_problem(seed), np.random.default_rng(seed)
    reached = theorem_runs.run_method(theorem_runs.SCPDA(problem.mu), problem, theorem_runs.Linear(), 3000).value
    assert reached.min() == pytest.approx(problem.minimum, abs=0.05)
    for _ in range(200):
        x = problem.domain.project(rng.normal(size=len(problem.x0)) * rng.choice([0.01, 0.1, 1.0]))
        assert problem.f(x)[0] >= problem.minimum - 1e-12


def test_theorem_1_and_the_corrected_theorem_2_hold_on_random_problems_and_the_printed_one_does_not(numbers):
    ratios = numbers["ratios"]
    assert max(ratios["theorem 1"]["largest"]) <= 1 + 1e-9
    assert max(ratios["theorem 2 corrected"]["largest"]) <= 1 + 1e-9
    assert max(ratios["theorem 2 printed"]["largest"]) > 1.01


def test_the_counterexamples_reach_what_is_known_of_them(numbers):
    found = numbers["counterexample"]
    second = [found[kind][1] for kind in ("reached", "printed", "corrected")]
    assert second == pytest.approx([4 / 9, 7 / 18, 19 / 42], abs=1e-15)
    found = numbers["dual averaging"]
    assert [found[kind][1] for kind in ("reached", "printed", "corrected")] == [0.5, 0.375, 0.5]
    assert np.all(np.array(found["reached"]) <= found["corrected"])


def test_the_uniform_average_of_gda_grows_by_a_constant_for_every_factor_of_ten():
    found = counterexamples.corollary_1_on_the_kink([100, 1000, 10_000])
    growth = np.diff(found["GDA, uniform average"])
    assert growth[0] > 3
    assert growth[1] == pytest.approx(growth[0], rel=0.1)
    assert np.diff(found["GDA, weighted average"])[-1] < 0.1


def test_the_mean_of_sampled_runs_is_within_the_corrected_bound_and_the_samples_do_not_depend_on_the_times():
    found = theorem_runs.sampled_runs([1, 10, 300], repeats=50)
    assert np.all(np.array(found["reached"]) <= found["corrected"])
    assert found["reached"][2] < 0.1 * found["reached"][1]
    assert theorem_runs.sampled_runs([10, 300], repeats=50)["reached"] == found["reached"][1:]


def verdicts_of(claims):
    return {claim.paper.partition(":")[0]: claim.verdict for claim in claims}


def test_every_statement_has_a_verdict_and_its_number(numbers):
    found = theorem_claims.theorem_claims(numbers)
    verdicts = verdicts_of(found)
    assert list(verdicts) == list(theorem_claims.PLACES)
    assert len(set(verdicts)) == len(found) == 43
    assert verdicts["Theorem 1"] == "reproduced"
    assert verdicts["Corollary 1"] == "not"
    assert verdicts["Theorem 2"] == verdicts["Theorem 3"] == verdicts["Equation (8)"] == "not"
    assert verdicts["Equation (11)"] == verdicts["Equation (13)"] == verdicts["SC-RDA in the experiments"] == "not"
    for name in (
        "Lemma 1",
        "Lemma 3",
        "Corollary 1, first claim",
        "Corollary 3, (26)",
        "Remark 3",
        "Equations (5), (7), (10) and (12)",
    ):
        assert verdicts[name] == "reproduced", name
    for name in (
        "Lemma 2",
        "Equation (14)",
        "Equation (16)",
        "Assumption 1, (20)",
        "Assumption 2, (21)",
        "Remark 1",
        "Remark 4",
    ):
        assert verdicts[name] == "partly", name
    assert "0.4444 after t = 2 where 0.3889" in found[theorem_claims.PLACES.index("Theorem 2")].measured


def test_the_verdicts_follow_from_the_numbers(numbers):
    other = copy.deepcopy(numbers) | {"worst": None}
    other["counterexample"]["reached"] = [0.0] * counterexamples.FEW
    other["ratios"]["theorem 2 printed"]["largest"] = [0.5]
    other["ratios"]["theorem 1"]["largest"] = [1.5]
    other["kink"]["GDA, uniform average"] = other["kink"]["GDA, weighted average"]
    other["kink"]["SC-PDA, last point"] = list(range(1, len(other["times"]) + 1))
    other["sampled"]["reached"] = [1.0] * len(other["early"])
    other["statements"]["last point"][1][0] = 0.0
    other["statements"]["random"]["equation 14 for (13) ratio"] = 1.1
    other["statements"]["decade"]["pi"][2] = 0.0
    verdicts = verdicts_of(theorem_claims.theorem_claims(other))
    assert verdicts["Theorem 1"] == "not"
    assert verdicts["Corollary 1"] == "reproduced"
    assert verdicts["Theorem 2"] == "reproduced"
    assert verdicts["Corollary 2, (24) and (25)"] == "partly"
    assert verdicts["Theorem 3"] == verdicts["Corollary 4, (28)"] == verdicts["Equation (14)"] == "not"
    assert verdicts["Remark 3"] == "partly"
    assert verdicts["SC-RDA in the experiments"] == "reproduced"


def test_finished_parts_are_not_run_again(budget, numbers, monkeypatch):
    monkeypatch.setattr(counterexamples, "corollary_1_on_the_kink", lambda *_: pytest.fail("ran again"))
    monkeypatch.setattr(statements, "all_numbers", lambda *_: pytest.fail("ran again"))
    for name in ("ratios", "sampled_runs"):
        monkeypatch.setattr(theorem_runs, name, lambda *_: pytest.fail("ran again"))
    monkeypatch.setattr(theorems, "worst_ratios", lambda *_: pytest.fail("solved again"))
    figure = theorems.run(budget)
    assert len(figure.panels) == 9
    assert figure.shortened[:2] == ("30 random problems instead of 300", "t up to 3,000 instead of 100,000")


def test_without_pepit_the_panel_says_so(budget, numbers, monkeypatch):
    monkeypatch.setattr(theorems, "has_pepit", lambda: False)
    figure = theorems.run(budget)
    (panel,) = [panel for panel in figure.panels if "worst case" in panel.title]
    assert panel.series == ()
    assert "pip install 'cesaro[theorems]'" in panel.note
    assert "without the worst cases" in figure.shortened


def test_the_full_budget_is_not_called_shortened(numbers, tmp_path):
    assert theorems._shortened(Budget(tmp_path), numbers | {"worst": {}}) == ()


def test_no_numbered_statement_of_the_paper_is_missing_from_the_table(budget, numbers):
    figures = [theorems.run(budget), *(Figure(f"figure{k}", f"Figure {k}", "", ()) for k in (1, 2, 3))]
    rows = verdict_rows(figures)
    said = " ".join(f"{statement} {number}" for statement, _, number, _ in rows)
    numbered = [f"{kind} {k}" for kind, last in LAST.items() for k in range(1, last + 1)]
    for name in [*numbered, "Algorithms 1 and 2", *(f"({k})" for k in EQUATIONS)]:
        assert name in said, name
    assert all(command.startswith("cesaro reproduce ") for *_, command in rows)
    assert verdict_text(rows).count("\n") == len(rows)
