"""Random problems in bulk: PYTHONPATH=tests python -m random_problems.soak [problems] [first seed]"""

import sys
import time
from collections import Counter

from random_problems.checks import violations

if __name__ == "__main__":
    problems, first = (int(text) for text in (sys.argv[1:] + ["20000", "0"][len(sys.argv) - 1 :]))
    counts: Counter[str] = Counter()
    began = time.perf_counter()
    for seed in range(first, first + problems):
        for found in violations(seed):
            counts[found.split(":")[0]] += 1
            if found != "refused":
                print(f"problem {seed}: {found}", flush=True)
        if seed % 100 == 99:
            print(f"\r{seed + 1 - first} of {problems}, {dict(counts)}", end="", file=sys.stderr, flush=True)
    seconds = time.perf_counter() - began
    print(f"\n{problems} random problems from seed {first} in {seconds:.0f} s: {dict(counts) or 'no violation'}")
    sys.exit(any(kind != "refused" for kind in counts))
