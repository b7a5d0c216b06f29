"""What the paper says about its figures 2 and 3, and what the runs say. The words follow from the numbers, whatever these are.

Two accuracies differ here if they do so by more than twice the standard error of their difference, to which the test images and
the seeds contribute. This is on the careful side, for the images are the same. Where a method has one seed, the seeds' part is
unknown, and the claim says so.
"""

import math

import numpy as np

from cesaro.reproduce.networks.runs import Outcome
from cesaro.reproduce.networks.trainings import SGD, SWA, TrainingMethod
from cesaro.reproduce.results import Claim, verdict

ALIKE = 1.1  # training losses within a factor of this are called almost the same
Outcomes = dict[TrainingMethod, Outcome]
Methods = tuple[TrainingMethod, ...]


def training_loss_claim(found: dict[str, Outcomes], ours: Methods, paper: str) -> Claim:
    """The averaging methods against each other and against SGD."""
    words, holds = [], []
    for data, outcomes in found.items():
        loss = {method: float(np.mean(last_values(outcomes[method], "fitted_loss"))) for method in (SGD, SWA, *ours)}
        averaged = [loss[method] for method in (SWA, *ours)]
        spread = max(averaged) / min(averaged)
        lower = [value < loss[SGD] for value in averaged]
        holds += [spread <= ALIKE, *lower]
        words.append(
            f"On {data}: {listed(loss, '.3f')}; highest over lowest of the averaging ones {spread:.2f}, {sum(lower)} of "
            f"{len(lower)} lower than SGD{of_seeds(outcomes, ours)}."
        )
    said = f" Almost the same means within {100 * (ALIKE - 1):.0f} %."
    return Claim(paper, " ".join(words) + said, verdict(holds))


def edge_claim(found: dict[str, Outcomes], ours: Methods, test_images: int, paper: str) -> Claim:
    """GDA and SC-PDA against SGD and SWA."""
    return accuracy_claim(found, [(mine, theirs) for mine in ours for theirs in (SGD, SWA)], test_images, paper)


def generalisation_claim(found: dict[str, Outcomes], ours: Methods, test_images: int, paper: str) -> Claim:
    """The averaging schemes against SGD."""
    return accuracy_claim(found, [(mine, SGD) for mine in (SWA, *ours)], test_images, paper)


def accuracy_claim(
    found: dict[str, Outcomes], pairs: list[tuple[TrainingMethod, TrainingMethod]], test_images: int, paper: str
) -> Claim:
    """After the last epoch: each pair's difference beside the least that counts."""
    words, holds = [], []
    for data, outcomes in found.items():
        differences = []
        for mine, theirs in pairs:
            a, b = (last_values(outcomes[method], "test_accuracy") for method in (mine, theirs))
            difference, least = 100 * float(np.mean(a) - np.mean(b)), 100 * threshold(a, b, test_images)
            holds.append(difference > least)
            differences.append(f"{mine.name} minus {theirs.name} {difference:+.1f} (counts from {least:.1f})")
        methods = tuple(dict.fromkeys(mine for mine, _ in pairs))
        words.append(f"On {data}, in points: {'; '.join(differences)}{of_seeds(outcomes, methods)}.")
    return Claim(paper, " ".join(words), verdict(holds))


def threshold(ours: list[float], theirs: list[float], test_images: int) -> float:
    """Twice the standard error of a difference of mean accuracies: of the test images, and of several seeds."""
    share = float(np.mean([*ours, *theirs]))
    variance = 2 * share * (1 - share) / test_images  # the same images in every seed: more seeds do not lower this
    for values in (ours, theirs):
        if len(values) > 1:
            variance += float(np.var(values, ddof=1)) / len(values)
    return 2 * math.sqrt(variance)


def oscillation_claim(found: dict[str, Outcomes], ours: Methods, paper: str) -> Claim:
    """How far test accuracy falls back, against SGD."""
    words, holds = [], []
    for data, outcomes in found.items():
        falls = {method: mean_fall(outcomes[method]) for method in (SGD, SWA, *ours)}
        lower = [falls[method] < falls[SGD] for method in (SWA, *ours)]
        holds += lower
        words.append(
            f"On {data}: {listed(falls, '.2f')}; less than SGD {sum(lower)} of {len(lower)}{of_seeds(outcomes, ours)}."
        )
    said = (
        "How far test accuracy falls back from one epoch to the next, in points, mean over the second half of the run."
    )
    return Claim(paper, " ".join([*words, said]), verdict(holds))


def mean_fall(outcome: Outcome) -> float:
    """Mean over the second half of the epochs of max(0, accuracy before - accuracy after), in points."""
    steps = np.diff(100 * np.array([run["test_accuracy"] for run in outcome.runs]), axis=1)
    return float(np.maximum(0.0, -steps[:, steps.shape[1] // 2 :]).mean())


def last_values(outcome: Outcome, key: str) -> list[float]:
    """The value after the last epoch, one per run."""
    return [run[key][-1] for run in outcome.runs]


def listed(values: dict[TrainingMethod, float], digits: str) -> str:
    return ", ".join(f"{method.name} {value:{digits}}" for method, value in values.items())


def of_seeds(outcomes: Outcomes, methods: Methods) -> str:
    """On how many seeds the numbers rest, in words."""
    fewest = min(len(outcomes[method].runs) for method in (SGD, *methods))
    return " (one seed: its own spread is unknown)" if fewest == 1 else f" (means of {fewest} seeds)"
