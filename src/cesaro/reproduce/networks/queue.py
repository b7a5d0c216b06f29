"""In which order the runs of a figure are made, so that an interrupted figure shows as much as it can.

One seed of every training at the first rate, on every data set; the other seeds; the other rates of the grid, in full length;
the other seeds at the rates that won; rates beyond the grid for the methods as printed. A time limit ends the queue between two
runs; the same command continues it.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from cesaro.reproduce.networks.runs import Trainer, TrainingSetting
from cesaro.reproduce.networks.trainings import METHODS, PRINTED, TRAININGS


class Job(NamedTuple):
    data: str
    training: str
    lr: float
    seed: int


def jobs(trainers: dict[str, Trainer]) -> Iterator[Job]:
    """Every run of the figure, finished or not; the last ones depend on the ones before."""
    setting = next(iter(trainers.values())).setting
    first, others = setting.rates[0], range(1, setting.seeds)
    yield from (Job(data, training, first, 0) for data in trainers for training in TRAININGS)
    yield from (Job(data, training, first, seed) for seed in others for data in trainers for training in TRAININGS)
    yield from (Job(data, training, lr, 0) for lr in setting.rates[1:] for data in trainers for training in TRAININGS)
    for data, trainer in trainers.items():
        for method in METHODS:
            if outcome := trainer.outcome(method):
                yield from (Job(data, method.training, outcome.lr, seed) for seed in others)
    yield from (Job(data, m.training, lr, 0) for lr in setting.beyond for data in trainers for m in PRINTED[::2])


def train_all(
    setting: TrainingSetting, data_sets: tuple[str, ...], cache: Path, time_limit: float | None = None
) -> tuple[dict[str, Trainer], dict[str, Exception]]:
    """Make what is missing, until the time is over.

    Returns
    -------
    trainers : dict of str to Trainer
        One for each data set, with the finished runs.
    failures : dict of str to Exception
        Why a data set could not be trained on: its images are not here, or PyTorch is not.
    """
    trainers = {data: Trainer(replace(setting, data=data), cache) for data in data_sets}
    failures: dict[str, Exception] = {}
    began = time.monotonic()
    for job in jobs(trainers):
        trainer = trainers[job.data]
        if job.data in failures or trainer.finished(*job[1:]):
            continue
        if time_limit is not None and time.monotonic() - began >= time_limit:
            break
        try:
            trainer.train(*job[1:])
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            failures[job.data] = error
        except OSError as error:
            print(error, file=sys.stderr)
            failures[job.data] = error
    return trainers, failures


def missing_runs(trainer: Trainer) -> list[Job]:
    """The runs of a data set that have not been made."""
    return [job for job in jobs({trainer.setting.data: trainer}) if trainer.finished(*job[1:]) is None]
