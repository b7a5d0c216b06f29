"""Figure 2: the paper's 4-layer CNN on CIFAR-10 and CIFAR-100, training loss and test accuracy of SGD, SWA, GDA and SC-PDA."""

from dataclasses import replace

from cesaro.reproduce.budget import Budget
from cesaro.reproduce.networks import claims, drawing
from cesaro.reproduce.networks.runs import TrainingSetting
from cesaro.reproduce.report.drawing import draw as draw
from cesaro.reproduce.results import NO_TORCH, Claim, Figure

GRID = (0.1, 0.01, 0.001, 0.0001)
FULL = TrainingSetting("cnn", "cifar10", images=20_000, epochs=10, rates=GRID, seeds=3, beyond=(1.0, 3.2, 10.0))
QUICK = replace(
    FULL, images=2000, epochs=2, rates=GRID[:1], beyond=(), seeds=1, download=False, test=2000, validation=1000
)
LOSS = "SC-PDA, GDA and SWA obtain almost the same training loss, lower than SGD (without momentum)."
EDGE = "The performance of test accuracy gives SC-PDA and GDA a slight edge over SGD and SWA."
LESS_OSCILLATION = "Compared to SGD, averaging schemes always reduce oscillation issues."
BETTER = "Compared to SGD, averaging schemes always achieve improvement in better generalization."


def run(budget: Budget) -> Figure:
    """Both data sets; runs that are saved in `budget.runs` are not trained again."""
    setting = QUICK if budget.quick else replace(FULL, seeds=min(FULL.seeds, budget.seeds))
    found, trainers = drawing.collect(setting, budget)
    notes: tuple[str, ...] = (drawing.describe_setting(setting), *drawing.unfinished(trainers))
    if budget.quick:
        notes = (*notes, "too short to judge the paper's claims")
    if all(each == NO_TORCH for each in found.values()):
        notes = (NO_TORCH,)
    title = "A 4-layer convolutional network: training loss and test accuracy"
    found_claims = () if budget.quick else drawing.claims_of_variants(found, setting, figure2_claims)
    return drawing.network_figure("figure2", title, found, trainers, found_claims, notes)


def figure2_claims(
    known: dict[str, claims.Outcomes], ours: claims.Methods, test_images: int, variant: str
) -> tuple[Claim, ...]:
    """The paper's four sentences, of the methods of one variant."""
    return (
        claims.training_loss_claim(known, ours, f"{LOSS} (GDA and SC-PDA {variant})"),
        claims.edge_claim(known, ours, test_images, f"{EDGE} ({variant})"),
        claims.oscillation_claim(known, ours, f"{LESS_OSCILLATION} ({variant})"),
        claims.generalisation_claim(known, ours, test_images, f"{BETTER} ({variant})"),
    )
