"""Training networks as in the paper's figures 2 and 3, on images in memory.

Everything random comes from the seed: weights and dropout from torch's generator, whose state is in the checkpoint, the order
of epoch e from one seeded with (seed, e). A run that is interrupted therefore continues bit by bit as if it had not been.
"""

import sys
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_swa_multi_avg_fn, update_bn

from cesaro.data.cifar import Images
from cesaro.reproduce.networks.architectures import NETWORKS
from cesaro.storage.atomic_write import whole_file


def device() -> str:
    """Where networks are trained."""
    return "cuda" if torch.cuda.is_available() else "cpu"


@dataclass(frozen=True)
class Plan:
    """How a network is trained: what steps, what schedules, what is evaluated."""

    optimizer: Callable[[Any, int], Any]  # (parameters, number of steps) -> optimiser; it is given closures
    schedule: Callable[[Any, int], Any] | None = (
        None  # (optimiser, number of steps) -> scheduler, advanced at every step
    )
    swa_from: float | None = None  # the part of the run after which weights are averaged, at epoch ends
    mode: Callable[[Any, bool], None] | None = None  # (optimiser, training?): for optimisers with an eval mode
    averaged: bool = False  # whether the optimiser has an average beside its parameters, and it is evaluated too


@dataclass(frozen=True)
class Recipe:
    """What all plans of a comparison share."""

    network: str = "cnn"
    classes: int = 10
    epochs: int = 10
    batch_size: int = 128
    seed: int = 0
    fitted: int = 5000  # training images on which the fit is evaluated


def train(
    plan: Plan,
    recipe: Recipe,
    data: Images,
    test: Images,
    *,
    validation: Images | None = None,
    checkpoint: Path | None = None,
    until: int | None = None,
    progress: bool = False,
) -> dict[str, list[float]]:
    """Train, evaluating after every epoch.

    Parameters
    ----------
    plan, recipe : Plan, Recipe
        How the network is trained, and what all plans of a comparison share.
    data, test : Images
        To train on, and to test on.
    validation : Images, optional
        Images that nobody trains on, to choose settings by; their accuracy is recorded as validation_accuracy.
    checkpoint : Path, optional
        A file, written after every epoch; if it exists the run continues from it.
    until : int, optional
        Stop after this epoch of the recipe's, with a checkpoint for the others.
    progress : bool, default=False
        Whether to write a line on stderr.

    Returns
    -------
    dict of lists
        One entry per epoch: epoch; train_loss, the mean over the epoch's batches, with dropout, of the weights that moved;
        fitted_loss, without dropout, of the weights that the plan evaluates, on the recipe's first training images; test_loss,
        test_accuracy; seconds, of training alone (on a CPU its own seconds, whatever else the machine does). With SWA the
        same measures with iterate_ before them are those of SGD; those of an optimiser's average have averaged_ before them.
    """
    run = TrainingRun(plan, recipe, data)
    if checkpoint is not None and checkpoint.exists():
        run.load(checkpoint)
    while run.epoch < (recipe.epochs if until is None else min(until, recipe.epochs)):
        run.train_epoch(progress)
        run.record(test, validation)
        if checkpoint is not None:
            run.save(checkpoint)
    return run.history


class TrainingRun:
    """One training run: the network, its optimiser, and where it stands."""

    def __init__(self, plan: Plan, recipe: Recipe, data: Images):
        torch.manual_seed(recipe.seed)
        self.plan, self.recipe, self.data, self.device = plan, recipe, data, device()
        self.model = NETWORKS[recipe.network](recipe.classes)
        self.model.to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.batches = len(data.y) // recipe.batch_size
        steps = self.batches * recipe.epochs
        self.optimizer = plan.optimizer(self.model.parameters(), steps)
        self.schedule = plan.schedule(self.optimizer, steps) if plan.schedule else None
        self.average = (
            AveragedModel(self.model, multi_avg_fn=get_swa_multi_avg_fn()) if plan.swa_from is not None else None
        )
        pixels = data.x.reshape(len(data.x), 3, -1)[:: max(1, len(data.x) // 5000)] / 255
        self.mean, self.scale = (
            torch.tensor(f(pixels, axis=(0, 2)), dtype=torch.float32, device=self.device) for f in (np.mean, np.std)
        )
        self.epoch, self.seconds, self.loss = 0, 0.0, float("nan")
        self.history: dict[str, list[float]] = {}

    def inputs(self, x: np.ndarray) -> Tensor:
        """Bytes as normalised images, channels last."""
        images = torch.from_numpy(x).to(self.device, torch.float32, memory_format=torch.channels_last).div_(255)
        return images.sub_(self.mean[:, None, None]).div_(self.scale[:, None, None])

    def train_epoch(self, progress: bool) -> None:
        clock = time.perf_counter if self.device == "cuda" else time.process_time
        started, total = clock(), 0.0
        self.model.train()
        if self.plan.mode:
            self.plan.mode(self.optimizer, True)
        order = np.random.default_rng((self.recipe.seed, self.epoch)).permutation(len(self.data.y))
        for i in range(self.batches):
            rows = order[i * self.recipe.batch_size : (i + 1) * self.recipe.batch_size]
            x, y = self.inputs(self.data.x[rows]), torch.from_numpy(self.data.y[rows]).to(self.device)

            def closure(x: Tensor = x, y: Tensor = y) -> Tensor:
                self.optimizer.zero_grad()
                loss = nn.functional.cross_entropy(self.model(x), y)
                loss.backward()
                return loss

            total += float(self.optimizer.step(closure).detach())
            if self.schedule:
                self.schedule.step()
            if progress and i % 10 == 0:
                print(f"\repoch {self.epoch + 1}: {i}/{self.batches}", end="", file=sys.stderr, flush=True)
        self.epoch += 1
        self.loss = total / max(1, self.batches)
        if self.average is not None and self.epoch > (self.plan.swa_from or 0.0) * self.recipe.epochs:
            self.average.update_parameters(self.model)
        self.seconds += clock() - started

    def record(self, test: Images, validation: Images | None = None) -> None:
        """Losses and accuracies of the weights that the plan evaluates; with SWA also of those that SGD has moved to."""
        if self.plan.mode:
            self.plan.mode(self.optimizer, False)
        found = self.evaluate_all(self.model, test, validation)
        if self.average is not None:
            found |= {f"iterate_{key}": value for key, value in found.items()}
            if self.average.n_averaged > 0:
                found |= self.evaluate_average(self.average.module, test, validation)
        if self.plan.averaged:
            with self.optimizer.averaged():
                average = deepcopy(self.model)
            values = self.evaluate_average(average, test, validation)
            found |= {f"averaged_{key}": value for key, value in values.items()}
        entry = {"epoch": self.epoch, "train_loss": self.loss, "seconds": self.seconds, **found}
        for key, value in entry.items():
            self.history.setdefault(key, []).append(value)

    def evaluate_average(self, model: nn.Module, test: Images, validation: Images | None) -> dict[str, float]:
        """As `evaluate_all`, with the statistics of batch norm that belong to these weights, on the images that are fitted."""
        if any(isinstance(m, nn.BatchNorm2d) for m in model.modules()):
            batches = (x for x, _ in self.test_batches(self.fitted_images()))
            with torch.random.fork_rng():  # dropout draws here, and must not change the run
                update_bn(batches, model)
        return self.evaluate_all(model, test, validation)

    def fitted_images(self) -> Images:
        """The training images on which the fit is evaluated."""
        rows = slice(self.recipe.fitted)
        return Images(self.data.x[rows], self.data.y[rows])

    def evaluate_all(self, model: nn.Module, test: Images, validation: Images | None) -> dict[str, float]:
        model.eval()
        fitted, _ = self.evaluate(model, self.fitted_images())
        loss, accuracy = self.evaluate(model, test)
        found = {"fitted_loss": fitted, "test_loss": loss, "test_accuracy": accuracy}
        return found if validation is None else found | {"validation_accuracy": self.evaluate(model, validation)[1]}

    def evaluate(self, model: nn.Module, images: Images) -> tuple[float, float]:
        """Mean loss and accuracy."""
        loss, right = 0.0, 0
        with torch.no_grad():
            for x, y in self.test_batches(images):
                out = model(x)
                loss += float(nn.functional.cross_entropy(out, y, reduction="sum"))
                right += int((out.argmax(1) == y).sum())
        return loss / len(images.y), right / len(images.y)

    def test_batches(self, test: Images, size: int = 500) -> Iterator[tuple[Tensor, Tensor]]:
        for i in range(0, len(test.y), size):
            yield self.inputs(test.x[i : i + size]), torch.from_numpy(test.y[i : i + size]).to(self.device)

    def save(self, path: Path) -> None:
        """Whole or not at all: an interruption leaves the old checkpoint."""
        parts = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict() if self.schedule else None,
            "average": self.average.state_dict() if self.average is not None else None,
            "random": torch.get_rng_state(),
            "random_on_gpu": torch.cuda.get_rng_state_all() if self.device == "cuda" else [],
            "history": self.history,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            torch.save(parts, file)

    def load(self, path: Path) -> None:
        parts = torch.load(path, weights_only=True, map_location="cpu")
        self.model.load_state_dict(parts["model"])
        self.optimizer.load_state_dict(parts["optimizer"])
        if self.schedule:
            self.schedule.load_state_dict(parts["schedule"])
        if self.average is not None:
            self.average.load_state_dict(parts["average"])
        torch.set_rng_state(parts["random"])
        if self.device == "cuda":
            torch.cuda.set_rng_state_all(parts["random_on_gpu"])
        self.history = parts["history"]
        self.epoch, self.seconds = len(self.history["epoch"]), self.history["seconds"][-1]
