"""The theorems and corollaries in numbers, as printed and corrected: random problems, counterexamples, worst cases.

In every panel a = gamma = t unless it says otherwise; solid is what holds, dashed what is printed or the comparison.
"""

from pathlib import Path
from typing import Any

import numpy as np

from cesaro.reproduce.budget import Budget
from cesaro.reproduce.report import drawing
from cesaro.reproduce.results import Figure, Panel, Series, digits, kept
from cesaro.reproduce.theorems import runs as theorem_runs
from cesaro.reproduce.theorems.claims import claims

STEPS = 200  # on each random problem
FEW = 10  # on the counterexamples
REPEATS = 400  # of the sampled run
CAPTION = (
    "Theorem 1 bounds GDA's weighted mean of f(x_k) - f*, Theorem 2 SC-PDA's last point, Theorem 3 its expectation. First "
    "row: what was reached over what is allowed; more than 1 disproves. The worst cases are semidefinite programs over all "
    "strongly convex functions. Second row: a run above the printed bounds, and one on a support vector machine, 400 times. "
    "Last row: t (f - f*) stays bounded where the rate is 1/t, and climbs by a constant for every factor of ten where it is "
    "log t / t. a = gamma = t unless said; the corrected bounds are those of docs/paper.md."
)


def run(budget: Budget) -> Figure:
    """All numbers from `budget.runs` or made now."""
    numbers = measure(budget)
    return Figure(
        "theorems",
        "The theorems, as printed and corrected",
        CAPTION,
        panels(numbers),
        claims(numbers),
        shortened(budget, numbers),
        columns=3,
    )


def draw(figure: Figure, folder: Path) -> list[Path]:
    return drawing.draw(figure, folder)


def measure(budget: Budget) -> dict[str, Any]:
    """The numbers of all panels, each part kept as a file."""
    folder = budget.runs / "theorems"
    times = [int(t) for t in np.unique(np.geomspace(10, budget.steps, 41).round())]
    early = [int(t) for t in np.unique(np.geomspace(1, budget.steps // 10, 41).round())]

    def part(name: str, settings: dict[str, Any], make: Any) -> Any:
        return kept(folder / f"{name}_{'quick' if budget.quick else 'full'}.json", settings, make)

    return {
        "problems": budget.problems,
        "times": times,
        "early": early,
        "ratios": part(
            "random",
            {"problems": budget.problems, "steps": STEPS},
            lambda: theorem_runs.ratios(budget.problems, STEPS),
        ),
        "counterexample": theorem_runs.counterexample(FEW),
        "dual averaging": theorem_runs.dual_averaging(FEW),
        "kink": part("kink", {"times": times}, lambda: theorem_runs.on_the_kink(times)),
        "sampled": part("sampled", {"times": early, "repeats": REPEATS}, lambda: theorem_runs.sampled(early, REPEATS)),
        "worst": part("worst_cases", {"steps": budget.worst_cases}, lambda: worst(budget.worst_cases))
        if has_pepit()
        else None,
    }


def has_pepit() -> bool:
    from importlib.util import find_spec

    return find_spec("PEPit") is not None


def worst(steps: int) -> dict[str, list[float]]:
    """The worst case of SC-PDA as a multiple of both bounds, for t = 1, ..., steps."""
    from cesaro.reproduce.theorems.worst_cases import worst_case
    from cesaro.weights import Linear

    return {
        name: [worst_case(Linear(), t, corrected) for t in range(1, steps + 1)]
        for name, corrected in (("printed", False), ("corrected", True))
    }


def panels(numbers: dict[str, Any]) -> tuple[Panel, ...]:
    ratios, kink, times = numbers["ratios"], numbers["kink"], numbers["times"]
    steps, few, n = range(1, STEPS + 1), range(1, FEW + 1), numbers["problems"]
    first, printed, corrected = (ratios[f"theorem {k}"] for k in ("1", "2 printed", "2 corrected"))
    return (
        Panel(
            f"Theorem 1, {n} random problems",
            "reached / bound",
            (line("GDA, largest", steps, first["largest"]), line("GDA, median", steps, first["median"], dashed=True)),
            log_x=True,
        ),
        Panel(
            f"Theorem 2, {n} random problems",
            "largest reached / bound",
            (
                line("SC-PDA, corrected bound", steps, corrected["largest"]),
                line("SC-PDA, printed bound", steps, printed["largest"], dashed=True),
                line("bound", steps, [1.0] * STEPS),
            ),
            log_x=True,
        ),
        worst_panel(numbers["worst"]),
        Panel("A counterexample to Theorem 2", "f - f*", enclosed("SC-PDA", few, numbers["counterexample"])),
        Panel("A counterexample to equation (8)", "f - f*", enclosed("DA", few, numbers["dual averaging"])),
        Panel(
            "Theorem 3, independent samples",
            "mean of f - f*",
            enclosed("SC-PDA", numbers["early"], numbers["sampled"]),
            log_x=True,
            log_y=True,
        ),
        scaled("Corollary 1, w²/2 + max(w, -πw)", times, kink, "GDA, weighted average", "GDA, uniform average"),
        scaled("Corollary 2, the same function", times, kink, "SC-PDA, last point", "SC-PDA, last point, weights 1"),
        scaled("Corollary 3, the same function", times, kink, "SC-PDA, weighted average", "SC-PDA, uniform average"),
    )


def worst_panel(worst: dict[str, list[float]] | None) -> Panel:
    title, y_label = "Theorem 2 in the worst case", "worst case / bound"
    if worst is None:
        return Panel(title, y_label, note="Not run: PEPit is not installed. pip install PEPit, then run again.")
    t = range(1, len(worst["printed"]) + 1)
    series = (
        line("SC-PDA, corrected bound", t, worst["corrected"]),
        line("SC-PDA, printed bound", t, worst["printed"], dashed=True),
        line("bound", t, [1.0] * len(t)),
    )
    return Panel(title, y_label, series)


def enclosed(method: str, t: Any, found: dict[str, list[float]]) -> tuple[Series, ...]:
    """What a method reached, under the two bounds or over them."""
    return (
        line(method, t, found["reached"]),
        line("bound, corrected", t, found["corrected"]),
        line("bound, printed", t, found["printed"], dashed=True),
    )


def scaled(title: str, times: Any, kink: dict[str, list[float]], holds: str, other: str) -> Panel:
    return Panel(
        title, "t (f - f*)", (line(holds, times, kink[holds]), line(other, times, kink[other], dashed=True)), log_x=True
    )


def line(method: str, t: Any, values: Any, dashed: bool = False) -> Series:
    numbers = digits(values)
    return Series(method, {"t": [float(k) for k in t]}, numbers, numbers, numbers, dashed)


def shortened(budget: Budget, numbers: dict[str, Any]) -> tuple[str, ...]:
    """What is not the whole experiment, in words."""
    full, words = Budget(budget.runs), []
    if budget.problems < full.problems:
        words.append(f"{budget.problems} random problems instead of {full.problems}")
    if budget.steps < full.steps:
        words.append(f"t up to {budget.steps:,} instead of {full.steps:,}")
    if numbers["worst"] is None:
        words.append("without the worst cases")
    elif budget.worst_cases < full.worst_cases:
        words.append(f"worst cases up to t = {budget.worst_cases} instead of {full.worst_cases}")
    return tuple(words)
