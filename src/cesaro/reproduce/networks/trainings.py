"""What is trained for figures 2 and 3, and the methods whose weights the trainings contain.

    as printed            a_t = gamma_t = t from the first step on (start=0, t0=0), lr = 1/mu
    with a constant phase the weights begin to advance after 1000 steps, two thirds of a shorter run

SWA's training contains SGD, bit by bit; GDA's contains its last point and its a-weighted average, the output of Algorithm 1.
"""

from typing import Any, NamedTuple

WEIGHT_DECAY = 5e-3
CONSTANT = 1000  # steps before the averages of GDA and SC-PDA grow longer
TRAININGS = ("SWA", "GDA, as printed", "SC-PDA, as printed", "GDA", "SC-PDA")


class TrainingMethod(NamedTuple):
    """A line of the figures: weights of a training that are evaluated."""

    name: str
    training: str  # one of TRAININGS
    measures: str = ""  # what the names of its measures begin with in the training's history


SGD, SWA = TrainingMethod("SGD", "SWA", "iterate_"), TrainingMethod("SWA", "SWA")
PRINTED = (
    TrainingMethod("GDA, as printed, averaged", "GDA, as printed", "averaged_"),
    TrainingMethod("GDA, as printed, last", "GDA, as printed"),
    TrainingMethod("SC-PDA, as printed", "SC-PDA, as printed"),
)
MODIFIED = (
    TrainingMethod("GDA, constant phase, averaged", "GDA", "averaged_"),
    TrainingMethod("GDA, constant phase, last", "GDA"),
    TrainingMethod("SC-PDA, constant phase", "SC-PDA"),
)
METHODS = (SGD, SWA, *PRINTED, *MODIFIED)


def plan(training: str, lr: float) -> Any:
    """The steps of a training."""
    import torch

    from cesaro import optim
    from cesaro.reproduce.networks.training_loop import Plan

    if training == "SWA":
        return Plan(lambda parameters, steps: torch.optim.SGD(parameters, lr, weight_decay=WEIGHT_DECAY), swa_from=0.5)
    gda, printed = training.startswith("GDA"), training.endswith("as printed")

    def make(parameters: Any, steps: int) -> Any:
        start, t0 = (0, 0) if printed else (min(CONSTANT, 2 * steps // 3), None)
        if gda:
            return optim.GDA(parameters, lr, start=start, t0=t0, weight_decay=WEIGHT_DECAY, average=True)
        return optim.SCPDA(parameters, lr, start=start, t0=t0, weight_decay=WEIGHT_DECAY)

    return Plan(make, averaged=gda)
