"""Figure 3: VGG-16 on CIFAR-10 and CIFAR-100, training loss and test accuracy of SGD, SWA, GDA and SC-PDA.

The paper says "standard VGG-16" and no more: ours has batch norm, without which 16 layers do not train at these rates, and the
weight decay that the paper states for its other network. Without a GPU the figure is made shortened, and says so.
"""

from dataclasses import replace

from cesaro.reproduce.budget import Budget
from cesaro.reproduce.networks import claims, drawing
from cesaro.reproduce.networks.runs import Trainer, TrainingSetting
from cesaro.reproduce.networks.training_loop import device
from cesaro.reproduce.report.drawing import draw as draw
from cesaro.reproduce.results import Claim, Figure

GRID = (0.1, 0.05, 0.01, 0.005, 0.001)
FULL = TrainingSetting("vgg16", "cifar10", images=45_000, epochs=60, rates=GRID, seeds=5)
SHORT = replace(  # about two hours of one core; smaller batches, for more steps
    FULL, images=10_000, epochs=6, batch_size=64, rates=GRID[:1], seeds=1, test=2000, validation=500, fitted=1000
)
LEFT_OUT = "Left out of the quick run: VGG-16 takes hours without a GPU even shortened."
NETWORK = "VGG-16 with batch norm; weight decay 5e-3, stated for the other network only"
TOO_SHORT = "too short to judge the paper's claims: with a GPU it runs in full"
BETTER = "The performance of GDA and SC-PDA is better than that of SWA and SGD."
LESS_OSCILLATION = "Algorithms coupled with averaging schemes in deep learning always reduce oscillation issues."
GAIN = "Averaging schemes always achieve improvement in test accuracy."


def run(budget: Budget) -> Figure:
    """Both data sets; runs that are saved in `budget.runs` are not trained again."""
    whole = device() == "cuda"
    setting = FULL if whole else SHORT
    found: drawing.Found = dict.fromkeys(drawing.TITLES, LEFT_OUT)
    notes: tuple[str, ...] = (LEFT_OUT,)
    trainers: dict[str, Trainer] = {}
    if not budget.quick:
        found, trainers = drawing.collect(setting, budget)
        notes = (
            drawing.describe_setting(setting),
            NETWORK,
            *drawing.unfinished(trainers),
            *(() if whole else (TOO_SHORT,)),
        )
    found_claims = drawing.claims_of_variants(found, setting, figure3_claims) if whole and not budget.quick else ()
    return drawing.network_figure(
        "figure3", "VGG-16: training loss and test accuracy", found, trainers, found_claims, notes
    )


def figure3_claims(
    known: dict[str, claims.Outcomes], ours: claims.Methods, test_images: int, variant: str
) -> tuple[Claim, ...]:
    """The paper's three sentences, of the methods of one variant."""
    return (
        claims.edge_claim(known, ours, test_images, f"{BETTER} ({variant})"),
        claims.oscillation_claim(known, ours, f"{LESS_OSCILLATION} ({variant})"),
        claims.generalisation_claim(known, ours, test_images, f"{GAIN} ({variant})"),
    )
