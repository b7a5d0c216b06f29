"""The panels of the theorems: what was reached beside what is allowed, as printed and corrected."""

from typing import Any

from cesaro.reproduce.results import Panel, Series, rounded
from cesaro.reproduce.theorems.counterexamples import FEW
from cesaro.reproduce.theorems.runs import STEPS


def theorem_panels(numbers: dict[str, Any]) -> tuple[Panel, ...]:
    ratios, kink, times = numbers["ratios"], numbers["kink"], numbers["times"]
    steps, few, n = range(1, STEPS + 1), range(1, FEW + 1), numbers["problems"]
    first, printed, corrected = (ratios[f"theorem {k}"] for k in ("1", "2 printed", "2 corrected"))
    return (
        Panel(
            f"Theorem 1, {n} random problems",
            "reached / bound",
            (
                series_over_t("GDA, largest", steps, first["largest"]),
                series_over_t("GDA, median", steps, first["median"], dashed=True),
            ),
            log_x=True,
        ),
        Panel(
            f"Theorem 2, {n} random problems",
            "largest reached / bound",
            (
                series_over_t("SC-PDA, corrected bound", steps, corrected["largest"]),
                series_over_t("SC-PDA, printed bound", steps, printed["largest"], dashed=True),
                series_over_t("bound", steps, [1.0] * STEPS),
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
        return Panel(
            title, y_label, note="Not run: PEPit is not installed. pip install 'cesaro[theorems]', then run again."
        )
    t = range(1, len(worst["printed"]) + 1)
    series = (
        series_over_t("SC-PDA, corrected bound", t, worst["corrected"]),
        series_over_t("SC-PDA, printed bound", t, worst["printed"], dashed=True),
        series_over_t("bound", t, [1.0] * len(t)),
    )
    return Panel(title, y_label, series)


def enclosed(method: str, t: Any, found: dict[str, list[float]]) -> tuple[Series, ...]:
    """What a method reached, under the two bounds or over them."""
    return (
        series_over_t(method, t, found["reached"]),
        series_over_t("bound, corrected", t, found["corrected"]),
        series_over_t("bound, printed", t, found["printed"], dashed=True),
    )


def scaled(title: str, times: Any, kink: dict[str, list[float]], holds: str, other: str) -> Panel:
    return Panel(
        title,
        "t (f - f*)",
        (series_over_t(holds, times, kink[holds]), series_over_t(other, times, kink[other], dashed=True)),
        log_x=True,
    )


def series_over_t(method: str, t: Any, values: Any, dashed: bool = False) -> Series:
    numbers = rounded(values)
    return Series(method, {"t": [float(k) for k in t]}, numbers, numbers, numbers, dashed)
