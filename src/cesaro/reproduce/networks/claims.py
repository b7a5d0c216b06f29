"""What the paper says about its figures 2 and 3, and what the runs say. The words follow from the numbers, whatever these are.

Two accuracies differ here if they do so by more than the standard error of a difference on that many test images. This is on
the careful side, for the images are the same.
"""

import math

import numpy as np

from cesaro.reproduce.networks.runs import GDA, SC_PDA, SGD, SWA, Outcome, TrainingMethod
from cesaro.reproduce.results import Claim, verdict

ALIKE = 1.1  # training losses within a factor of this are called almost the same
AVERAGED = (SWA, GDA, SC_PDA)
Outcomes = dict[TrainingMethod, Outcome]


def training_loss_claim(found: Outcomes, key: str) -> Claim:
    loss = {method: float(np.mean(last_values(outcome, key))) for method, outcome in found.items()}
    averaged = [loss[method] for method in AVERAGED]
    spread = max(averaged) / min(averaged)
    lower = [value < loss[SGD] for value in averaged]
    said = ", ".join(f"{method.name} {value:.3f}" for method, value in loss.items())
    return Claim(
        "SC-PDA, GDA and SWA obtain almost the same training loss, lower than SGD (without momentum).",
        f"On CIFAR-10 after the last epoch: {said}. The three are within {100 * (spread - 1):.0f} % of each other "
        f"({'' if spread <= ALIKE else 'not '}almost the same, if that means {100 * (ALIKE - 1):.0f} %), and "
        f"{sum(lower)} of them are lower than SGD.",
        verdict([spread <= ALIKE, *lower]),
    )


def edge_claim(found: Outcomes, test_images: int, paper: str) -> Claim:
    """GDA and SC-PDA against SGD and SWA."""
    pairs = [(ours, theirs) for ours in (GDA, SC_PDA) for theirs in (SGD, SWA)]
    return accuracy_claim(found, pairs, test_images, paper)


def generalisation_claim(found: Outcomes, test_images: int, paper: str) -> Claim:
    """The averaging schemes against SGD."""
    return accuracy_claim(found, [(method, SGD) for method in AVERAGED], test_images, paper)


def accuracy_claim(
    found: Outcomes, pairs: list[tuple[TrainingMethod, TrainingMethod]], test_images: int, paper: str
) -> Claim:
    """By the last epoch and the one before it: SGD can be lucky or unlucky in one."""
    count, epochs = len(found[SGD].runs), len(found[SGD].runs[0]["epoch"])
    means = [
        {m: float(np.mean([100 * run["test_accuracy"][-back] for run in o.runs])) for m, o in found.items()}
        for back in range(1, min(2, epochs) + 1)
    ]
    share = min(means[0].values()) / 100
    noise = 100 * math.sqrt(2 * share * (1 - share) / test_images / count)
    differences = [
        ", ".join(f"{ours.name} minus {theirs.name} {mean[ours] - mean[theirs]:+.1f}" for ours, theirs in pairs)
        for mean in means
    ]
    said = ", ".join(f"{method.name} {value:.1f} %" for method, value in means[0].items())
    return Claim(
        paper,
        f"On CIFAR-10 after the last epoch: {said} ({seeds_in_words(count)}). "
        f"In points: {'; an epoch before: '.join(differences)}. "
        f"Less than {noise:.1f} is within the noise of {test_images:,} test images.",
        verdict([mean[ours] - mean[theirs] > noise for mean in means for ours, theirs in pairs]),
    )


def oscillation_claim(found: Outcomes, paper: str) -> Claim:
    falls = {method: mean_fall(outcome) for method, outcome in found.items()}
    lower = [falls[method] < falls[SGD] for method in AVERAGED]
    said = ", ".join(f"{method.name} {value:.2f}" for method, value in falls.items())
    return Claim(
        paper,
        f"How far test accuracy on CIFAR-10 falls back from one epoch to the next, in points, mean over the second half of "
        f"the run: {said}. Less than SGD: {sum(lower)} of {len(lower)}.",
        verdict(lower),
    )


def mean_fall(outcome: Outcome) -> float:
    """Mean over the second half of the epochs of max(0, accuracy before - accuracy after), in points."""
    steps = np.diff(100 * np.array([run["test_accuracy"] for run in outcome.runs]), axis=1)
    return float(np.maximum(0.0, -steps[:, steps.shape[1] // 2 :]).mean())


def last_values(outcome: Outcome, key: str) -> list[float]:
    """The value after the last epoch, one per run."""
    return [run[key][-1] for run in outcome.runs]


def seeds_in_words(count: int) -> str:
    return "one seed, so its own spread is unknown" if count == 1 else f"mean of {count} seeds"
