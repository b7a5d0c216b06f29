"""What the paper says about its figure 1, and what the runs say. The words follow from the numbers, whatever these are.

The paper tuned the step size, so a verdict is about the methods with a tuned step; how it would be as printed, and with a tuned
anchor, is said beside it. `level` is the geometric mean of f - f* over the second half of the epochs. The thresholds: methods
are alike if their levels are within a factor of 2; one oscillates if f rises after more than a tenth of the late epochs, and
after more than in the methods that average; a rate is 1/t if the slope of log f - f* against log epoch is at most -0.95.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from cesaro.reproduce.results import Claim, verdict

ALIKE, RISES, SLOPE = 2.0, 0.1, -0.95
SETTINGS = ("step tuned", "as printed", "anchor tuned")
WORDS = {"reproduced": "would hold", "partly": "would hold in part", "not": "would not hold"}
Curves = dict[tuple[str, str], dict[str, Any]]
Judged = tuple[str, list[bool]]  # words, and what holds


def figure1_claims(found: dict[str, Curves]) -> tuple[Claim, ...]:
    """The four sentences of the paper's first experiment, over all problems; none where no data set is there."""
    if not found:
        return ()
    sentences: tuple[tuple[str, Callable[[dict[str, Curves], str], Judged]], ...] = (
        (
            "The convergence behavior of GDA and SC-PDA is very similar to PA-PSG and SC-RDA with the same strong convexity "
            "parameter.",
            judge_similarity,
        ),
        ("GDA and SC-PDA are lower than Pegasos.", judge_pegasos),
        (
            "SC-PDA, Pegasos and PA-PSG have almost the same convergence behavior with oscillation, which results from the "
            "non-averaging scheme.",
            judge_oscillation,
        ),
        (
            "The two algorithms no longer suffer from the additional logarithmic factor and achieve the optimal rate 1/t.",
            judge_rate,
        ),
    )
    return tuple(all_settings(found, paper, judge) for paper, judge in sentences)


def all_settings(found: dict[str, Curves], paper: str, judge: Callable[[dict[str, Curves], str], Judged]) -> Claim:
    """The verdict with a tuned step; the other settings beside it."""
    judged = {setting: judge(found, setting) for setting in SETTINGS}
    first, *others = SETTINGS
    words = [f"{len(found)} {'problem' if len(found) == 1 else 'problems'}, {first}: {judged[first][0]}."]
    words += [
        f"{setting.capitalize()} it {WORDS[verdict(judged[setting][1])]}: {judged[setting][0]}." for setting in others
    ]
    return Claim(paper, " ".join(words), verdict(judged[first][1]))


def judge_similarity(found: dict[str, Curves], setting: str) -> Judged:
    spread = [
        spread_factor([level(curves, m, setting) for m in ("GDA", "SC-PDA", "PA-PSG", "SC-RDA")])
        for curves in found.values()
    ]
    pair = [spread_factor([level(curves, m, setting) for m in ("SC-PDA", "PA-PSG")]) for curves in found.values()]
    words = f"highest over lowest f - f* of the four {in_words(spread)}, of SC-PDA and PA-PSG alone {in_words(pair)}"
    return words, [ratio <= ALIKE for ratio in (*spread, *pair)]


def judge_pegasos(found: dict[str, Curves], setting: str) -> Judged:
    methods = ("GDA", "GDA, uniform average", "SC-PDA")
    gain = {
        (ours, theirs): [level(c, theirs, setting) / level(c, ours, setting) for c in found.values()]
        for ours in methods
        for theirs in ("Pegasos", "Pegasos, with its ball")
    }
    words = "; ".join(f"{theirs} over {ours} {in_words(ratios)}" for (ours, theirs), ratios in gain.items())
    lower = [ratio > 1.0 for (ours, _), ratios in gain.items() for ratio in ratios if ours != "GDA, uniform average"]
    return f"f - f* of {words}; lower in {sum(lower)} of {len(lower)} comparisons, the uniform average aside", lower


def judge_oscillation(found: dict[str, Curves], setting: str) -> Judged:
    single, averaged = ("SC-PDA", "Pegasos", "PA-PSG"), ("GDA", "SC-RDA")
    spread = [spread_factor([level(curves, m, setting) for m in single]) for curves in found.values()]
    rising = {
        m: float(np.mean([share_of_rises(curves, m, setting) for curves in found.values()]))
        for m in (*single, *averaged)
    }
    most = max(rising[m] for m in averaged)
    words = ", ".join(f"{m} {share:.0%}" for m, share in rising.items())
    return (
        f"late epochs after which f is higher than before {words}; highest over lowest f - f* of the three {in_words(spread)}",
        [rising[m] > RISES and rising[m] > most for m in single] + [ratio <= ALIKE for ratio in spread],
    )


def judge_rate(found: dict[str, Curves], setting: str) -> Judged:
    slopes = {
        m: [log_log_slope(curves, m, setting) for curves in found.values()]
        for m in ("GDA", "GDA, uniform average", "SC-PDA", "Pegasos")
    }
    optimal = [value <= SLOPE for m in ("GDA", "SC-PDA") for value in slopes[m]]
    steeper = [o < p for m in ("GDA", "SC-PDA") for o, p in zip(slopes[m], slopes["Pegasos"], strict=True)]
    words = ", ".join(f"{m} {in_words(values)}" for m, values in slopes.items())
    return (
        f"slope of log f - f* against log epoch {words}; at most {SLOPE} in {sum(optimal)} of {len(optimal)} cases, steeper "
        f"than Pegasos in {sum(steeper)}",
        [*optimal, *steeper],
    )


def level(curves: Curves, method: str, setting: str) -> float:
    """Geometric mean of f - f* over the second half of the epochs, of the means over the seeds."""
    curve = curves[method, setting]
    late = curve["epoch"] >= curve["epoch"][-1] / 2
    return float(np.exp(np.log(curve["gap"].mean(axis=0)[late]).mean()))


def share_of_rises(curves: Curves, method: str, setting: str) -> float:
    """The share of successive late epochs after which f is higher than before."""
    curve = curves[method, setting]
    late = (curve["epoch"][1:] >= curve["epoch"][-1] / 2) & (np.diff(curve["epoch"]) == 1)
    return float((np.diff(curve["gap"], axis=1) > 0)[:, late].mean())


def log_log_slope(curves: Curves, method: str, setting: str) -> float:
    """Of log(f - f*) against log(epoch), from a tenth of the run on."""
    curve = curves[method, setting]
    late = curve["epoch"] >= curve["epoch"][-1] / 10
    x, y = np.log(curve["epoch"][late]), np.log(curve["gap"].mean(axis=0)[late])
    weights = 1 / np.sqrt(curve["epoch"][late])  # late epochs are dense on a logarithmic axis
    return float(np.polyfit(x, y, 1, w=weights)[0])


def spread_factor(levels: list[float]) -> float:
    return max(levels) / min(levels)


def in_words(values: list[float]) -> str:
    """The median and the range."""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{np.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"
