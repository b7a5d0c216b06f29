"""What the paper says about its figure 1, and what the runs say. The words follow from the numbers, whatever these are.

It is about the methods as printed, over the second half of the epochs: `level` is the geometric mean of f - f* there. Methods
are called alike here if their levels are within a factor of 2.
"""

from typing import Any

import numpy as np

from cesaro.reproduce.results import Claim, verdict

ALIKE = 2.0
Curves = dict[tuple[str, bool], dict[str, Any]]


def figure1_claims(found: dict[str, Curves]) -> tuple[Claim, ...]:
    """The four sentences of the paper's first experiment; none where no data set is there."""
    return (
        (similarity_claim(found), pegasos_claim(found), nonaveraging_oscillation_claim(found), rate_claim(found))
        if found
        else ()
    )


def similarity_claim(found: dict[str, Curves]) -> Claim:
    spread = {
        name: spread_factor([level(curves, m) for m in ("GDA", "SC-PDA", "PA-PSG", "SC-RDA")])
        for name, curves in found.items()
    }
    pair = {name: spread_factor([level(curves, m) for m in ("SC-PDA", "PA-PSG")]) for name, curves in found.items()}
    anchored = {
        name: spread_factor([level(curves, m, printed=False) for m in ("GDA", "SC-PDA", "PA-PSG", "SC-RDA")])
        for name, curves in found.items()
    }
    return Claim(
        "The convergence behavior of GDA and SC-PDA is very similar to PA-PSG and SC-RDA with the same strong convexity "
        "parameter.",
        f"Highest over lowest f - f* of the four methods: {format_ratios(spread)}; of SC-PDA and PA-PSG alone: "
        f"{format_ratios(pair)}; of the four with the anchor: {format_ratios(anchored)}.",
        verdict([ratio <= ALIKE for ratio in spread.values()], any(ratio <= ALIKE for ratio in pair.values())),
    )


def pegasos_claim(found: dict[str, Curves]) -> Claim:
    gain = {
        method: {name: level(curves, "Pegasos") / level(curves, method) for name, curves in found.items()}
        for method in ("GDA", "SC-PDA")
    }
    lower = [ratio > 1.0 for ratios in gain.values() for ratio in ratios.values()]
    return Claim(
        "GDA and SC-PDA are lower than Pegasos.",
        f"f - f* of Pegasos over that of GDA: {format_ratios(gain['GDA'])}; over that of SC-PDA: "
        f"{format_ratios(gain['SC-PDA'])}. Lower in {sum(lower)} of {len(lower)} comparisons.",
        verdict(lower),
    )


def nonaveraging_oscillation_claim(found: dict[str, Curves]) -> Claim:
    single, averaged = ("SC-PDA", "Pegasos", "PA-PSG"), ("GDA", "SC-RDA")
    spread = {name: spread_factor([level(curves, m) for m in single]) for name, curves in found.items()}
    rising = {m: float(np.mean([share_of_rises(curves, m) for curves in found.values()])) for m in (*single, *averaged)}
    calm = max(rising[m] for m in averaged)
    return Claim(
        "SC-PDA, Pegasos and PA-PSG have almost the same convergence behavior with oscillation, which results from the "
        "non-averaging scheme.",
        f"Epochs after which f is higher than before: {', '.join(f'{m} {share:.0%}' for m, share in rising.items())}. "
        f"Highest over lowest f - f* of the three: {format_ratios(spread)}.",
        verdict(
            [rising[m] > 0.1 and rising[m] > calm for m in single] + [ratio <= ALIKE for ratio in spread.values()],
        ),
    )


def rate_claim(found: dict[str, Curves]) -> Claim:
    methods = ("GDA", "SC-PDA", "Pegasos", "SC-RDA")
    slopes = {m: [log_log_slope(curves, m) for curves in found.values()] for m in methods}
    ranges = "; ".join(f"{m} {min(values):.2f} to {max(values):.2f}" for m, values in slopes.items())
    optimal = [value <= -0.95 for m in ("GDA", "SC-PDA") for value in slopes[m]]
    steeper = [
        ours < theirs for m in ("GDA", "SC-PDA") for ours, theirs in zip(slopes[m], slopes["Pegasos"], strict=True)
    ]
    return Claim(
        "The two algorithms no longer suffer from the additional logarithmic factor and achieve the optimal rate 1/t.",
        f"Slope of log(f - f*) against log(epoch) from a tenth of the run on: {ranges}. 1/t is -1, log t / t about -0.93 "
        f"at these t. At most -0.95 in {sum(optimal)} of {len(optimal)} cases, steeper than Pegasos in {sum(steeper)}: "
        f"a logarithm that Pegasos keeps {'shows' if all(steeper) else 'does not show'} in this experiment.",
        verdict([*optimal, *steeper]),
    )


def level(curves: Curves, method: str, printed: bool = True) -> float:
    """Geometric mean of f - f* over the second half of the epochs, of the means over the seeds."""
    curve = curves[method, printed]
    late = curve["epoch"] >= curve["epoch"][-1] / 2
    return float(np.exp(np.log(curve["gap"].mean(axis=0)[late]).mean()))


def share_of_rises(curves: Curves, method: str) -> float:
    """The share of epochs, in the second half, after which f is higher than before."""
    curve = curves[method, True]
    late = curve["epoch"][1:] >= curve["epoch"][-1] / 2
    return float((np.diff(curve["gap"], axis=1) > 0)[:, late].mean())


def log_log_slope(curves: Curves, method: str) -> float:
    """Of log(f - f*) against log(epoch), from a tenth of the run on."""
    curve = curves[method, True]
    late = curve["epoch"] >= curve["epoch"][-1] / 10
    x, y = np.log(curve["epoch"][late]), np.log(curve["gap"].mean(axis=0)[late])
    weights = 1 / np.sqrt(curve["epoch"][late])  # late epochs are dense on a logarithmic axis
    return float(np.polyfit(x, y, 1, w=weights)[0])


def spread_factor(levels: list[float]) -> float:
    return max(levels) / min(levels)


def format_ratios(ratios: dict[str, float]) -> str:
    return ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
