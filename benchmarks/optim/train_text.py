"""Do they train? A character-level transformer on the sources of Python's standard library, each contender at its best rate.

    python benchmarks/optim/train_text.py [--steps 1000] [--seeds 3] [--only NAME ...] [--sensitivity] [--table]

Rates are a grid of factors of two: the search begins at three of them and goes on while the best is at an end, judged with the
first seed by the loss on the validation split. The other seeds run at the best rate. Every run is a line of
results/text-STEPS.jsonl, so an interrupted benchmark goes on where it was, and --table prints what there is without training.
--sensitivity trains Averaged(AdamW) with other settings instead, at rates 2^-8 and 2^-7, into sensitivity-STEPS.jsonl.
"""

import argparse
import json
import math
import statistics
import sys
from pathlib import Path

import torch
from text_contenders import CONTENDERS, SENSITIVITY, Contender
from text_task import BATCH, CONTEXT, Transformer, evaluate, load_text, loss

RESULTS = Path(__file__).parent / "results"


def results_file(steps: int, kind: str = "text") -> Path:
    return RESULTS / f"{kind}-{steps}.jsonl"


def read(steps: int, kind: str = "text") -> list[dict]:
    file = results_file(steps, kind)
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def train(contender: Contender, steps: int, lr: float, seed: int) -> dict:
    """One run: the losses at the end, of the model that the validation split prefers where there are several."""
    torch.manual_seed(seed)
    text, model = load_text(), Transformer()
    run = contender.make(model, steps, lr)
    generator = torch.Generator().manual_seed(1000 + seed)
    for _ in range(steps):
        starts = torch.randint(len(text.train) - CONTEXT - 1, (BATCH,), generator=generator)
        model.zero_grad()
        value = loss(model, text.train, starts)
        if not value.isfinite():
            break
        value.backward()
        run.step()
    with run.evaluated() as models:
        found = {name: evaluate(m, text.validation) for name, m in models.items()}
        chosen = min(found, key=lambda name: found[name] if math.isfinite(found[name]) else math.inf)
        test = evaluate(models[chosen], text.test)
    return {
        "name": contender.name,
        "variant": contender.variant,
        "lr": lr,
        "seed": seed,
        "validation": round(found[chosen], 5),
        "test": round(test, 5),
        **({"chosen": chosen} if chosen else {}),
        "characters": len(text.train),
    }


def one_run(contender: Contender, steps: int, lr: float, seed: int, kind: str = "text") -> None:
    result = train(contender, steps, lr, seed)
    with results_file(steps, kind).open("a") as file:
        file.write(json.dumps(result) + "\n")
    print(
        result["name"], result["variant"], lr, seed, result["validation"], result["test"], file=sys.stderr, flush=True
    )


def rates(steps: int, contender: Contender) -> dict[float, float]:
    """rate -> loss on the validation split, first seed; infinite where it diverged."""
    return {
        run["lr"]: run["validation"] if math.isfinite(run["validation"]) else math.inf
        for run in read(steps)
        if (run["name"], run["variant"], run["seed"]) == (contender.name, contender.variant, 0)
    }


def wanted(known: dict[float, float], guess: float) -> list[float]:
    """The rates that the search needs next; nothing when the best one has a neighbour on either side."""
    best = min(known, key=lambda lr: known[lr]) if known else guess
    return [lr for lr in (best, best / 2, best * 2) if lr not in known]


def best_rate(steps: int, contender: Contender) -> float | None:
    known = rates(steps, contender)
    return None if not known or wanted(known, 0.0) else min(known, key=lambda lr: known[lr])


def scores(steps: int, contender: Contender, seeds: int, key: str = "test") -> list[float]:
    """At the best rate, by seed; empty while runs are missing."""
    lr = best_rate(steps, contender)
    of = (contender.name, contender.variant, lr)
    found = {run["seed"]: run[key] for run in read(steps) if (run["name"], run["variant"], run["lr"]) == of}
    return [found[seed] for seed in range(seeds)] if set(range(seeds)) <= set(found) else []


def label(contender: Contender) -> str:
    return ", ".join(part for part in (contender.name, contender.variant) if part)


def table(steps: int, seeds: int, rival: str | None = None) -> str:
    """Markdown: mean and spread over the seeds, and the difference to the rival (if none is named, the best of the others)
    seed by seed, with its standard error. Every variant that has all its runs."""
    tested = {label(each): (each, found) for each in CONTENDERS if (found := scores(steps, each, seeds))}
    others = {shown: found for shown, (each, found) in tested.items() if not each.family}
    if not others:
        return "no contender has all its runs yet"
    rival = rival if rival in tested else min(others, key=lambda shown: statistics.mean(others[shown]))
    lines = [f"| optimiser | lr | test loss | minus {rival} |", "|---|---|---|---|"]
    for shown, (each, found) in sorted(tested.items(), key=lambda item: statistics.mean(item[1][1])):
        paired = [a - b for a, b in zip(found, tested[rival][1], strict=True)]
        against = "" if shown == rival else f"{statistics.mean(paired):+.3f}{plus_minus(error(paired))}"
        spread = plus_minus(statistics.stdev(found) if len(found) > 1 else math.nan)
        shown = f"**{shown}**" if each.family else shown
        lines.append(f"| {shown} | {best_rate(steps, each):.2g} | {statistics.mean(found):.3f}{spread} | {against} |")
    return "\n".join(lines)


def plus_minus(spread: float) -> str:
    """Nothing for a single seed."""
    return f" ± {spread:.3f}" if math.isfinite(spread) else ""


def error(differences: list[float]) -> float:
    """The standard error of their mean."""
    many = len(differences) > 1
    return statistics.stdev(differences) / math.sqrt(len(differences)) if many else math.nan


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    names = list(dict.fromkeys(contender.name for contender in CONTENDERS))
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=names, default=names, help="some contenders")
    parser.add_argument("--against", choices=[label(each) for each in CONTENDERS], help="whom to compare with")
    parser.add_argument("--sensitivity", action="store_true", help="train Averaged(AdamW) with other settings instead")
    parser.add_argument("--table", action="store_true", help="print the table of what there is, and train nothing")
    given = parser.parse_args()
    torch.set_num_threads(1)
    if given.sensitivity:
        done = {(run["name"], run["variant"], run["lr"]) for run in read(given.steps, "sensitivity")}
        for contender in SENSITIVITY:
            for lr in (2**-8, 2**-7):
                if (contender.name, contender.variant, lr) not in done and not given.table:
                    one_run(contender, given.steps, lr, 0, "sensitivity")
        print("| setting | | lr | validation | test |\n|---|---|---|---|---|")
        for run in read(given.steps, "sensitivity"):
            shown = (run["name"], run["variant"], f"{run['lr']:.2g}", f"{run['validation']:.3f}", f"{run['test']:.3f}")
            print("| " + " | ".join(shown) + " |")
        sys.exit()
    if not given.table:
        taking_part = [contender for contender in CONTENDERS if contender.name in given.only]
        for contender in taking_part:
            while missing := wanted(rates(given.steps, contender), contender.guess):
                one_run(contender, given.steps, missing[0], 0)
        for seed in range(1, given.seeds):
            for contender in taking_part:
                lr = best_rate(given.steps, contender)
                if lr is not None and len(scores(given.steps, contender, seed + 1)) <= seed:
                    one_run(contender, given.steps, lr, seed)
    print(table(given.steps, given.seeds, given.against))
