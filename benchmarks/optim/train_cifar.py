"""Do they train? The paper's CNN on CIFAR-10, weight decay 5e-3, each contender with the rate that a validation split chose.

    CESARO_DATA=folder python benchmarks/optim/train_cifar.py [--images 20000] [--epochs 10] [--seeds 3] [--jobs 2] [--table]

Rates are a grid of factors of two. The search begins at three of them and goes on while the best is at an end, judged with the
first seed by the accuracy on 5,000 training images that nobody trains on. The other seeds run at the best rate and at those
within half a percent of it; their mean, on the same images, decides. Every run is one JSON file under results/, so an
interrupted benchmark goes on where it was, and --table prints what there is without training.
"""

import argparse
import json
import math
import re
import statistics
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from contenders import CONTENDERS

RESULTS = Path(__file__).parent / "results"
VALIDATION = 5000
CLOSE = 0.005  # rates that the first seed cannot tell apart


def result_file(folder: Path, name: str, lr: float, seed: int) -> Path:
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return folder / f"{slug}_lr{lr:g}_seed{seed}.json"


def one_run(folder: Path, name: str, lr: float, seed: int, images: int, epochs: int, batch_size: int) -> float:
    """Train once, unless the result is there, and write it down. Returns the accuracy on the validation split."""
    import torch

    from cesaro.data.cifar import Images, load_cifar
    from cesaro.reproduce.networks.training_loop import Recipe, train

    file = result_file(folder, name, lr, seed)
    if not file.exists():
        torch.set_num_threads(1)
        data, test = load_cifar("cifar10")
        held_out = Images(data.x[-VALIDATION:], data.y[-VALIDATION:])
        data = Images(data.x[:images], data.y[:images])
        recipe = Recipe("cnn", epochs=epochs, batch_size=batch_size, seed=seed)
        checkpoint = file.with_suffix(".pt")
        history = train(CONTENDERS[name].plan(lr), recipe, data, test, validation=held_out, checkpoint=checkpoint)
        keep(folder, name, lr, seed, history)
        iterates = {
            key.removeprefix("iterate_"): values for key, values in history.items() if key.startswith("iterate_")
        }
        if iterates:  # SWA's run is SGD's, measured at its average
            keep(folder, "SGD, constant", lr, seed, history | iterates)
        checkpoint.unlink(missing_ok=True)
    return read(folder, name, lr, seed, "validation_accuracy") or 0.0


def keep(folder: Path, name: str, lr: float, seed: int, history: dict) -> None:
    measured = {key: values for key, values in history.items() if not key.startswith("iterate_")}
    whole = json.dumps({"name": name, "lr": lr, "seed": seed, **measured}, indent=1) + "\n"
    result_file(folder, name, lr, seed).write_text(whole)


def read(folder: Path, name: str, lr: float, seed: int, key: str = "test_accuracy") -> float | None:
    """The accuracy after the last epoch."""
    file = result_file(folder, name, lr, seed)
    return json.loads(file.read_text())[key][-1] if file.exists() else None


def validated(folder: Path, name: str) -> dict[float, float]:
    """What is known of the rates of a contender: rate -> accuracy on the validation split, first seed."""
    found = [json.loads(file.read_text()) for file in folder.glob("*_seed0.json")]
    return {run["lr"]: run["validation_accuracy"][-1] for run in found if run["name"] == name}


def best_of(known: dict[float, float]) -> float:
    return max(known, key=lambda lr: known[lr])


def close(known: dict[float, float]) -> list[float]:
    """The rates that all seeds run at."""
    return [lr for lr in known if known[lr] >= max(known.values()) - CLOSE]


def chosen(folder: Path, name: str, seeds: int) -> float | None:
    """The rate with the best mean over the seeds, on the validation split; None while runs are missing."""
    known, means = validated(folder, name), {}
    if not known or wanted(known, best_of(known)):
        return None
    for lr in close(known):
        found = [read(folder, name, lr, seed, "validation_accuracy") for seed in range(seeds)]
        if None in found:
            return None
        means[lr] = statistics.mean(accuracy for accuracy in found if accuracy is not None)
    return best_of(means)


def wanted(known: dict[float, float], guess: float) -> list[float]:
    """The rates that the search needs next; nothing when the best one has a neighbour on either side."""
    best = best_of(known) if known else guess
    return [lr for lr in (best, best / 2, best * 2) if lr not in known]


def train_one(folder: Path, name: str, seeds: int, settings: tuple) -> str:
    """A contender's search for its rate, then its other seeds."""
    while missing := wanted(validated(folder, name), CONTENDERS[name].guess):
        one_run(folder, name, missing[0], 0, *settings)
    for lr in close(validated(folder, name)):
        for seed in range(1, seeds):
            one_run(folder, name, lr, seed, *settings)
    return name


def table(folder: Path, seeds: int, rival: str | None = None) -> str:
    """Markdown: mean and spread over the seeds, and the difference to the rival (if none is named, the best of the others)
    seed by seed, with its standard error. Only of contenders that have all their runs."""
    scores = {}
    for name in CONTENDERS:
        lr = chosen(folder, name, seeds)
        if lr is not None:
            found = [read(folder, name, lr, seed) for seed in range(seeds)]
            scores[name] = lr, [100 * accuracy for accuracy in found if accuracy is not None]
    others = {name: s for name, (_, s) in scores.items() if not CONTENDERS[name].family}
    if not others:
        return "no contender has all its runs yet"
    rival = rival if rival in others else max(others, key=lambda name: statistics.mean(others[name]))
    lines = [f"| optimiser | lr | test accuracy, % | minus {rival} |", "|---|---|---|---|"]
    for name, (lr, s) in sorted(scores.items(), key=lambda item: -statistics.mean(item[1][1])):
        shown = f"**{name}**" if CONTENDERS[name].family else name
        paired = [a - b for a, b in zip(s, others[rival], strict=True)]
        against = "" if name == rival else f"{statistics.mean(paired):+.2f} ± {error(paired):.2f}"
        spread = statistics.stdev(s) if len(s) > 1 else math.nan
        lines.append(f"| {shown} | {lr:g} | {statistics.mean(s):.2f} ± {spread:.2f} | {against} |")
    return "\n".join(lines)


def error(differences: list[float]) -> float:
    """The standard error of their mean."""
    many = len(differences) > 1
    return statistics.stdev(differences) / math.sqrt(len(differences)) if many else math.nan


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--images", type=int, default=20_000)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2, help="processes of one thread each")
    parser.add_argument("--only", nargs="*", choices=list(CONTENDERS), default=list(CONTENDERS), help="some contenders")
    parser.add_argument(
        "--against", choices=[n for n in CONTENDERS if not CONTENDERS[n].family], help="whom to compare with"
    )
    parser.add_argument("--table", action="store_true", help="print the table of what there is, and train nothing")
    given = parser.parse_args()
    if given.images > 50_000 - VALIDATION:
        parser.error(f"--images must leave {VALIDATION} of 50,000 for validation: got {given.images}")
    folder = RESULTS / f"{given.images}x{given.epochs}x{given.batch_size}"
    if not given.table:
        folder.mkdir(parents=True, exist_ok=True)
        settings = (given.images, given.epochs, given.batch_size)
        with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
            waiting = [pool.submit(train_one, folder, name, given.seeds, settings) for name in given.only]
            for done, future in enumerate(as_completed(waiting), 1):
                print(f"{done}/{len(waiting)} {future.result()}", file=sys.stderr, flush=True)
    print(table(folder, given.seeds, given.against))
