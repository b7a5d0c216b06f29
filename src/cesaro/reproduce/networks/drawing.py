"""What figures 2 and 3 share: training loss and test accuracy on CIFAR-10 and CIFAR-100, the rates in a table."""

from collections.abc import Callable

from cesaro.reproduce.budget import Budget
from cesaro.reproduce.networks.claims import Methods, Outcomes
from cesaro.reproduce.networks.queue import jobs, missing_runs, train_all
from cesaro.reproduce.networks.runs import Trainer, TrainingSetting, epoch_series, values_of
from cesaro.reproduce.networks.trainings import METHODS, MODIFIED, PRINTED, SGD, SWA
from cesaro.reproduce.results import NO_TORCH, Claim, Figure, Panel

TITLES = {"cifar10": "CIFAR-10", "cifar100": "CIFAR-100"}
VARIANTS = {"as printed": PRINTED, "with a constant phase": MODIFIED}
CHOSEN = (
    "Every method has the rate of the paper's grid whose run, in full length on the first seed, is best on training images "
    "held out for that."
)
Found = dict[str, Outcomes | str]  # of each data set every method's outcome, or why there is none
PaperClaims = Callable[
    [dict[str, Outcomes], Methods, int, str], tuple[Claim, ...]
]  # the int: test images; the str: a variant
HOW = (
    "Weight decay 5e-3, no augmentation; the paper prints neither its batch size nor its number of epochs. {rates} "
    "SWA is the mean of SGD's weights at epoch ends from the middle of the run on. As printed, the weights a_t = gamma_t = t "
    "of GDA and SC-PDA advance from the first step and the rate falls like 1/t at once; with a constant phase they begin to "
    "advance after 1000 steps, two thirds of a shorter run. GDA is shown at the last point, dashed, and at the a-weighted "
    "average that Algorithm 1 returns. Loss: of the weights that are tested, on the first training images, without dropout. "
    "Lines are means over the seeds, bands their range; seconds are those of one core."
)


def collect(setting: TrainingSetting, budget: Budget) -> tuple[Found, dict[str, Trainer]]:
    """Train what is missing while there is time; where nothing could be trained, say what to do about it."""
    trainers, failures = train_all(setting, tuple(TITLES), budget.runs, budget.time_limit)
    found: Found = {}
    for data, trainer in trainers.items():
        outcomes = {method: outcome for method in METHODS if (outcome := trainer.outcome(method))}
        found[data] = outcomes or explain(data, failures.get(data))
    return found, trainers


def every_line(found: Found) -> dict[str, Outcomes]:
    """The data sets of which every method has a run, by title: claims are about those."""
    return {TITLES[k]: v for k, v in found.items() if not isinstance(v, str) and len(v) == len(METHODS)}


def claims_of_variants(found: Found, setting: TrainingSetting, paper_claims: PaperClaims) -> tuple[Claim, ...]:
    """What a figure claims of the methods as printed and with a constant phase; only of data sets with every line."""
    known = every_line(found)
    if not known:
        return ()
    each = (paper_claims(known, ours, setting.test, variant) for variant, ours in VARIANTS.items())
    return tuple(claim for some in each for claim in some)


def explain(data: str, failure: Exception | None) -> str:
    """Why there are no runs."""
    if failure is None:
        return "Not run: the time was over. The same command continues."
    if isinstance(failure, ModuleNotFoundError):
        return NO_TORCH
    return (
        f"{TITLES[data]} is not here. cesaro data fetch {data} downloads it; or put its official binary "
        "files in a folder and set CESARO_DATA to it."
    )


def network_panels(data: str, found: Outcomes | str) -> list[Panel]:
    """Training loss and test accuracy of each variant beside SGD and SWA, or why they are missing."""
    labels = {"fitted_loss": "cross-entropy", "test_accuracy": "test accuracy (%)"}
    if isinstance(found, str):
        return [Panel(TITLES[data], "", note=found)]
    return [
        Panel(
            f"{TITLES[data]}, {variant}",
            label,
            tuple(epoch_series(found[method], key) for method in (SGD, SWA, *methods) if method in found),
        )
        for variant, methods in VARIANTS.items()
        for key, label in labels.items()
    ]


def rates_table(found: Found, rates: tuple[float, ...]) -> tuple[tuple[str, ...], ...]:
    """Accuracy on the validation images by rate, the rate chosen by it, and what came of it on the test images."""
    header = ("method", *(f"rate {rate:g}" for rate in rates), "chosen", "seeds", "test accuracy", "seconds a run")
    rows = [header]
    for data, outcomes in found.items():
        if isinstance(outcomes, str):
            continue
        for method, outcome in outcomes.items():
            scores = (f"{100 * outcome.scores[rate]:.1f} %" if rate in outcome.scores else "not run" for rate in rates)
            accuracy = [100 * run["test_accuracy"][-1] for run in outcome.runs]
            said = f"{sum(accuracy) / len(accuracy):.1f} %"
            if len(accuracy) > 1:
                said += f" ({min(accuracy):.1f} to {max(accuracy):.1f})"
            seconds = sum(run["seconds"][-1] for run in outcome.runs) / len(accuracy)
            last = (f"{outcome.lr:g}", str(len(accuracy)), said, f"{seconds:.0f}")
            rows.append((f"{TITLES[data]}: {method.name}", *scores, *last))
    return tuple(rows) if len(rows) > 1 else ()


def largest_rate_note(found: Found) -> str:
    """A sentence, if a larger rate than the paper's grid has might do better."""
    outcomes = [outcome for each in found.values() if not isinstance(each, str) for outcome in each.values()]
    if not outcomes:
        return ""
    largest = max(max(outcome.scores) for outcome in outcomes)
    if all(len(outcome.scores) == 1 for outcome in outcomes):
        return ""  # nothing was chosen
    chosen = sum(outcome.lr == largest for outcome in outcomes)
    return f" {chosen} of {len(outcomes)} lines have the largest rate of the grid, {largest:g}." if chosen else ""


def describe_setting(setting: TrainingSetting) -> str:
    """The images, epochs, seeds and rates of a setting, in words."""
    count = "one seed" if setting.seeds == 1 else f"{setting.seeds} seeds"
    rates = ", ".join(f"{rate:g}" for rate in setting.rates)
    return (
        f"{setting.images:,} of 50,000 training images, {setting.epochs} epochs, batches of {setting.batch_size}, {count}, "
        f"{'rate' if len(setting.rates) == 1 else 'rates'} {rates}; measured on "
        f"{min(setting.fitted, setting.images):,} training and "
        f"{setting.test:,} test images"
    )


def unfinished(trainers: dict[str, Trainer]) -> tuple[str, ...]:
    """How many runs of each data set are made, where some are missing."""
    notes = []
    for data, trainer in trainers.items():
        every, missing = set(jobs({data: trainer})), set(missing_runs(trainer))
        if missing and len(missing) < len(every):
            notes.append(f"{TITLES[data]}: {len(every) - len(missing)} of {len(every)} runs are made")
    return tuple(notes)


def beyond_note(trainers: dict[str, Trainer]) -> str:
    """What larger rates than the paper's grid has do for the methods as printed: a fair reading of it, not its figure."""
    words = []
    for data, trainer in trainers.items():
        for method in PRINTED:
            runs = {lr: trainer.finished(method.training, lr, 0) for lr in trainer.setting.beyond}
            said = [
                f"{100 * values_of(run, method)['test_accuracy'][-1]:.1f} % at {lr:g}"
                for lr, run in runs.items()
                if run
            ]
            if said:
                words.append(f"{method.name} on {TITLES[data]} {', '.join(said)}")
    return f" Rates beyond the grid, one seed, test accuracy: {'; '.join(words)}." if words else ""


def network_figure(
    name: str,
    title: str,
    found: Found,
    trainers: dict[str, Trainer],
    claims: tuple[Claim, ...],
    notes: tuple[str, ...],
) -> Figure:
    """The figure of both data sets; where one has runs and the other none, that is said, and no empty panel drawn."""
    none = {data: why for data, why in found.items() if isinstance(why, str)}
    if len(none) < len(found):
        notes = (*notes, *(f"{TITLES[data]}: {why[0].lower()}{why[1:].rstrip('.')}" for data, why in none.items()))
    else:
        none = {}
    panels = tuple(panel for data in TITLES if data not in none for panel in network_panels(data, found[data]))
    rates = next(iter(trainers.values())).setting.rates if trainers else ()
    how = HOW.format(rates=CHOSEN if len(rates) != 1 else f"Of the paper's rates only {rates[0]:g} was tried.")
    caption = how + largest_rate_note(found) + beyond_note(trainers)
    return Figure(name, title, caption, panels, claims, notes, table=rates_table(found, rates))
