"""What a free intercept costs: CPU time of a fit at its defaults, which proves 1e-3, with one and without.

    python benchmarks/linear/intercept.py a9a sector          # Markdown on stdout, one process per data set

The fits take turns, and of each the best of several counts. Epochs depend on the order of the rows, so a cell is the sum
over some seeds. The hinge, one thread.
"""

import argparse
import json

from cells import WIDE, in_own_process, load, mean, present, seconds

NARROW = ("a9a", "w8a", "ijcnn1", "covtype")
ALPHAS = ("1e-3", "1e-4", "1/n")
SEEDS = 4
BUDGET, FEWEST, MOST = 1.5, 2, 7  # seconds for a cell; turns, whatever that is


def cell(X, y, alpha):
    """Milliseconds and epochs without an intercept and with one, summed over the seeds."""
    from cesaro import DualAveragingClassifier

    makes = [{"fit_intercept": free, "random_state": seed} for seed in range(SEEDS) for free in (False, True)]
    fits = [DualAveragingClassifier(alpha=alpha, **make) for make in makes]
    once = [seconds(fit, X, y) for fit in fits]  # the first compiles, or loads
    turns = max(FEWEST, min(MOST, int(BUDGET / sum(once))))
    best = [min(times) for times in zip(*[[seconds(fit, X, y) for fit in fits] for _ in range(turns)], strict=True)]
    epochs = [int(fit.n_iter_) for fit in fits]
    return {"ms": [1e3 * sum(best[k::2]) for k in (0, 1)], "epochs": [sum(epochs[k::2]) for k in (0, 1)]}


def cells(name):
    """Those of a data set."""
    X, y = load(name)
    return [cell(X, y, alpha) for alpha in (1e-3, 1e-4, 1.0 / len(y))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=[*NARROW, *WIDE])
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.cell:
        return print(json.dumps(cells(asked.cell)))
    print("| data | alpha | without (ms) | with (ms) | ratio | epochs |")
    print("|---" * 6 + "|")
    ratios = []
    for name in present(asked.names):
        for alpha, found in zip(ALPHAS, in_own_process(__file__, name), strict=True):
            (without, free), epochs = [t / SEEDS for t in found["ms"]], [k / SEEDS for k in found["epochs"]]
            ratios.append(free / without)
            print(
                f"| {name} | {alpha} | {without:.1f} | {free:.1f} | {ratios[-1]:.2f} | {epochs[0]:g}, {epochs[1]:g} |"
            )
    print(f"\nGeometric mean {mean(ratios):.3f}, worst {max(ratios):.2f}.\n")


if __name__ == "__main__":
    main()
