"""The theorems and corollaries in numbers, as printed and corrected: random problems, counterexamples, worst cases.

In every panel a = gamma = t unless it says otherwise; solid is what holds, dashed what is printed or the comparison.
"""

from pathlib import Path
from typing import Any

import numpy as np

from cesaro.reproduce.budget import Budget
from cesaro.reproduce.report import drawing
from cesaro.reproduce.results import Figure, load_or_compute
from cesaro.reproduce.theorems import counterexamples, statements
from cesaro.reproduce.theorems import runs as theorem_runs
from cesaro.reproduce.theorems.counterexamples import FEW
from cesaro.reproduce.theorems.drawing import theorem_panels
from cesaro.reproduce.theorems.runs import STEPS
from cesaro.reproduce.theorems.theorem_claims import theorem_claims

REPEATS = 1000  # of the sampled run
CAPTION = (
    "Theorem 1 bounds GDA's weighted mean of f(x_k) - f*, Theorem 2 SC-PDA's last point, Theorem 3 its expectation. First "
    "row: what was reached over what is allowed; more than 1 disproves. The worst cases are semidefinite programs over all "
    "strongly convex functions. Second row: a run above the printed bounds, and one on a support vector machine, 1,000 times. "
    "Last row: t (f - f*) stays bounded where the rate is 1/t, and climbs by a constant for every factor of ten where it is "
    "log t / t. a = gamma = t unless said; the corrected bounds are those of docs/paper.md."
)


def run(budget: Budget) -> Figure:
    """All numbers from `budget.runs` or made now."""
    numbers = compute_numbers(budget)
    return Figure(
        "theorems",
        "The theorems, as printed and corrected",
        CAPTION,
        theorem_panels(numbers),
        theorem_claims(numbers),
        _shortened(budget, numbers),
        columns=3,
    )


def draw(figure: Figure, folder: Path) -> list[Path]:
    """Write its PDF and PNG."""
    return drawing.draw(figure, folder)


def compute_numbers(budget: Budget) -> dict[str, Any]:
    """The numbers of all panels, each part saved as a file."""
    folder = budget.runs / "theorems"
    times = [int(t) for t in np.unique(np.geomspace(10, budget.steps, 41).round())]
    early = [int(t) for t in np.unique(np.geomspace(1, budget.steps // 10, 41).round())]

    some = budget.problems // 3 if budget.quick else budget.problems

    def saved(name: str, settings: dict[str, Any], make: Any) -> Any:
        return load_or_compute(folder / f"{name}_{'quick' if budget.quick else 'full'}.json", settings, make)

    return {
        "problems": budget.problems,
        "times": times,
        "early": early,
        "ratios": saved(
            "random",
            {"problems": budget.problems, "steps": STEPS},
            lambda: theorem_runs.ratios(budget.problems, STEPS),
        ),
        "counterexample": counterexamples.theorem_2_as_printed(FEW),
        "dual averaging": counterexamples.equation_8_as_printed(FEW),
        "primal-dual averaging": counterexamples.equation_11_as_printed(FEW),
        "statements": saved(
            "statements",
            {"problems": some, "steps": 10 * budget.steps, "edition": statements.EDITION},
            lambda: statements.all_numbers(some, 10 * budget.steps),
        ),
        "kink": saved("kink", {"times": times}, lambda: counterexamples.corollary_1_on_the_kink(times)),
        "sampled": saved(
            "sampled", {"times": early, "repeats": REPEATS}, lambda: theorem_runs.sampled_runs(early, REPEATS)
        ),
        "worst": saved("worst_cases", {"steps": budget.worst_cases}, lambda: worst_ratios(budget.worst_cases))
        if has_pepit()
        else None,
    }


def has_pepit() -> bool:
    from importlib.util import find_spec

    return find_spec("PEPit") is not None


def worst_ratios(steps: int) -> dict[str, list[float]]:
    """The worst case of SC-PDA as a multiple of both bounds, for t = 1, ..., steps."""
    from cesaro.reproduce.theorems.pepit_worst_cases import worst_case
    from cesaro.weights import Linear

    return {
        name: [worst_case(Linear(), t, corrected) for t in range(1, steps + 1)]
        for name, corrected in (("printed", False), ("corrected", True))
    }


def _shortened(budget: Budget, numbers: dict[str, Any]) -> tuple[str, ...]:
    """What is not the whole experiment, in words."""
    full, notes = Budget(budget.runs), []
    if budget.problems < full.problems:
        notes.append(f"{budget.problems} random problems instead of {full.problems}")
    if budget.steps < full.steps:
        notes.append(f"t up to {budget.steps:,} instead of {full.steps:,}")
    if numbers["worst"] is None:
        notes.append("without the worst cases")
    elif budget.worst_cases < full.worst_cases:
        notes.append(f"worst cases up to t = {budget.worst_cases} instead of {full.worst_cases}")
    return tuple(notes)
