"""What figures 2 and 3 share: training loss and test accuracy on CIFAR-10 and CIFAR-100, the rates in a table."""

import sys
from pathlib import Path

from cesaro.reproduce.networks.runs import Outcome, TrainingMethod, TrainingSetting, compare_methods, epoch_series
from cesaro.reproduce.results import Claim, Figure, Panel

TITLES = {"cifar10": "CIFAR-10", "cifar100": "CIFAR-100"}
OutcomesOrReason = dict[TrainingMethod, Outcome] | str  # every method's outcome, or why there is none
HOW = (
    "Weight decay 5e-3, no augmentation; the paper prints neither its batch size nor its number of epochs. Every method has "
    "the rate of the paper's grid that is best on training images held out for that, after the first epochs of the first "
    "seed. SWA is the mean of SGD's weights at epoch ends from the middle of the run on. GDA and SC-PDA (a_t = gamma_t = t) "
    "have a constant phase of 1000 steps, two thirds of a shorter run, before their weights advance; until then GDA is SGD, "
    "bit by bit. (As printed they advance from the first step, and the rate falls like 1/t at once.) Lines are means over "
    "the seeds, bands their range."
)


def compare_or_explain(setting: TrainingSetting, runs: Path) -> OutcomesOrReason:
    """Train, or read; where the images or the library cannot be had, say what to do about it."""
    try:
        return {outcome.method: outcome for outcome in compare_methods(setting, runs)}
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return "Training networks needs PyTorch: pip install 'cesaro[torch]'."
    except OSError as error:
        print(error, file=sys.stderr)
        return (
            f"{TITLES[setting.data]} is not here. cesaro data fetch {setting.data} downloads it; or put its official binary "
            "files in a folder and set CESARO_DATA to it."
        )


def training_loss_key(found: dict[TrainingMethod, Outcome]) -> tuple[str, str]:
    """Which training loss all runs have, and what it is. Runs of benchmarks/optim may have only the second."""
    if all("fitted_loss" in run for outcome in found.values() for run in outcome.runs):
        return "fitted_loss", "Of the weights that are tested, on the first 5,000 training images, without dropout."
    return "train_loss", "Mean over an epoch of training, with dropout; SWA's is that of the SGD which it averages."


def network_panels(data: str, found: OutcomesOrReason) -> list[Panel]:
    """Training loss and test accuracy, or why they are missing."""
    titles = f"{TITLES[data]}, training loss", f"{TITLES[data]}, test accuracy"
    labels = "cross-entropy", "test accuracy (%)"
    if isinstance(found, str):
        return [Panel(title, label, note=found) for title, label in zip(titles, labels, strict=True)]
    key, note = training_loss_key(found)
    losses, accuracies = (tuple(epoch_series(outcome, k) for outcome in found.values()) for k in (key, "test_accuracy"))
    return [Panel(titles[0], labels[0], losses, note=note), Panel(titles[1], labels[1], accuracies)]


def rates_table(found: OutcomesOrReason) -> tuple[tuple[str, ...], ...]:
    """The choice of the rates: accuracy on the validation images in %."""
    if isinstance(found, str):
        return ()
    rates = list(next(iter(found.values())).scores)
    header = ("method (validation accuracy, %)", *(f"rate {rate:g}" for rate in rates), "chosen")
    rows = [(o.method.name, *(f"{100 * o.scores[rate]:.1f}" for rate in rates), f"{o.lr:g}") for o in found.values()]
    return (header, *rows)


def largest_rate_note(found: OutcomesOrReason) -> str:
    """A sentence, if a larger rate than the paper's grid has might do better."""
    if isinstance(found, str):
        return ""
    largest = max(next(iter(found.values())).scores)
    chosen = [outcome.method.name for outcome in found.values() if outcome.lr == largest]
    return f" {', '.join(chosen)} chose the largest rate of the grid, {largest:g}." if chosen else ""


def describe_setting(setting: TrainingSetting) -> tuple[str, ...]:
    """The images, epochs and seeds of a setting, and how the rate was found, in words."""
    count = "one seed" if setting.seeds == 1 else f"{setting.seeds} seeds"
    return (
        f"{setting.images:,} of 50,000 training images, {setting.epochs} epochs, batches of {setting.batch_size}, {count}",
        f"rates {', '.join(f'{rate:g}' for rate in setting.rates)} compared after "
        f"{'one epoch' if setting.screening == 1 else f'{setting.screening} epochs'} of one seed, on {setting.validation:,} "
        "held-out images",
    )


def network_figure(
    name: str, title: str, found: dict[str, OutcomesOrReason], claims: tuple[Claim, ...], notes: tuple[str, ...]
) -> Figure:
    """The figure of both data sets; rates are those of CIFAR-10."""
    panels = tuple(panel for data in TITLES for panel in network_panels(data, found[data]))
    first = found["cifar10"]
    return Figure(name, title, HOW + largest_rate_note(first), panels, claims, notes, table=rates_table(first))
