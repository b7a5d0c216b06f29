"""Figure 3: VGG-16 on CIFAR-10 and CIFAR-100, training loss and test accuracy of SGD, SWA, GDA and SC-PDA.

An epoch of VGG-16 on all images takes some ten minutes on one core: without a GPU the figure is made shortened, and says so.
"""

from dataclasses import replace
from pathlib import Path

from cesaro.reproduce.budget import Budget
from cesaro.reproduce.networks import claims
from cesaro.reproduce.networks.drawing import (
    TITLES,
    OutcomesOrReason,
    compare_or_explain,
    describe_setting,
    network_figure,
)
from cesaro.reproduce.networks.runs import TrainingSetting
from cesaro.reproduce.networks.training_loop import device
from cesaro.reproduce.report import drawing
from cesaro.reproduce.results import Claim, Figure

GRID = (0.1, 0.05, 0.01, 0.005, 0.001)
FULL = TrainingSetting("vgg16", "cifar10", images=45_000, epochs=60, rates=GRID, screening=2, seeds=5)
SHORT = replace(FULL, images=2000, epochs=3, screening=1, seeds=1, batch_size=64)
LEFT_OUT = "Left out of the quick run: VGG-16 takes a quarter of an hour even shortened."
TOO_SHORT = "too short to judge the paper's claims: with a GPU it runs in full"
BETTER = "The performance of GDA and SC-PDA is better than that of SWA and SGD."
CALM = "Algorithms coupled with averaging schemes in deep learning always reduce oscillation issues."
GAIN = "Averaging schemes always achieve improvement in test accuracy."


def run(budget: Budget) -> Figure:
    """Both data sets; runs that are saved in `budget.runs` are not trained again."""
    whole = device() == "cuda"
    setting = FULL if whole else SHORT
    notes = describe_setting(setting) if whole else (*describe_setting(setting), TOO_SHORT)
    found: dict[str, OutcomesOrReason] = dict.fromkeys(TITLES, LEFT_OUT)
    if budget.quick:
        notes = (LEFT_OUT,)
    else:
        found = {data: compare_or_explain(replace(setting, data=data), budget.runs) for data in TITLES}
    first = found["cifar10"]
    found_claims: tuple[Claim, ...] = ()
    if whole and not isinstance(first, str):
        found_claims = (
            claims.edge_claim(first, setting.test, BETTER),
            claims.oscillation_claim(first, CALM),
            claims.generalisation_claim(first, setting.test, GAIN),
        )
    return network_figure("figure3", "VGG-16: training loss and test accuracy", found, found_claims, notes)


def draw(figure: Figure, folder: Path) -> list[Path]:
    """Write its PDF and PNG."""
    return drawing.draw(figure, folder)
