"""Figure 2: the paper's 4-layer CNN on CIFAR-10 and CIFAR-100, training loss and test accuracy of SGD, SWA, GDA and SC-PDA."""

from dataclasses import replace
from pathlib import Path

from cesaro.reproduce.budget import Budget
from cesaro.reproduce.networks import claims
from cesaro.reproduce.networks.drawing import (
    TITLES,
    compare_or_explain,
    describe_setting,
    network_figure,
    training_loss_key,
)
from cesaro.reproduce.networks.runs import TrainingSetting
from cesaro.reproduce.report import drawing
from cesaro.reproduce.results import Claim, Figure

GRID = (0.1, 0.01, 0.001, 0.0001)
FULL = TrainingSetting("cnn", "cifar10", images=20_000, epochs=10, rates=GRID, screening=2, seeds=3)
QUICK = replace(FULL, images=2000, epochs=2, rates=GRID[:2], screening=1, seeds=1, download=False)
EDGE = "The performance of test accuracy gives SC-PDA and GDA a slight edge over SGD and SWA."
CALM = "Compared to SGD, averaging schemes always reduce oscillation issues."
BETTER = "Compared to SGD, averaging schemes always achieve improvement in better generalization."


def run(budget: Budget) -> Figure:
    """Both data sets; runs that are saved in `budget.runs` are not trained again."""
    setting = QUICK if budget.quick else replace(FULL, seeds=min(FULL.seeds, budget.seeds))
    found = {data: compare_or_explain(replace(setting, data=data), budget.runs) for data in TITLES}
    notes = describe_setting(setting)
    if budget.quick:
        notes = (*notes, "too short to judge the paper's claims")
    first = found["cifar10"]
    found_claims: tuple[Claim, ...] = ()
    if not budget.quick and not isinstance(first, str):
        found_claims = (
            claims.training_loss_claim(first, training_loss_key(first)[0]),
            claims.edge_claim(first, setting.test, EDGE),
            claims.oscillation_claim(first, CALM),
            claims.generalisation_claim(first, setting.test, BETTER),
        )
    return network_figure(
        "figure2", "A 4-layer convolutional network: training loss and test accuracy", found, found_claims, notes
    )


def draw(figure: Figure, folder: Path) -> list[Path]:
    """Write its PDF and PNG."""
    return drawing.draw(figure, folder)
