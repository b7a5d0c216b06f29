"""From AdamW to Averaged(AdamW) in mid-run: which rate, which warm-up, and with the optimiser's state or without.

    python benchmarks/optim/switch_text.py [--seeds 3] [--table]

The task of train_text.py. AdamW trains with cosine at its best rate, 2^-7, to the middle of 1,000 steps. From there it goes on,
or averaged_adamw takes over with steps=500, at that rate or at half of it, near the one that cosine has come to. Runs are
lines of results/switch-1000.jsonl; --table prints what there is without training.
"""

import argparse
import copy
import json
import statistics
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from text_contenders import DECAY, B, Run, cosine
from text_task import BATCH, CONTEXT, Transformer, evaluate, load_text, loss
from train_text import error, plus_minus, results_file

from cesaro.optim import averaged_adamw

STEPS, MIDDLE, PEAK = 1000, 500, 2**-7
STAYED = "AdamW, cosine to the end"


class Way(NamedTuple):
    """How averaged_adamw takes over."""

    lr: float
    warmup: int
    state: bool  # whether AdamW's is loaded

    @property
    def name(self) -> str:
        rate = "peak" if self.lr == PEAK else "half the peak"
        return f"averaged_adamw, {rate}, warm-up {self.warmup}, {'with' if self.state else 'without'} AdamW's state"


WAYS = [Way(lr, warmup, state) for lr in (PEAK, PEAK / 2) for warmup in (25, 0) for state in (True, False)]


def go_on(model: Transformer, step: Callable[[], None], batches: torch.Generator, steps: int) -> None:
    text = load_text()
    for _ in range(steps):
        starts = torch.randint(len(text.train) - CONTEXT - 1, (BATCH,), generator=batches)
        model.zero_grad()
        loss(model, text.train, starts).backward()
        step()


def train(seed: int, done: set[str]) -> dict[str, tuple[float, float]]:
    """Name -> loss on validation and test split, of what is not done."""
    torch.manual_seed(seed)
    model, batches = Transformer(), torch.Generator().manual_seed(1000 + seed)
    adamw = torch.optim.AdamW(model.parameters(), lr=PEAK, betas=B, weight_decay=DECAY)
    run = Run(model, adamw, schedule=cosine, steps=STEPS)
    go_on(model, run.step, batches, MIDDLE)
    saved: dict[str, Any] = copy.deepcopy({"model": model.state_dict(), "adamw": adamw.state_dict()})
    middle, found = batches.get_state(), {}
    for way in (None, *WAYS):
        name = STAYED if way is None else way.name
        if name in done:
            continue
        step = run.step
        if way is not None:
            model = Transformer()
            model.load_state_dict(saved["model"])
            optimizer = averaged_adamw(
                model.parameters(), way.lr, weight_decay=DECAY, steps=STEPS - MIDDLE, warmup=way.warmup
            )
            if way.state:
                optimizer.load_state_dict(copy.deepcopy(saved["adamw"]))
            step = optimizer.step
        go_on(model, step, torch.Generator().set_state(middle), STEPS - MIDDLE)
        found[name] = evaluate(model, load_text().validation), evaluate(model, load_text().test)
        print(name, seed, found[name], file=sys.stderr, flush=True)
    return found


def read() -> list[dict]:
    file = results_file(STEPS, "switch")
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def table() -> str:
    """Markdown: the test loss, and the difference to AdamW that stays, seed by seed."""
    tests = {(run["name"], run["seed"]): run["test"] for run in read()}
    lines = ["| from the middle on | test loss | minus cosine to the end |", "|---|---|---|"]
    for name in (STAYED, *(way.name for way in WAYS)):
        seeds = sorted(seed for found, seed in tests if found == name and (STAYED, seed) in tests)
        if not seeds:
            continue
        losses = [tests[name, seed] for seed in seeds]
        paired = [tests[name, seed] - tests[STAYED, seed] for seed in seeds]
        against = "" if name == STAYED else f"{statistics.mean(paired):+.3f}{plus_minus(error(paired))}"
        lines.append(f"| {name} | {statistics.mean(losses):.3f} | {against} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--table", action="store_true", help="print the table of what there is, and train nothing")
    given = parser.parse_args()
    torch.set_num_threads(1)
    for seed in range(0 if given.table else given.seeds):
        done = {run["name"] for run in read() if run["seed"] == seed}
        if len(done) <= len(WAYS):
            for name, (validation, test) in train(seed, done).items():
                row = {"name": name, "seed": seed, "validation": round(validation, 5), "test": round(test, 5)}
                with results_file(STEPS, "switch").open("a") as file:
                    file.write(json.dumps(row) + "\n")
    print(table())
