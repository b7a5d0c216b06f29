"""Random problems in bulk: PYTHONPATH=tests python -m random_problems.soak [problems] [first seed] [free]

With the word `free` only problems with an intercept that bears no penalty are drawn, about one in five.
"""

import itertools
import sys
import time
from collections import Counter

from random_problems.cases import draw
from random_problems.checks import violations


def is_free(seed: int) -> bool:
    """Whether the problem of this seed has an intercept that bears no penalty."""
    parameters = draw(seed).parameters
    return parameters["fit_intercept"] and not parameters["penalize_intercept"]


if __name__ == "__main__":
    problems, first = (int(text) for text in (sys.argv[1:3] + ["20000", "0"][len(sys.argv[1:3]) :]))
    seeds = (seed for seed in itertools.count(first) if sys.argv[3:] != ["free"] or is_free(seed))
    counts: Counter[str] = Counter()
    began, free = time.perf_counter(), 0
    for k, seed in enumerate(itertools.islice(seeds, problems), start=1):
        free += is_free(seed)
        for found in violations(seed):
            counts[found.split(":")[0]] += 1
            if found != "refused":
                print(f"problem {seed}: {found}", flush=True)
        if k % 100 == 0:
            print(f"\r{k} of {problems}, {dict(counts)}", end="", file=sys.stderr, flush=True)
    seconds, shown = time.perf_counter() - began, dict(counts) or "no violation"
    print(f"\n{problems} random problems from seed {first}, {free} with a free intercept, in {seconds:.0f} s: {shown}")
    sys.exit(any(kind != "refused" for kind in counts))
