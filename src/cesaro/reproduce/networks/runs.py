"""The paper's way of comparing methods on a network: a rate for each from a grid, then the same training for all.

The rate is chosen on images that nobody trains on, after the first epochs of the first seed. Those epochs are not a training of
their own: the chosen run goes on from its checkpoint. Every run is one JSON file, the unfinished ones a checkpoint beside it,

    cache / network-data / images x epochs x batch / method_lr0.1_seed0.json

so what is known is never trained again. benchmarks/optim keeps its runs in the same form: its results folder can stand in for
cache/cnn-cifar10.
"""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cesaro.reproduce.results import Series, rounded, write_json

WEIGHT_DECAY = 5e-3
CONSTANT = 1000  # steps before the averages of GDA and SC-PDA grow longer
History = dict[str, Any]


@dataclass(frozen=True)
class TrainingSetting:
    """What is trained on what, for how long, at which rates. Validation and test images follow from the number of images."""

    network: str
    data: str
    images: int
    epochs: int
    rates: tuple[float, ...]
    screening: int  # epochs after which the rate is chosen
    seeds: int
    batch_size: int = 128
    download: bool = True  # the images, if they are not here

    @property
    def validation(self) -> int:
        return min(5000, self.images // 2)

    @property
    def test(self) -> int:
        return min(10_000, self.images)


class TrainingMethod(NamedTuple):
    name: str  # in the figures
    file: str  # in the names of the result files


SGD, SWA = TrainingMethod("SGD", "SGD, constant"), TrainingMethod("SWA", "SWA")
GDA, SC_PDA = TrainingMethod("GDA", "GDA"), TrainingMethod("SC-PDA", "SC-PDA")
FOUR = (SGD, SWA, GDA, SC_PDA)


def plan(method: TrainingMethod, lr: float) -> Any:
    """The steps of a method.

    The weights of GDA and SC-PDA advance after a constant phase of 1000 steps, two thirds of a shorter run.
    """
    import torch

    from cesaro import optim
    from cesaro.reproduce.networks.training_loop import Plan

    if method in (SGD, SWA):
        return Plan(
            lambda parameters, steps: torch.optim.SGD(parameters, lr, weight_decay=WEIGHT_DECAY),
            swa_from=0.5 if method == SWA else None,
        )
    kind = optim.GDA if method == GDA else optim.SCPDA

    def make(parameters: Any, steps: int) -> Any:
        return kind(parameters, lr, weight_decay=WEIGHT_DECAY, start=min(CONSTANT, 2 * steps // 3))

    return Plan(make)


class Outcome(NamedTuple):
    """A method's chosen rate, how all rates did on the validation images, and its runs, one per seed."""

    method: TrainingMethod
    lr: float
    scores: dict[float, float]
    runs: list[History]


def compare_methods(setting: TrainingSetting, cache: Path) -> list[Outcome]:
    """Choose every method's rate and train it; what the cache has is taken from there."""
    trainer = Trainer(setting, cache)
    return [trainer.outcome(method) for method in FOUR]


class Trainer:
    """Runs of one setting, from the cache or made now."""

    def __init__(self, setting: TrainingSetting, cache: Path):
        self.setting = setting
        size = f"{setting.images}x{setting.epochs}x{setting.batch_size}"
        self.folder = cache / f"{setting.network}-{setting.data}" / size
        self.images: Any = None  # loaded when first needed: a full cache needs no data

    def outcome(self, method: TrainingMethod) -> Outcome:
        screening = self.setting.screening
        begins_as = SWA if method in (SGD, GDA) else method  # bit by bit: GDA and SWA begin to average later
        first = {lr: self.history(begins_as, lr, 0, screening) for lr in self.setting.rates}
        scores = {lr: run["validation_accuracy"][screening - 1] for lr, run in first.items()}
        best = max(scores, key=lambda lr: scores[lr])
        for lr in scores:
            if lr != best:
                self.file(begins_as, lr, 0).with_suffix(".pt").unlink(missing_ok=True)
        return Outcome(method, best, scores, [self.history(method, best, seed) for seed in range(self.setting.seeds)])

    def file(self, method: TrainingMethod, lr: float, seed: int) -> Path:
        slug = re.sub(r"[^a-z0-9]+", "-", method.file.lower()).strip("-")
        return self.folder / f"{slug}_lr{lr:g}_seed{seed}.json"

    def history(self, method: TrainingMethod, lr: float, seed: int, until: int | None = None) -> History:
        """A run, or its first epochs."""
        whole = self.file(method, lr, seed)
        first = whole.with_suffix(f".first{until}.json")
        for known in (whole, first):
            if known.exists():
                run: History = json.loads(known.read_text(encoding="utf-8"))
                return run
        if method == SGD and (inside := iterates(self.history(SWA, lr, seed, until))):
            return inside
        run = {"name": method.file, "lr": lr, "seed": seed}
        run |= self.train(method, lr, seed, until, whole.with_suffix(".pt"))
        write_json(whole if until is None else first, run)
        if until is None:
            whole.with_suffix(".pt").unlink(missing_ok=True)
        return run

    def train(self, method: TrainingMethod, lr: float, seed: int, until: int | None, checkpoint: Path) -> History:
        from cesaro.data.cifar import FORMATS
        from cesaro.reproduce.networks.training_loop import Recipe, train

        s = self.setting
        self.images = self.images or self.load()
        data, validation, test = self.images
        print(f"{s.network} on {s.data}: {method.name}, rate {lr:g}, seed {seed}", file=sys.stderr, flush=True)
        recipe = Recipe(s.network, FORMATS[s.data].classes, s.epochs, s.batch_size, seed)
        known = {"validation": validation, "checkpoint": checkpoint, "until": until, "progress": sys.stderr.isatty()}
        return train(plan(method, lr), recipe, data, test, **known)

    def load(self) -> Any:
        """Images to train on, to choose rates by, to test on."""
        from cesaro.data import DataError, load_cifar, locate
        from cesaro.data.cifar import Images

        s = self.setting
        if not s.download and locate(s.data) is None:
            raise DataError(f"{s.data} is not here: cesaro data fetch {s.data}")
        data, test = load_cifar(s.data)
        parts = (data, slice(s.images)), (data, slice(-s.validation, None)), (test, slice(s.test))
        return [Images(images.x[rows], images.y[rows]) for images, rows in parts]


def iterates(run: History) -> History | None:
    """The run of SGD that a run of SWA contains; older runs do not."""
    iterate_values = {key.removeprefix("iterate_"): value for key, value in run.items() if key.startswith("iterate_")}
    return {**run, **iterate_values, "name": SGD.file} if iterate_values else None


def epoch_series(outcome: Outcome, key: str) -> Series:
    """Mean and range over the seeds of what was recorded under `key`, accuracies in %."""
    values = np.array([run[key] for run in outcome.runs]) * (100 if key.endswith("accuracy") else 1)
    seconds = np.mean([run["seconds"] for run in outcome.runs], axis=0)
    return Series(
        outcome.method.name,
        {"epochs": rounded(outcome.runs[0]["epoch"]), "seconds": rounded(seconds)},
        rounded(values.mean(axis=0)),
        rounded(values.min(axis=0)),
        rounded(values.max(axis=0)),
    )
