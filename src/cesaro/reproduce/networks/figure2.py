"""Figure 2: the paper's 4-layer CNN on CIFAR-10 and CIFAR-100, training loss and test accuracy of SGD, SWA, GDA and SC-PDA."""

from dataclasses import replace
from pathlib import Path

from cesaro.reproduce.budget import Budget
from cesaro.reproduce.networks import claims
from cesaro.reproduce.networks.drawing import HOW, TITLES, at_the_end, compared, loss_of, panels, size, table
from cesaro.reproduce.networks.runs import Setting
from cesaro.reproduce.report import drawing
from cesaro.reproduce.results import Claim, Figure

GRID = (0.1, 0.01, 0.001, 0.0001)
FULL = Setting("cnn", "cifar10", images=20_000, epochs=10, rates=GRID, screening=2, seeds=3)
QUICK = replace(FULL, images=2000, epochs=2, rates=GRID[:2], screening=1, seeds=1, download=False)
EDGE = "The performance of test accuracy gives SC-PDA and GDA a slight edge over SGD and SWA."
CALM = "Compared to SGD, averaging schemes always reduce oscillation issues."
BETTER = "Compared to SGD, averaging schemes always achieve improvement in better generalization."


def run(budget: Budget) -> Figure:
    """Both data sets; what can be had from `budget.runs` is not trained again."""
    setting = QUICK if budget.quick else replace(FULL, seeds=min(FULL.seeds, budget.seeds))
    found = {data: compared(replace(setting, data=data), budget.runs) for data in TITLES}
    words = size(setting)
    if budget.quick:
        words = (*words, "too short to judge the paper's claims")
    first = found["cifar10"]
    judged: tuple[Claim, ...] = ()
    if not budget.quick and not isinstance(first, str):
        judged = (
            claims.training_loss(first, loss_of(first)[0]),
            claims.edge(first, setting.test, EDGE),
            claims.oscillation(first, CALM),
            claims.generalisation(first, setting.test, BETTER),
        )
    return Figure(
        "figure2",
        "A 4-layer convolutional network: training loss and test accuracy",
        HOW + at_the_end(first),
        tuple(panel for data in TITLES for panel in panels(data, found[data])),
        judged,
        words,
        table=table(first),
    )


def draw(figure: Figure, folder: Path) -> list[Path]:
    return drawing.draw(figure, folder)
