"""Training runs of figures 2 and 3, one file each.

    cache / network-data / images x epochs x batch / training_lr0.1_seed0.json

An unfinished run is a checkpoint beside it, from which it continues; what is finished is never trained again. A method's rate
is the one whose finished run of the first seed is best on images that nobody trains on.
"""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cesaro.reproduce.networks.trainings import TrainingMethod, plan
from cesaro.reproduce.results import Series, rounded, write_json

History = dict[str, Any]


@dataclass(frozen=True)
class TrainingSetting:
    """What is trained on what, for how long, at which rates, and on how many images that is evaluated."""

    network: str
    data: str
    images: int
    epochs: int
    rates: tuple[float, ...]  # the first is tried first
    seeds: int
    batch_size: int = 128
    download: bool = True  # the images, if they are not here
    beyond: tuple[float, ...] = ()  # rates above the paper's grid, for what is printed alone; said, not drawn
    test: int = 10_000
    validation: int = 5000
    fitted: int = 5000  # training images whose loss is measured


class Outcome(NamedTuple):
    """A method's chosen rate, how each rate that was run did on the validation images (in seed 0), its runs at the rate."""

    method: TrainingMethod
    lr: float
    scores: dict[float, float]
    runs: list[History]


class Trainer:
    """Runs of one setting, from the cache or made now."""

    def __init__(self, setting: TrainingSetting, cache: Path):
        self.setting = setting
        size = f"{setting.images}x{setting.epochs}x{setting.batch_size}"
        self.folder = cache / f"{setting.network}-{setting.data}" / size
        self.images: Any = None  # loaded when first needed: a full cache needs no data

    def outcome(self, method: TrainingMethod) -> Outcome | None:
        """What the finished runs say about a method; None before the first of them."""
        known = {lr: self.finished(method.training, lr, 0) for lr in self.setting.rates}
        scores = {lr: values_of(run, method)["validation_accuracy"][-1] for lr, run in known.items() if run}
        if not scores:
            return None
        best = max(scores, key=lambda lr: scores[lr])
        runs = [self.finished(method.training, best, seed) for seed in range(self.setting.seeds)]
        return Outcome(method, best, scores, [values_of(run, method) for run in runs if run])

    def file(self, training: str, lr: float, seed: int) -> Path:
        slug = re.sub(r"[^a-z0-9]+", "-", training.lower())
        return self.folder / f"{slug}_lr{lr:g}_seed{seed}.json"

    def finished(self, training: str, lr: float, seed: int) -> History | None:
        """The run, if it has been made."""
        path = self.file(training, lr, seed)
        if not path.exists():
            return None
        run: History = json.loads(path.read_text(encoding="utf-8"))
        return run

    def train(self, training: str, lr: float, seed: int) -> None:
        """Make the run, from its checkpoint if there is one."""
        from cesaro.data.cifar import FORMATS
        from cesaro.reproduce.networks.training_loop import Recipe, train

        s, path = self.setting, self.file(training, lr, seed)
        self.images = self.images or self.load()
        data, validation, test = self.images
        print(f"{s.network} on {s.data}: {training}, rate {lr:g}, seed {seed}", file=sys.stderr, flush=True)
        recipe = Recipe(s.network, FORMATS[s.data].classes, s.epochs, s.batch_size, seed, s.fitted)
        checkpoint = path.with_suffix(".pt")
        history = train(
            plan(training, lr),
            recipe,
            data,
            test,
            validation=validation,
            checkpoint=checkpoint,
            progress=sys.stderr.isatty(),
        )
        write_json(path, {"name": training, "lr": lr, "seed": seed, **history})
        checkpoint.unlink(missing_ok=True)

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


def values_of(run: History, method: TrainingMethod) -> History:
    """A training's history with the measures of the weights that the method evaluates."""
    begin = method.measures
    other = {key for key in run if key.startswith(("iterate_", "averaged_"))}
    mine = {key.removeprefix(begin): run[key] for key in other if begin and key.startswith(begin)}
    return {**{key: value for key, value in run.items() if key not in other}, **mine}


def epoch_series(outcome: Outcome, key: str) -> Series:
    """Mean and range over the seeds of what was recorded under `key`, accuracies in %."""
    values = np.array([run[key] for run in outcome.runs]) * (100 if key.endswith("accuracy") else 1)
    seconds = np.mean([run["seconds"] for run in outcome.runs], axis=0)
    return Series(
        re.sub(", (as printed|constant phase)", "", outcome.method.name),  # the panel's title says it
        {"epochs": rounded(outcome.runs[0]["epoch"]), "seconds": rounded(seconds)},
        rounded(values.mean(axis=0)),
        rounded(values.min(axis=0)),
        rounded(values.max(axis=0)),
        dashed=outcome.method.name.endswith("last"),
    )
