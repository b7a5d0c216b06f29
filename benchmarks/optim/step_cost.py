"""Cost of step(): 15 million parameters in 56 tensors, one thread, as multiples of what memory bandwidth allows.

    python benchmarks/optim/step_cost.py [--rounds 30] [--json]

The limit of an optimiser is the time in which the same run moves what its formula must touch (GDA: read x and g, write x; one
more read and write per copy), at the rate of x += a g on one flat tensor of all parameters. Of `Averaged` the base's own time
is subtracted: what is left must read and write parameters and z, before the base and after it. Candidates take turns, and each
keeps its best round, so that a busy machine disturbs all of them alike.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable

import torch

from cesaro.optim import GDA, SCPDA, Averaged, Interpolated

WIDTHS = [64, 64, 128, 128, 256, 256, 256, 512, 512, 512, 512, 512, 512]  # VGG-16


def make_parameters() -> list[torch.nn.Parameter]:
    """The tensors of a VGG-16 with batch norm and two dense layers."""
    shapes: list[tuple[int, ...]] = []
    before = 3
    for width in WIDTHS:
        shapes += [(width, before, 3, 3), (width,), (width,), (width,)]
        before = width
    shapes += [(512, 512), (512,), (10, 512), (10,)]
    generator = torch.Generator().manual_seed(0)
    params = [torch.nn.Parameter(torch.randn(shape, generator=generator)) for shape in shapes]
    for p in params:
        p.grad = torch.randn(p.shape, generator=generator)
    return params


def stepper(make: Callable) -> tuple[Callable, int]:
    """A function that takes one step, and the copies of the parameters it keeps."""
    params = make_parameters()
    optimizer = make(params)
    optimizer.step()
    size = sum(p.numel() for p in params)
    kept = sum(s.numel() for state in optimizer.state.values() for s in state.values() if isinstance(s, torch.Tensor))
    return optimizer.step, round(kept / size)


def averaged_model(multi: bool) -> tuple[Callable, int]:
    """SGD's step and torch's own SWA after it."""
    from torch.optim.swa_utils import AveragedModel, get_swa_multi_avg_fn

    model = torch.nn.Module()
    model.all = torch.nn.ParameterList(make_parameters())
    average = AveragedModel(model, multi_avg_fn=get_swa_multi_avg_fn() if multi else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6, fused=True)

    def step() -> None:
        optimizer.step()
        average.update_parameters(model)

    step()
    return step, 1


def closure_step(make: Callable) -> tuple[Callable, int]:
    params = make_parameters()
    optimizer = make(params)
    optimizer.step(lambda: 0.0)
    return lambda: optimizer.step(lambda: 0.0), 1


def around(base: Callable) -> Callable:
    return lambda params: Averaged(base(params))


BASES = {"Averaged(SGD)": "SGD, fused", "Averaged(AdamW)": "AdamW, fused"}


def candidates() -> dict[str, tuple[Callable, int, int]]:
    """name: (step, extra copies, tensors the formula must move)."""
    lr = 1e-6
    sgd, adamw = torch.optim.SGD, torch.optim.AdamW
    found = {
        "GDA": (*stepper(lambda p: GDA(p, lr)), 3),
        "GDA, foreach": (*stepper(lambda p: GDA(p, lr, foreach=True)), 3),
        "SC-PDA": (*stepper(lambda p: SCPDA(p, lr)), 5),
        "SC-PDA, weight decay": (*stepper(lambda p: SCPDA(p, lr, weight_decay=1e-3)), 5),
        "SC-PDA, finite check": (*stepper(lambda p: SCPDA(p, lr, error_if_nonfinite=True)), 5),
        "SC-PDA, foreach": (*stepper(lambda p: SCPDA(p, lr, foreach=True)), 5),
        "SC-PDA, ball": (*stepper(lambda p: SCPDA(p, lr, radius=1e3)), 5),
        "Interpolated": (*closure_step(lambda p: Interpolated(p, lr)), 5),
        "Averaged(SGD)": (*stepper(around(lambda p: sgd(p, lr, fused=True))), 8),
        "Averaged(AdamW)": (*stepper(around(lambda p: adamw(p, lr, betas=(0.0, 0.99), fused=True))), 8),
        "AdamW, fused": (*stepper(lambda p: adamw(p, lr, betas=(0.0, 0.99), fused=True)), 7),
        "SGD, fused": (*stepper(lambda p: sgd(p, lr, fused=True)), 3),
        "SGD": (*stepper(lambda p: sgd(p, lr)), 3),
        "SGD momentum, fused": (*stepper(lambda p: sgd(p, lr, momentum=0.9, fused=True)), 5),
        "SGD momentum": (*stepper(lambda p: sgd(p, lr, momentum=0.9)), 5),
        "SGD + AveragedModel": (*averaged_model(False), 6),
        "SGD + AveragedModel, multi_avg_fn": (*averaged_model(True), 6),
    }
    try:
        import schedulefree
    except ImportError:
        return found

    def schedule_free(params: list) -> torch.optim.Optimizer:
        optimizer = schedulefree.SGDScheduleFree(params, lr)
        optimizer.train()
        return optimizer

    return {**found, "SGDScheduleFree": (*stepper(schedule_free), 5)}


def measure(rounds: int) -> list[dict]:
    x, g = torch.randn(2, sum(p.numel() for p in make_parameters()))
    table = candidates()
    runs: dict[str, Callable] = {
        "limit": lambda: x.add_(g, alpha=1e-6),
        **{name: entry[0] for name, entry in table.items()},
    }
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - start)
    per_tensor = best["limit"] / 3
    return [
        {
            "optimiser": name,
            "ms": 1e3 * best[name],
            "times_limit": (best[name] - (best[BASES[name]] if name in BASES else 0.0)) / (per_tensor * moved),
            "times_gda_limit": best[name] / best["limit"],
            "extra_copies": copies,
        }
        for name, (_, copies, moved) in table.items()
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    rows = measure(given.rounds)
    if given.json:
        print(json.dumps(rows))
    else:
        print(f"{'optimiser':36}{'ms':>8}{'x limit':>9}{'copies':>8}")
        for row in rows:
            print(f"{row['optimiser']:36}{row['ms']:8.1f}{row['times_limit']:9.2f}{row['extra_copies']:8d}")
